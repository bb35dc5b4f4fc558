#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Detaches runs of a program, ends their terminal, attaches to them, and stops them.

usage: detached.py PROGRAM EXECUTOR

PROGRAM is chaos_program. The driver of a run is a job if EXECUTOR queues jobs, and else a process.
"""
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, EXECUTOR = sys.argv[1:]
HAS_JOBS = EXECUTOR.startswith(("slurm", "grid_engine"))
LONGEST = 300  # seconds of any call
INTERRUPTED = 130


def ignore_ends_of_processes():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def contents_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def child_of(process):
    """Returns the child of a process; None while there is none."""
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            if f"\nPPid:\t{process}\n" in status.read_text():
                return int(status.parent.name)
        except OSError:
            pass
    return None


def has_pending_signal(process, number):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"^ShdPnd:\s*(\w+)", status, re.MULTILINE)[1], 16) >> (number - 1) & 1


def wait_until(condition):
    end = time.monotonic() + LONGEST
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError("the condition does not come true")
        time.sleep(0.01)
    return value


class DetachedRun(unittest.TestCase):
    def setUp(self):
        # Not in memory: all nodes see it.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.state = self.folder / "runs" / "first"
        subprocess.run([PROGRAM, "prepare", self.folder], check=True, stdout=subprocess.DEVNULL)

    def run_program(self, output, *options, **settings):
        return subprocess.run([PROGRAM, "run", self.folder, output, *options], capture_output=True,
                              text=True, timeout=LONGEST, cwd=self.folder, **settings)

    def attach(self, action=""):
        return self.run_program("output", f"--tessera-attach={self.state}{action}")

    def detach(self, **environment):
        return self.run_program("output", f"--tessera-executor={EXECUTOR}", f"--tessera-detach={self.state}",
                                start_new_session=True, preexec_fn=ignore_ends_of_processes,
                                env=os.environ | environment)

    def expect_serial_result(self):
        self.assertEqual(self.run_program("serial", "--tessera-executor=serial").returncode, 0)
        for name in ("", "-max"):
            self.assertEqual(contents_of(self.folder / f"output{name}"),
                             contents_of(self.folder / f"serial{name}"))

    def test_outlives_its_terminal(self):
        detached = self.detach()
        self.assertEqual(detached.returncode, 0, detached.stderr)
        place = "job [0-9]+ of " if HAS_JOBS else "process [0-9]+ on "
        self.assertRegex(detached.stdout, f"^detached as {place}")
        # The session of the call, and its terminal, are gone.
        ended = self.attach()
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, f"^complete on {EXECUTOR.split(':')[0]}")
        self.assertRegex(ended.stdout, r"all 4 operations .* 100 %  352/352 tasks")
        self.assertIn("ended with exit code 0", ended.stdout)
        self.expect_serial_result()

    def test_is_stopped_and_continued(self):
        # Jobs are ended with their tasks. Another driver waits with its short tasks for the wish to stop.
        self.assertEqual(self.detach(**({"CHAOS_ENDLESS": "1"} if HAS_JOBS else {})).returncode, 0)
        wait_until((self.state / "status").exists)
        driver = None if HAS_JOBS else child_of(int((self.state / "alive").read_text().split()[0]))
        if driver:
            os.kill(driver, signal.SIGSTOP)
        shown = self.attach(",show")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertRegex(shown.stdout, r"^running on .*\n0 map\(f, input\)")
        with concurrent.futures.ThreadPoolExecutor(1) as beside:
            stopping = beside.submit(self.attach, ",stop")
            if driver:
                wait_until((self.state / "stop").exists)
                wait_until(lambda: has_pending_signal(driver, signal.SIGTERM))
                os.kill(driver, signal.SIGCONT)
            stopped = stopping.result()
        self.assertEqual(stopped.returncode, INTERRUPTED, stopped.stdout + stopped.stderr)
        self.assertRegex(stopped.stdout, "^stopped on ")
        num_done = int(re.search(r"all 4 operations .* (\d+)/352 tasks", stopped.stdout)[1])
        self.assertLess(num_done, 352)
        continued = self.run_program("output", "--tessera-executor=threads:2")
        self.assertEqual(continued.returncode, 0, continued.stderr)
        self.expect_serial_result()

    def test_refuses_a_folder_that_exists_or_does_not(self):
        absent = self.attach()
        self.assertEqual(absent.returncode, 1)
        self.assertIn("there is no detached run in", absent.stderr)
        self.state.mkdir(parents=True)
        present = self.detach()
        self.assertEqual(present.returncode, 1)
        self.assertIn("a detached run needs a new folder", present.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
