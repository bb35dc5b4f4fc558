#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills programs that overwrite their input, and starts them again until they end.

usage: overwriting.py [--rounds N] [--seed N] WRITERS_PROGRAM

Each round writes two arrays of distinct elements, and starts a program that reverses the rows of the
first, moves some of its rows in place, appends it to itself, or exchanges the two. The program is
killed at random instants and started again until it has ended. Between two starts, a program that
reads an array gets the old elements or a refusal. At the end the arrays are compared with the
expected rows, although half of the old elements may have been overwritten before the last start. This
script reads the files of the arrays itself.
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
FIRST_OF_SECOND = 1000  # the first element of the second array


def make_array(path, num_rows, first):
    """Writes an array of num_rows x 4 in chunks of 3 x 2 that counts its elements from `first` on."""
    os.makedirs(path)
    metadata = {"zarr_format": 2, "shape": [num_rows, COLUMNS], "chunks": [3, 2], "dtype": "<i4",
                "compressor": None, "fill_value": -1, "order": "C", "filters": None}
    with open(os.path.join(path, ".zarray"), "w", encoding="utf-8") as file:
        json.dump(metadata, file)
    for i, j in itertools.product(range(-(-num_rows // 3)), range(2)):
        rows = range(3 * i, 3 * i + 3)
        cells = [first + COLUMNS * row + 2 * j + column for row in rows for column in range(2)]
        with open(os.path.join(path, f"{i}.{j}"), "wb") as file:
            file.write(array.array("i", cells).tobytes())


class Round:
    def __init__(self, arguments, chance, directory):
        self.arguments = arguments
        self.random = chance
        self.directory = directory
        self.paths = [os.path.join(directory, "g.zarr", name) for name in "ab"]
        self.num_rows = chance.randint(8, 60)
        self.action = chance.choice(["turn", "move", "extend", "exchange"])
        self.engine = chance.choice(ENGINES)
        self.num_kills = 0
        self.num_refused = 0

    def rows_from(self, first):
        return [tuple(range(first + COLUMNS * k, first + COLUMNS * (k + 1)))
                for k in range(self.num_rows)]

    def expected(self):
        """Returns the rows of both arrays at the end."""
        rows = self.rows_from(0)
        others = self.rows_from(FIRST_OF_SECOND)
        results = {"turn": rows[::-1], "move": rows[:3] + rows[5:] + rows[-2:],
                   "extend": rows + rows[::-1], "exchange": others}
        second = rows if self.action == "exchange" else others
        return [tuple(results[self.action]), tuple(second)]

    def found(self):
        return [read_rows(path) for path in self.paths]

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
        notes = [os.path.join(path, ".tessera-overwritten") for path in self.paths]
        # A run that has removed one of its notes has voided all of them.
        num_noted = sum(map(os.path.exists, notes))
        is_noted = num_noted == (2 if self.action == "exchange" else 1)
        return not is_noted and self.found() == self.expected()

    def look(self):
        process = self.start("sum")
        text, complaint = process.communicate(timeout=LONGEST)
        if process.returncode == 1 and b"some elements are new and some are old" in complaint:
            self.num_refused += 1
            return
        sums = [sum(map(sum, rows)) for rows in (self.expected()[0], self.rows_from(0))]
        if process.returncode != 0 or float(text) not in sums:
            self.fail(f"a reader found the sum {text}, and {complaint}")

    def play(self):
        for path, first in zip(self.paths, (0, FIRST_OF_SECOND)):
            make_array(path, self.num_rows, first)
        longest = 0.1
        while not self.run(self.random.uniform(0, longest)):
            self.num_kills += 1
            longest *= 1.1
            if self.has_ended():
                break
            self.look()
        if self.found() != self.expected():
            self.fail(f"the arrays hold {self.found()}")


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
