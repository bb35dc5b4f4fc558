#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets several processes write one array at the same time, and kills some of them.

usage: writers.py [--rounds N] [--seed N] WRITERS_PROGRAM TESSERA_PROGRAM

Each round starts two to six processes with writes that are drawn at random: store, replace, region,
append, copy, resize, attributes. Some are killed at random instants. Afterwards, some order of the
writes that reported success must explain the array: each of them whole, with writes that were
killed before, between or behind them, and without those that were refused. A region or an array
whose writer was killed may hold anything; an append and a resize are done or not done.
Then killed writes are started again, and a last store must succeed and leave no file behind.
The files are read here, without the library.
"""
import argparse
import array
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from chaos import LONGEST, MEMORY, session_members

COLUMNS = 4
FILL = -1
ANY = "any"  # an element that may have any value
ABSENT = "absent"  # no array
ENGINES = ["serial", "threads:2", "processes:2"]


class Write:
    """One write of one process."""

    def __init__(self, kind, value, arguments):
        self.kind = kind
        self.value = value
        self.arguments = arguments
        self.process = None
        self.outcome = None

    def __repr__(self):
        return f"{self.kind} of {self.value} {self.arguments}: {self.outcome}"

    def apply(self, rows):
        """Returns the rows of the array after the write, or None if it cannot succeed."""
        if self.kind in ("store", "copy"):
            return ((self.value,) * COLUMNS,) * self.arguments[0]
        if rows is ABSENT:
            return None
        if self.kind == "append":
            return rows + ((self.value,) * COLUMNS,) * self.arguments[0]
        if self.kind == "resize":
            num_added = self.arguments[0] - len(rows)
            return rows[:self.arguments[0]] + ((FILL,) * COLUMNS,) * num_added
        return self.fill_region(rows, self.value)

    def fill_region(self, rows, value):
        first, last, first_column, last_column = self.arguments
        if last > len(rows):
            return None
        part = (value,) * (last_column - first_column)
        inside = tuple(row[:first_column] + part + row[last_column:] for row in rows[first:last])
        return rows[:first] + inside + rows[last:]

    def outcomes(self, rows):
        """Returns the rows that the array may have after the write, which may have been killed."""
        whole = self.apply(rows)
        if self.outcome == "done":
            return [] if whole is None else [whole]
        if self.kind in ("store", "copy"):
            before = rows if rows is ABSENT else ((ANY,) * COLUMNS,) * len(rows)
            return [before, ABSENT, ((ANY,) * COLUMNS,) * self.arguments[0]]
        if whole is None:
            return [rows]
        return [rows, self.fill_region(rows, ANY) if self.kind == "region" else whole]


def matches(expected, rows):
    if expected is ABSENT or rows is ABSENT:
        return expected is rows
    return len(expected) == len(rows) and all(
        a in (b, ANY) for x, y in zip(expected, rows) for a, b in zip(x, y))


def explains(rows, writes, result):
    """Tells whether some order of the writes makes `result` of `rows`."""
    pending = {(rows, frozenset(range(len(writes))))}
    known = set(pending)
    while pending:
        now, remaining = pending.pop()
        if not remaining and matches(now, result):
            return True
        for i in remaining:
            for after in writes[i].outcomes(now):
                state = (after, remaining - {i})
                if state not in known:
                    known.add(state)
                    pending.add(state)
    return False


def read_rows(path):
    """Returns the elements of an array of int32 without codecs."""
    try:
        with open(os.path.join(path, ".zarray"), encoding="utf-8") as file:
            metadata = json.load(file)
    except FileNotFoundError:
        return ABSENT
    rows, columns = metadata["shape"]
    height, width = metadata["chunks"]
    cells = [[FILL] * columns for _ in range(rows)]
    for i, j in itertools.product(range(-(-rows // height)), range(-(-columns // width))):
        try:
            with open(os.path.join(path, f"{i}.{j}"), "rb") as file:
                chunk = array.array("i", file.read())
        except FileNotFoundError:
            continue
        if len(chunk) != height * width:
            raise ValueError(f"chunk {i}.{j} has {len(chunk)} elements in chunks {metadata['chunks']}")
        for k, value in enumerate(chunk):
            row, column = i * height + k // width, j * width + k % width
            if row < rows and column < columns:
                cells[row][column] = value
    return tuple(map(tuple, cells))


class Writers:
    def __init__(self, arguments, directory):
        self.arguments = arguments
        self.directory = directory
        self.random = random.Random(arguments.seed)
        self.value = 0
        self.duration = 0.1
        self.counts = {}
        self.path = os.path.join(directory, "g.zarr", "a")

    def command(self, write):
        if write.kind == "copy":
            return ["/bin/sh", "-c", 'echo ready; read -r go; exec "$@"', "copy",
                    self.arguments.tessera_program, "copy", "--replace",
                    "--work-dir", os.path.join(self.directory, "work"),
                    self.source_of(write), self.path]
        return [self.arguments.writers_program, self.directory, write.kind, str(write.value),
                *map(str, write.arguments), f"--tessera-executor={self.random.choice(ENGINES)}"]

    def source_of(self, write):
        """Returns an array of the elements that a copy writes."""
        rows, height, width = write.arguments
        path = os.path.join(self.directory, f"source-{write.value}")
        if os.path.exists(path):
            return path
        os.makedirs(path)
        metadata = {"zarr_format": 2, "shape": [rows, COLUMNS], "chunks": [height, width],
                    "dtype": "<i4", "compressor": None, "fill_value": FILL, "order": "C",
                    "filters": None}
        with open(os.path.join(path, ".zarray"), "w", encoding="utf-8") as file:
            json.dump(metadata, file)
        chunk = array.array("i", [write.value] * (height * width)).tobytes()
        for i, j in itertools.product(range(-(-rows // height)), range(-(-COLUMNS // width))):
            with open(os.path.join(path, f"{i}.{j}"), "wb") as file:
                file.write(chunk)
        return path

    def draw(self, kind=None):
        kind = kind or self.random.choice(
            ["store", "region", "region", "region", "append", "append", "append", "copy", "resize",
             "attributes"])
        self.value += 1
        integer = self.random.randint
        chunks = self.random.choice([[3, 2], [3, 2], [4, 4]])
        if kind in ("store", "copy"):
            return Write(kind, self.value, [3 * integer(1, 8), *chunks])
        if kind == "region":
            first = integer(0, 11) if self.random.random() < 0.3 else 3 * integer(0, 3)
            rows = integer(1, 6) if self.random.random() < 0.3 else 3 * integer(1, 3)
            first_column, last_column = self.random.choice([(0, 4), (0, 2), (2, 4), (1, 3)])
            return Write(kind, self.value, [first, first + rows, first_column, last_column])
        if kind == "append":
            return Write(kind, self.value, [self.random.choice([3, 3, 6, 12, 5])])
        if kind == "resize":
            return Write(kind, self.value, [integer(1, 24)])
        return Write(kind, self.value, [])

    def start(self, write):
        write.log = tempfile.TemporaryFile()
        write.process = subprocess.Popen(
            self.command(write), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=write.log,
            start_new_session=True)

    def run(self, writes, kills):
        for write in writes:
            self.start(write)
        for write in writes:
            write.process.stdout.readline()
        begin = time.monotonic()
        for write in writes:
            try:
                write.process.stdin.write(b"\n")
                write.process.stdin.flush()
            except BrokenPipeError:
                pass
        for instant, write in sorted(kills, key=lambda kill: kill[0]):
            try:
                write.process.wait(max(0, begin + instant - time.monotonic()))
            except subprocess.TimeoutExpired:
                write.process.send_signal(signal.SIGKILL)
        for write in writes:
            self.conclude(write)
        return time.monotonic() - begin

    def conclude(self, write):
        code = write.process.wait(LONGEST)
        # Processes of its session may still write.
        while session_members(write.process.pid):
            os.sched_yield()
        write.process.stdin.close()
        write.process.stdout.close()
        write.log.seek(0)
        write.text = write.log.read().decode(errors="replace")
        write.log.close()
        names = {0: "done", 1: "refused", -signal.SIGKILL: "killed"}
        if code not in names:
            self.fail(f"{write} ended with code {code}:\n{write.text}")
        write.outcome = names[code]
        key = (write.kind, write.outcome)
        self.counts[key] = self.counts.get(key, 0) + 1

    def fail(self, words):
        sys.exit(f"seed {self.arguments.seed}, round {self.round}: {words}")

    def check(self, before, writes):
        changes = [write for write in writes
                   if write.kind != "attributes" and write.outcome != "refused"]
        rows = read_rows(self.path)
        if explains(before, changes, rows):
            return rows
        texts = "\n".join(f"{write}\n    {write.text.strip()}" for write in writes)
        self.fail(f"no order of\n{texts}\nmakes\n{rows}\nof\n{before}")

    def check_attributes(self, before, writes):
        with open(os.path.join(self.directory, "g.zarr", ".zattrs"), encoding="utf-8") as file:
            value = json.load(file)["value"]
        attributes = [write for write in writes if write.kind == "attributes"]
        allowed = {write.value for write in attributes if write.outcome != "refused"}
        if not any(write.outcome == "done" for write in attributes):
            allowed.add(before)
        if value not in allowed:
            self.fail(f"the attribute is {value} after {attributes}")
        return value

    def play_round(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        os.mkdir(self.directory)
        first = [self.draw("attributes"), self.draw("store")]
        for write in first:
            self.run([write], [])
        rows = self.check(ABSENT, first)
        attribute = self.check_attributes(None, first)
        writes = [self.draw() for _ in range(self.random.randint(2, 6))]
        kills = [(self.random.uniform(0, self.duration), write) for write in writes
                 if self.random.random() < 0.3]
        duration = self.run(writes, kills)
        if not kills:
            self.duration = 0.5 * (self.duration + duration)
        rows = self.check(rows, writes)
        self.check_attributes(attribute, writes)
        self.play_again(rows, [write for write in writes if write.outcome == "killed"])

    def play_again(self, rows, killed):
        for write in killed:
            if self.random.random() < 0.5:
                continue
            # An append whose last step alone was missing is not repeated.
            was_there = write.kind == "append"
            self.run([write], [])
            if not (was_there and write.outcome == "done" and read_rows(self.path) == rows):
                rows = self.check(rows, [write])
        last = self.draw("store")
        self.run([last], [])
        if last.outcome != "done":
            self.fail(f"{last}: {last.text}")
        self.check(ABSENT, [last])
        names = os.listdir(self.path)
        strays = [name for name in names
                  if name not in (".zarray", ".zattrs") and not name.replace(".", "").isdigit()]
        if strays:
            self.fail(f"{strays} were left behind")

    def play(self):
        for self.round in range(self.arguments.rounds):
            self.play_round()
        counts = ", ".join(f"{count} {kind} {outcome}"
                           for (kind, outcome), count in sorted(self.counts.items()))
        print(f"{self.arguments.rounds} rounds, seed {self.arguments.seed}: {counts}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("writers_program")
    parser.add_argument("tessera_program")
    arguments = parser.parse_args()
    where = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="tessera-writers-", dir=where) as parent:
        Writers(arguments, os.path.join(parent, "round")).play()


if __name__ == "__main__":
    main()
