#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills programs that compute an array from itself, and lets them go on.

usage: overwriting.py [--rounds N] [--seed N] WRITERS_PROGRAM

Each round makes an array whose elements are all different, and starts a program that turns it over
or moves a part of it in place. The program is killed at random instants and started again until it
has ended. In between, a program that reads the array finds the old elements or is refused. At the
end each element is the one of the old array that belongs there, although half of the old ones may
have been gone when the program was started for the last time. The files are read here.
"""
import argparse
import array
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

from chaos import LONGEST, MEMORY, session_members
from writers import ENGINES, read_rows

COLUMNS = 4


def make_array(path, num_rows):
    """Writes an array of num_rows x 4 in chunks of 3 x 2 that counts its elements."""
    os.makedirs(path)
    metadata = {"zarr_format": 2, "shape": [num_rows, COLUMNS], "chunks": [3, 2], "dtype": "<i4",
                "compressor": None, "fill_value": -1, "order": "C", "filters": None}
    with open(os.path.join(path, ".zarray"), "w", encoding="utf-8") as file:
        json.dump(metadata, file)
    for i, j in itertools.product(range(-(-num_rows // 3)), range(2)):
        rows = range(3 * i, 3 * i + 3)
        cells = [COLUMNS * row + 2 * j + column for row in rows for column in range(2)]
        with open(os.path.join(path, f"{i}.{j}"), "wb") as file:
            file.write(array.array("i", cells).tobytes())


class Round:
    def __init__(self, arguments, chance, directory):
        self.arguments = arguments
        self.random = chance
        self.directory = directory
        self.path = os.path.join(directory, "g.zarr", "a")
        self.num_rows = chance.randint(8, 60)
        self.action = chance.choice(["turn", "move"])
        self.engine = chance.choice(ENGINES)
        self.num_kills = 0
        self.num_refused = 0

    def expected(self):
        rows = [tuple(range(COLUMNS * k, COLUMNS * k + COLUMNS)) for k in range(self.num_rows)]
        if self.action == "turn":
            return tuple(rows[::-1])
        return tuple(rows[:3] + rows[5:] + rows[-2:])

    def start(self, action):
        process = subprocess.Popen(
            [self.arguments.writers_program, self.directory, action, "0",
             f"--tessera-executor={self.engine}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        process.stdout.readline()
        process.stdin.write(b"\n")
        process.stdin.flush()
        return process

    def fail(self, words):
        sys.exit(f"seed {self.arguments.seed}: {self.action} of {self.num_rows} rows on "
                 f"{self.engine}, {self.num_kills} kills: {words}")

    def run(self, instant):
        """Returns whether the program has ended before the instant."""
        process = self.start(self.action)
        try:
            process.wait(instant)
        except subprocess.TimeoutExpired:
            process.kill()
        _, complaint = process.communicate(timeout=LONGEST)
        while session_members(process.pid):
            os.sched_yield()
        if process.returncode > 0:
            self.fail(complaint.decode())
        return process.returncode == 0

    def has_ended(self):
        """Tells whether a run that was killed had nothing more to do for the array."""
        is_noted = os.path.exists(os.path.join(self.path, ".tessera-overwritten"))
        return not is_noted and read_rows(self.path) == self.expected()

    def look(self):
        process = self.start("sum")
        text, complaint = process.communicate(timeout=LONGEST)
        if process.returncode == 1 and b"some elements are new and some are old" in complaint:
            self.num_refused += 1
            return
        count = COLUMNS * self.num_rows
        sums = [sum(map(sum, self.expected())), count * (count - 1) // 2]
        if process.returncode != 0 or float(text) not in sums:
            self.fail(f"a reader found the sum {text}, and {complaint}")

    def play(self):
        make_array(self.path, self.num_rows)
        longest = 0.1
        while not self.run(self.random.uniform(0, longest)):
            self.num_kills += 1
            longest *= 1.1
            if self.has_ended():
                break
            self.look()
        if read_rows(self.path) != self.expected():
            self.fail(f"the array holds {read_rows(self.path)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("writers_program")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    where = MEMORY if os.access(MEMORY, os.W_OK) else None
    num_kills = num_refused = 0
    for _ in range(arguments.rounds):
        with tempfile.TemporaryDirectory(prefix="tessera-overwriting-", dir=where) as directory:
            one_round = Round(arguments, chance, directory)
            one_round.play()
            num_kills += one_round.num_kills
            num_refused += one_round.num_refused
    print(f"{arguments.rounds} rounds, seed {arguments.seed}: {num_kills} kills, "
          f"{num_refused} readers refused")


if __name__ == "__main__":
    main()
