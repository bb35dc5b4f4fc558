#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the progress that a program shows on all engines, in a file and on a terminal.

usage: progress.py PROGRAM [MPIEXEC] [slurm] [grid_engine]

PROGRAM is progress_program. With a cluster it runs there alone; else by the serial executor, threads,
processes and, with MPIEXEC, on four ranks. Its record (--tessera-report) has the operations that the
progress names.
In a file (--tessera-progress=always) there is a plain line each second, without control codes, and at the
end one that all tasks are done: one process prints. On a terminal each running operation has a line above
that of the computation; lines are drawn over, and the last alone stays.
A program that ends within the first second shows nothing, so that work is doubled until there are lines.
Lines come also while no task ends: the first tasks wait at a named pipe until there are two.
"""
import contextlib
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

CLUSTERS = ("slurm", "grid_engine")
ROUNDS = (100, 400, 1600, 6400, 25600)
NAME_WIDTH = 20
BAR = (r"(?P<title>.{20}) \[(?P<bar>#* *)\] +(?P<percent>\d+) %  (?P<done>[\d,]+)/(?P<all>[\d,]+) tasks")
RATES = r"  [\d.,]+/s(  [\d.]+ [kMGT]?B/s)?(  (\d+:)+\d\d(?P<left> left)?)?(  \d+ tried again)?"
OPERATION = re.compile(BAR)
COMPUTATION = re.compile(BAR + RATES)
# What a terminal obeys: up, begin of the line, erase to the end of the screen, wrapping off and on.
CODES = re.compile(r"\x1b\[(\d+)A|(\r)|(\x1b\[J)|(\x1b\[\?7l)|(\x1b\[\?7h)|(\n)|([^\x1b\r\n]+)")


def require(condition, *words):
    if not condition:
        sys.exit("progress.py: " + " ".join(map(str, words)))


def count_of(text):
    return int(text.replace(",", ""))


class Terminal:
    """A screen, and its copies after each drawing."""

    def __init__(self):
        self.rows, self.row, self.column, self.frames = [""], 0, 0, []

    def write(self, text):
        position = 0
        while position < len(text):
            code = CODES.match(text, position)
            require(code, "unknown control code:", repr(text[position:position + 20]))
            position = code.end()
            up, start, erase, _, is_drawn, newline, plain = code.groups()
            if up:
                self.row -= int(up)
                require(self.row >= 0, "the cursor leaves the screen:", repr(text))
            elif start:
                self.column = 0
            elif erase:
                self.rows[self.row] = self.rows[self.row][:self.column]
                del self.rows[self.row + 1:]
            elif is_drawn:
                self.frames.append(list(self.rows))
            elif newline:
                self.row += 1
                self.column = 0
                self.rows += [""] * (self.row + 1 - len(self.rows))
            elif plain:
                row = self.rows[self.row].ljust(self.column)
                self.rows[self.row] = row[:self.column] + plain + row[self.column + len(plain):]
                self.column += len(plain)


def operations_of(report):
    """Returns the name of each operation of the only record in a folder, cut as progress cuts it, and
    the number of its tasks."""
    record, = pathlib.Path(report).iterdir()
    operations = json.loads((record / "history.json").read_text())["operations"]
    return {f"{number} {operation['label']}"[:NAME_WIDTH]: operation["tasks"]
            for number, operation in enumerate(operations)}


def check_bar(line):
    """Requires that bar and percentage are those of the counts, which it returns."""
    done, total = count_of(line["done"]), count_of(line["all"])
    for shown, most in ((int(line["percent"]), 100), (len(line["bar"].rstrip()), 20)):
        require(shown * total <= most * done <= (shown + 1) * total, "wrong bar:", line.group())
        require((shown == most) == (done == total), "wrong bar:", line.group())
    return done, total


def check_lines(lines, operations):
    """Requires that lines of a computation go on from one to the next, the last with all tasks done."""
    total, before = sum(operations.values()), 0
    titles = {*operations, "between operations", f"all {len(operations)} operations", "done"}
    for line in lines:
        require(line["title"].rstrip() in titles, "unknown title:", line.group())
        done, all_tasks = check_bar(line)
        require(all_tasks == total and before <= done, "wrong counts:", line.group())
        before = done
    last = lines[-1]
    require(last["title"].rstrip() == "done" and before == total and not last["left"],
            "the last line is", last.group())
    is_done = [line["title"].rstrip() == "done" for line in lines]
    require(is_done == sorted(is_done), "lines after the end:", [line.group() for line in lines])


class Runs:
    """Runs of the program in a folder."""

    def __init__(self, program, folder):
        self.program, self.folder, self.number = program, folder, 0

    def command(self, executor, prefix, rounds, progress):
        self.number += 1
        return [*prefix, self.program, self.folder, f"output{self.number}", str(rounds),
                f"--tessera-executor={executor}", f"--tessera-progress={progress}",
                "--tessera-resume=never", f"--tessera-report={self.folder}/report{self.number}"]

    def operations(self):
        return operations_of(f"{self.folder}/report{self.number}")

    def in_file(self, executor, prefix, rounds):
        """Returns what a run writes into a file."""
        path = pathlib.Path(self.folder, "stderr")
        with path.open("w") as file:
            ended = subprocess.run(self.command(executor, prefix, rounds, "always"), timeout=300,
                                   stdout=subprocess.PIPE, stderr=file)
        require(ended.returncode == 0 and not ended.stdout, executor, "failed:", ended, path.read_text())
        return path.read_bytes().decode()

    def on_terminal(self, executor, prefix, rounds):
        """Returns what a run writes to a terminal."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(self.command(executor, prefix, rounds, "auto"), stdout=subprocess.DEVNULL,
                              stderr=theirs) as running:
            os.close(theirs)
            shown = b""
            with contextlib.suppress(OSError):  # EIO: the last writer has gone
                while part := os.read(ours, 65536):
                    shown += part
        os.close(ours)
        require(running.returncode == 0, executor, "failed:", shown.decode())
        return shown.decode()


    def at_gate(self, executor, prefix):
        """Returns the lines of a run whose first tasks wait until there are two, and the rest."""
        gate = pathlib.Path(self.folder, f"gate{self.number}")
        os.mkfifo(gate)
        with subprocess.Popen(self.command(executor, prefix, 1, "always"), stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "PROGRESS_GATE": str(gate)}) as running:
            waiting = [running.stderr.readline() for _ in range(2)]
            require(all(waiting), executor, "failed:", waiting)
            with gate.open("w"):
                rest = running.stderr.read()
        require(running.returncode == 0, executor, "failed:", waiting, rest)
        return waiting, rest


def of_enough_work(run, executor, prefix):
    for rounds in ROUNDS:
        if text := run(executor, prefix, rounds):
            return text
    return sys.exit(f"progress.py: {executor} shows nothing")


def check_file(runs, executor, prefix):
    text = of_enough_work(runs.in_file, executor, prefix)
    require(not re.search(r"[\x00-\x09\x0b-\x1f]", text), "control codes in a file:", repr(text))
    require(text.endswith("\n"), "the last line has no end:", repr(text))
    lines = []
    for row in text.splitlines():
        lines.append(COMPUTATION.fullmatch(row))
        require(lines[-1], executor, "writes into a file:", row)
    check_lines(lines, runs.operations())
    require(len(lines) > 1, "there is no line before the last:", text)
    print(f"{executor}: {len(lines)} lines in a file", flush=True)


def check_gate(runs, executor, prefix):
    waiting, rest = runs.at_gate(executor, prefix)
    lines = [COMPUTATION.fullmatch(row) for row in "".join([*waiting, rest]).splitlines()]
    require(all(lines), executor, "writes:", waiting, rest)
    check_lines(lines, runs.operations())
    require(count_of(lines[1]["done"]) == 0, "a task has passed the gate:", waiting)
    print(f"{executor}: lines while no task ends", flush=True)


def check_frame(rows, operations):
    """Requires lines of running operations, in the plan's order, above that of the computation, which
    it returns."""
    *upper, last = rows
    matches = [OPERATION.fullmatch(row) for row in upper]
    require(all(matches) and COMPUTATION.fullmatch(last), "strange rows:", rows)
    names = [match["title"].rstrip() for match in matches]
    require(names == [name for name in operations if name in names], "strange order:", rows)
    require(len(names) != 1 and len(names) <= 5, len(names), "operations have lines:", rows)
    for name, match in zip(names, matches):
        require(check_bar(match)[1] == operations[name], "wrong counts:", match.group())
    return COMPUTATION.fullmatch(last)


def check_terminal(runs, executor, prefix):
    text = of_enough_work(runs.on_terminal, executor, prefix)
    terminal, operations = Terminal(), runs.operations()
    terminal.write(text)
    check_lines([check_frame(rows, operations) for rows in terminal.frames], operations)
    require(terminal.rows == [*terminal.frames[-1], ""] and len(terminal.rows) == 2,
            "more than the last line stays:", terminal.rows)
    highest = max(map(len, terminal.frames))
    print(f"{executor}: {len(terminal.frames)} drawings of up to {highest} rows", flush=True)
    return highest


def main():
    program, *rest = sys.argv[1:]
    clusters = [word for word in rest if word in CLUSTERS]
    mpiexec = next((word for word in rest if word not in CLUSTERS), None)
    engines = [(f"{cluster}:workers=2", ()) for cluster in clusters]
    if not clusters:
        engines = [("serial", ()), ("threads:3", ()), ("processes:2", ())]
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() and not clusters else None) as folder:
        runs = Runs(program, folder)
        highest = max(check_terminal(runs, executor, prefix) for executor, prefix in engines)
        require(clusters or highest > 1, "no two operations were seen side by side")
        if mpiexec:
            # Ranks write into a pipe of mpiexec.
            engines.append(("mpi", (mpiexec, "-n", "4")))
        for executor, prefix in engines:
            check_file(runs, executor, prefix)
            if not clusters:
                check_gate(runs, executor, prefix)


if __name__ == "__main__":
    main()
