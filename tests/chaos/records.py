#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the records of a program on all engines, and kills it to look at what is recorded.

usage: records.py PROGRAM TOOL agree [MPIEXEC] [slurm] [grid_engine]
       records.py PROGRAM TOOL kills COUNT [SEED]

PROGRAM is chaos_program, TOOL the program `tessera`. The records of the serial executor, threads,
processes, four MPI ranks, Slurm and Grid Engine have the same files, and for each operation the same label, tasks,
bytes and requests; tasks and requests add up to those of the plan. A simulated run has the same operations
and tasks. In each record, history, tasks and trace have the same figures. After a kill at a random
moment `TOOL report` makes all files, and at most the last second is missing.
"""
import collections
import csv
import gzip
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

CLUSTERS = ("slurm", "grid_engine")
FIGURES = ("label", "tasks", "done", "bytes_read", "bytes_written", "requests")
# Storage and messages of the start of a process are in it, on a busy host.
SLACK = 0.5  # seconds


def require(condition, *words):
    if not condition:
        sys.exit("records.py: " + " ".join(map(str, words)))


def microseconds(seconds):
    """Returns a time of a file, in whole microseconds."""
    return round(float(seconds) * 1_000_000)


class Record:
    """The files of a computation in a folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.files = sorted(path.name for path in self.folder.iterdir())
        self.history = json.loads((self.folder / "history.json").read_text())
        self.operations = self.history["operations"]

    def figures(self):
        return [tuple(operation.get(name) for name in FIGURES) for operation in self.operations]

    def planned(self):
        """Returns the tasks and requests of the plan, as its explanation counts them."""
        text = (self.folder / "explain.txt").read_text()
        found = re.search(r"cost ([\d,]+) tasks?, .*? ([\d,]+) requests?", " ".join(text.split()))
        require(found, self.folder, "explain.txt has no cost:", text[:400])
        return [int(count.replace(",", "")) for count in found.groups()]

    def check(self):
        """Requires that all files have the figures of the history."""
        with open(self.folder / "history.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        require([row["label"] for row in rows] == [each["label"] for each in self.operations],
                self.folder, "history.csv has other labels than history.json")
        require([int(row["done"]) for row in rows] == [each["done"] for each in self.operations],
                self.folder, "history.csv has other counts than history.json")
        done, hosts = collections.Counter(), set()
        with gzip.open(self.folder / "tasks.csv.gz", "rt", newline="") as file:
            for row in csv.DictReader(file):
                hosts.add(row["host"])
                if row["outcome"] == "ended":
                    done[int(row["operation"])] += int(row["count"])
        require(all(done[i] == each["done"] - each["resumed"]
                    for i, each in enumerate(self.operations)),
                self.folder, "tasks.csv.gz has other counts than history.json:", done)
        with gzip.open(self.folder / "trace.json.gz", "rt") as file:
            events = json.load(file)["traceEvents"]
        names = {event["name"] for event in events if event["ph"] == "X"} - {"start-up"}
        known = {f"{i} {each['label']}" for i, each in enumerate(self.operations)}
        ran = {f"{i} {each['label']}" for i, each in enumerate(self.operations) if done[i]}
        require(ran <= names <= known, self.folder, "trace.json.gz has other operations:", names)
        processes = {event["args"]["name"] for event in events
                     if event["name"] == "process_name" and event["pid"] > 0}
        require(processes == hosts and "" not in hosts, self.folder, "tasks.csv.gz has the hosts", hosts,
                "but trace.json.gz", processes)
        self.check_starts()

    def check_starts(self):
        """Requires that each worker has a host and a start, and that their times add up."""
        with open(self.folder / "workers.csv", newline="") as file:
            workers = list(csv.DictReader(file))
        for row in workers:
            times = [microseconds(row[name]) for name in ("asked_s", "ready_s", "start_up_s")]
            require(row["host"] and 0 <= times[0] <= times[1] and times[2] <= times[1] - times[0] or
                    self.history["executor"].startswith(CLUSTERS), self.folder, "has the worker", row)
        total = microseconds(self.history["start_up_s"])
        require(sum(microseconds(row["start_up_s"]) for row in workers) == total, self.folder,
                "workers.csv has other start-ups than history.json:", total)
        require(sum(microseconds(each["start_up_s"]) for each in self.operations) <= total, self.folder,
                "operations have other start-ups than workers")


class Runs:
    """Runs of the program in a folder, each with a record."""

    def __init__(self, program, folder, num_rows):
        self.program, self.folder = program, folder
        subprocess.run([program, "prepare", folder, str(num_rows)], check=True, stdout=subprocess.DEVNULL)

    def command(self, executor, number, prefix=()):
        return [*prefix, self.program, "run", self.folder, f"output{number}",
                f"--tessera-executor={executor}", "--tessera-resume=never",
                f"--tessera-report={self.folder}/report{number}"]

    def record(self, executor, number, prefix=()):
        ended = subprocess.run(self.command(executor, number, prefix), capture_output=True, text=True,
                               timeout=300)
        require(ended.returncode == 0, executor, "failed:", ended.stdout, ended.stderr)
        record = Record(f"{self.folder}/report{number}/1")
        record.check()
        return record


def agree(runs, mpiexec, clusters):
    expected = runs.record("serial", 0)
    require(len(expected.operations) == 4, "found other than four operations")
    require(all(each["done"] == each["tasks"] for each in expected.operations), "tasks are missing")
    sums = [sum(each[name] for each in expected.operations) for name in ("done", "requests")]
    require(sums == expected.planned(), "the run has", sums, "but the plan", expected.planned())
    engines = [("threads:3", ()), ("processes:2", ())]
    if mpiexec:
        engines.append(("mpi", (mpiexec, "-n", "4")))
    engines += [(f"{cluster}:workers=2", ()) for cluster in clusters]
    for number, (executor, prefix) in enumerate(engines, start=1):
        record = runs.record(executor, number, prefix)
        require(record.figures() == expected.figures(), executor, "has", record.figures(), "but serial",
                expected.figures())
        require(record.files == expected.files, executor, "has the files", record.files)
        print(executor, "agrees", flush=True)
    simulated = runs.record("simulated:workers=10,task_time=10ms", len(engines) + 1)
    require([each[:3] for each in simulated.figures()] == [each[:3] for each in expected.figures()],
            "the simulated run has other tasks")
    require(simulated.history["is_simulated"], "the simulated run does not say that it is")
    print("simulated agrees", flush=True)


def kill_once(runs, tool, number, after):
    """Kills the program so many seconds after its record began; tells whether it was still running."""
    process = subprocess.Popen(runs.command("threads:2", number), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    log = pathlib.Path(f"{runs.folder}/report{number}/1/run.tessera-log")
    while not log.exists() and process.poll() is None:
        time.sleep(0.001)
    began = time.monotonic()
    time.sleep(after)
    lifetime = time.monotonic() - began
    process.kill()
    if process.wait() == 0:
        return False
    subprocess.run([tool, "report", str(log.parent)], check=True, stdout=subprocess.DEVNULL)
    record = Record(log.parent)
    record.check()
    for name in ("timeline.html", "timeline.svg", "explain.txt", "workers.csv"):
        require((log.parent / name).stat().st_size > 0, "after a kill there is no", name)
    missing = lifetime - record.history["elapsed_s"]
    require(missing <= 1 + SLACK, f"killed after {lifetime:.3f} s, {missing:.3f} s are missing")
    print(f"killed after {lifetime:.3f} s: {missing:.3f} s are missing", flush=True)
    return True


def kills(runs, tool, count, seed):
    moments = random.Random(seed)
    longest, killed = 3.0, 0
    for number in range(10 * count):
        killed += kill_once(runs, tool, number, moments.uniform(0, longest))
        if killed == count:
            return
        longest *= 0.95  # of a program that ends sooner
    require(False, "the program ended before most kills")


def main():
    program, tool, action, *rest = sys.argv[1:]
    memory = pathlib.Path("/dev/shm")
    clusters = [word for word in rest if word in CLUSTERS]
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() and not clusters else None) as folder:
        # A kill in the second or third second finds blocks of the log: a run takes some seconds.
        runs = Runs(program, folder, 512 if action == "agree" else 2048)
        if action == "agree":
            agree(runs, next((word for word in rest if word not in CLUSTERS), None), clusters)
        else:
            kills(runs, tool, int(rest[0]), int(rest[1]) if len(rest) > 1 else 1)


if __name__ == "__main__":
    main()
