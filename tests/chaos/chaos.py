#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a program at random instants and starts it again until it is done.

usage: chaos.py [--kills N] [--seed N] [--victim program|descendant|node] [--cluster SCRIPT,DIRECTORY]
                [--backups] PROGRAM [PREFIX... --] [OPTION...]

Each kill is followed by a snapshot of the chunks that are finished. At the end of each round the
result must equal that of the serial executor byte for byte, and no chunk of a snapshot may have been
written again since: a chunk that is computed again gets a new inode by the rename that ends a write.
With backups, processes of the program also stand still for a while, so that second copies of tasks
run, and the slow one may still end: a chunk may be written again, but then with the same bytes, and
is whole whenever it is looked at, while the program runs as well.
A node is one of a Slurm that cluster.sh runs, which comes back at once.
PREFIX starts the program (mpirun and its options), OPTION is its argument (the executor).
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

LONGEST = 300.0  # seconds that any one start of the program may take
PATIENCE = 10.0  # seconds that a launcher may take to notice that its program has ended
MOST_ROUNDS = 300  # within which a backup is started
MEMORY = "/dev/shm"  # files cost little there, and one that replaces another has a new inode


def is_chunk(name):
    return not (name.startswith(".") or name.endswith(".partial") or not name[0].isdigit())


def chunks_below(root):
    """Returns path -> (inode, time of change) of each finished chunk."""
    states = {}
    for folder, _, files in os.walk(root):
        for name in files:
            if not is_chunk(name):
                continue
            path = os.path.join(folder, name)
            try:
                state = os.stat(path)
            except FileNotFoundError:
                continue
            states[path] = (state.st_ino, state.st_mtime_ns)
    return states


def bytes_below(root):
    """Returns path -> bytes of each finished chunk; some may be removed meanwhile."""
    contents = {}
    for folder, _, files in os.walk(root):
        for path in (os.path.join(folder, name) for name in files if is_chunk(name)):
            try:
                with open(path, "rb") as file:
                    contents[path] = file.read()
            except FileNotFoundError:
                continue
    return contents


def contents_of(root):
    """Returns path -> bytes of all files of a Zarr array."""
    files = {}
    for folder, _, names in os.walk(root):
        for name in names:
            # What killed writers left beside their chunks is no part of the array.
            if name.endswith(".partial"):
                continue
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, root)] = file.read()
    return files


def parents():
    """Returns process -> parent, of all processes that have not ended."""
    table = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            table[int(entry)] = int(fields[1])
    return table


def descendants(of):
    table = parents()
    processes = []
    level = [of]
    while level:
        level = [child for child, parent in table.items() if parent in level]
        processes += level
    return processes


def session_members(session):
    members = []
    for process in parents():
        try:
            if os.getsid(process) == session:
                members.append(process)
        except OSError:
            pass
    return members


class Chaos:
    def __init__(self, arguments, directory):
        self.arguments = arguments
        self.directory = directory
        self.random = random.Random(arguments.seed)
        self.duration = 1.0
        self.num_kills = 0
        self.num_rounds = 0
        self.num_idle_launchers = 0
        self.num_stalls = 0
        self.num_backups = 0
        self.stalled = None

    def start(self, output, options, prefix=()):
        self.log = open(os.path.join(self.directory, "log"), "wb")
        backups = ["backups"] if self.arguments.backups else []
        return subprocess.Popen(
            [*prefix, self.arguments.program, "run", self.directory, output, *backups, *options],
            stdout=self.log, stderr=self.log, start_new_session=True)

    def fail(self, words):
        self.log.flush()
        with open(self.log.name, encoding="utf-8", errors="replace") as file:
            sys.stderr.write(file.read()[-4000:])
        sys.exit(f"seed {self.arguments.seed}, kill {self.num_kills}: {words}")

    def wait_until_gone(self, process):
        """Waits until nothing of the program is left: survivors may still write."""
        if self.arguments.prefix:
            self.end_idle_launcher(process)
        process.wait(LONGEST)
        end = time.monotonic() + LONGEST
        while session_members(process.pid):
            if time.monotonic() > end:
                self.fail("some process of it has not ended")
            time.sleep(0.002)
        if self.arguments.cluster and process.returncode != 0:
            self.cancel_jobs()

    def cancel_jobs(self):
        """Ends what the program left on the cluster; the program would do that when it is started
        again, but what still runs then may write a chunk a second time, which is harmless and not
        what is counted here."""
        subprocess.run(["scancel", f"--user={os.getuid()}"], check=True)
        end = time.monotonic() + LONGEST
        while subprocess.run(["squeue", "--noheader"], capture_output=True, check=True).stdout:
            if time.monotonic() > end:
                self.fail("jobs that were cancelled have not ended")
            time.sleep(0.05)

    def end_idle_launcher(self, process):
        """Ends mpirun where it has not noticed that all that it started are gone, as it happens when
        a rank is killed while it starts; a user would press Ctrl-C."""
        idle_since = None
        while process.poll() is None:
            if descendants(process.pid):
                idle_since = None
            elif idle_since is None:
                idle_since = time.monotonic()
            elif time.monotonic() > idle_since + PATIENCE:
                process.kill()
                self.num_idle_launchers += 1
            time.sleep(0.01)

    def reference(self):
        process = self.start("expected", ["--tessera-executor=serial"])
        if process.wait(LONGEST) != 0:
            self.fail("the serial run failed")

    def may_strike(self):
        return self.num_kills < self.arguments.kills

    def lacks_backups(self):
        return self.arguments.backups and self.num_backups == 0

    def snapshot(self):
        return bytes_below(self.directory) if self.arguments.backups else chunks_below(self.directory)

    def stall(self, process):
        """Makes a process that the program has started stand still, so that its task is late."""
        try:
            process.wait(self.random.uniform(0, self.duration / 2))
            return
        except subprocess.TimeoutExpired:
            pass
        candidates = sorted(descendants(process.pid))
        if not candidates:
            return
        self.stalled = self.random.choice(candidates)
        self.signal_stalled(signal.SIGSTOP)
        self.num_stalls += 1
        time.sleep(self.random.uniform(0.1, 0.5))
        # Otherwise it goes on when something has been killed.
        if self.random.random() < 0.5:
            self.go_on()

    def signal_stalled(self, number):
        try:
            os.kill(self.stalled, number)
        except ProcessLookupError:
            pass

    def go_on(self):
        if self.stalled is not None:
            self.signal_stalled(signal.SIGCONT)
        self.stalled = None

    def strike(self, process, within):
        """Kills at a random instant of the next `within` seconds; tells whether anything was killed
        before the end."""
        try:
            process.wait(self.random.uniform(0, within))
            return False
        except subprocess.TimeoutExpired:
            pass
        if self.arguments.victim == "node":
            self.strike_node()
            return True
        victim = process.pid
        if self.arguments.victim == "descendant":
            candidates = descendants(process.pid)
            if not candidates:
                return False
            victim = self.random.choice(sorted(candidates))
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return False
        self.num_kills += 1
        return True

    def strike_node(self):
        script, cluster = self.arguments.cluster.split(",")
        node = str(self.random.randint(1, 4))
        for action in ("kill-node", "start-node"):
            subprocess.run([script, action, cluster, node], check=True)
        self.num_kills += 1

    def is_done(self):
        """Tells whether the program had done its work when it was killed: nothing is left to do but
        to end. The directory of a result exists before the run begins: the claim lies in it."""
        work = os.path.join(self.directory, "work")
        results = [os.path.join(self.directory, "result" + name) for name in ("", "-max")]
        return (all(os.path.exists(os.path.join(result, ".zarray")) and
                    not os.path.exists(os.path.join(result, ".tessera-run"))
                    for result in results)
                and not (os.path.exists(work) and os.listdir(work)))

    def play_round(self):
        """Starts, kills and starts again until the program ends well; then looks at its result."""
        snapshots = []
        while True:
            process = self.start("result", self.arguments.options, self.arguments.prefix)
            if self.arguments.backups:
                self.stall(process)
                snapshots.append(self.snapshot())
            is_struck = self.may_strike() and self.strike(process, self.duration)
            self.go_on()
            # What loses a worker goes on, and may soon lose another one.
            while is_struck and self.may_strike() and self.strike(process, self.duration / 4):
                pass
            self.wait_until_gone(process)
            self.count_backups()
            if process.returncode == 0 or is_struck and self.is_done():
                break
            if not is_struck:
                self.fail(f"it ended with code {process.returncode} without being killed")
            snapshots.append(self.snapshot())
        self.check(snapshots)
        self.num_rounds += 1

    def count_backups(self):
        with open(self.log.name, "rb") as file:
            self.num_backups += file.read().count(b"a backup was started")

    def check(self, snapshots):
        at_the_end = self.snapshot()
        for earlier, later in zip(snapshots, [*snapshots[1:], at_the_end]):
            for path, state in earlier.items():
                if path in later and later[path] != state:
                    self.fail(f"{path} was finished and has been " +
                              ("changed" if self.arguments.backups else "computed again"))
        for name in ("", "-max"):
            expected = contents_of(os.path.join(self.directory, "expected" + name))
            result = contents_of(os.path.join(self.directory, "result" + name))
            if expected != result:
                different = sorted(key for key in expected.keys() | result.keys()
                                   if expected.get(key) != result.get(key))
                self.fail(f"result{name} differs from that of the serial run in {different[:5]}")
        work = os.path.join(self.directory, "work")
        if os.path.exists(work) and os.listdir(work):
            self.fail(f"the work directory still holds {os.listdir(work)}")

    def remove_result(self):
        for name in ("result", "result-max", "work"):
            shutil.rmtree(os.path.join(self.directory, name), ignore_errors=True)

    def rehearse(self):
        """Runs once without a kill, to learn how long that takes."""
        begin = time.monotonic()
        process = self.start("result", self.arguments.options, self.arguments.prefix)
        if process.wait(LONGEST) != 0:
            self.fail("it failed without being killed")
        self.duration = time.monotonic() - begin
        self.check([])

    def play(self):
        subprocess.run([self.arguments.program, "prepare", self.directory], check=True)
        self.reference()
        self.rehearse()
        # A process that stands still holds no task at times: rounds without kills may follow.
        while self.may_strike() or self.lacks_backups() and self.num_rounds < MOST_ROUNDS:
            self.remove_result()
            self.play_round()
        print(f"{self.num_kills} kills in {self.num_rounds} rounds, seed {self.arguments.seed}; "
              f"{self.num_idle_launchers} times what started the program had to be ended too; "
              f"{self.num_stalls} processes stood still, {self.num_backups} backups")
        if self.lacks_backups():
            self.fail("no backup was started")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--victim", choices=["program", "descendant", "node"], default="program")
    parser.add_argument("--cluster")
    parser.add_argument("--backups", action="store_true")
    parser.add_argument("program")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    cut = arguments.rest.index("--") if "--" in arguments.rest else -1
    arguments.prefix = arguments.rest[:cut] if cut >= 0 else []
    arguments.options = arguments.rest[cut + 1:]
    where = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="tessera-chaos-", dir=where) as directory:
        Chaos(arguments, directory).play()


if __name__ == "__main__":
    main()
