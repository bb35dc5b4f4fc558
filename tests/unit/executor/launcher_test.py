# SPDX-License-Identifier: Apache-2.0
"""Ends of drivers, launchers and their programs. SIGTERM to a driver ends all of them.

usage: launcher_test.py <program> <launcher>
"""

import contextlib
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, LAUNCHER = sys.argv[1:]
LONGEST = 100  # seconds of any wait


def ignore_ends_of_processes():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def processes_in(folder):
    """Returns the processes whose environment names a folder."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "environ").read_bytes():
                found.append(process.name)
        except OSError:
            pass
    return found


class Launcher(unittest.TestCase):
    def start(self, runs, launcher, *arguments, **settings):
        executor = f"launcher:command={launcher},workers=4,directory={runs}"
        driver = subprocess.Popen([PROGRAM, executor, "hang", *arguments], stderr=subprocess.PIPE, text=True, **settings)
        self.addCleanup(self.kill, runs, driver)
        return driver

    def kill(self, runs, driver):
        driver.kill()
        driver.wait()
        driver.stderr.close()
        for process in processes_in(runs):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)

    def wait_for_tasks(self, runs, driver):
        while len(list(runs.glob("*/0/*.progress"))) < 4:
            self.assertIsNone(driver.poll())
            time.sleep(0.02)
        self.assertGreaterEqual(len(processes_in(runs)), 4)

    def end(self, runs, driver):
        driver.send_signal(signal.SIGTERM)
        self.assertEqual(driver.wait(timeout=LONGEST), 130)
        self.assertEqual(processes_in(runs), [])
        self.assertFalse(runs.exists())

    def expect_nothing_left(self, folder, launcher):
        runs = pathlib.Path(folder, "runs")
        driver = self.start(runs, launcher)
        self.wait_for_tasks(runs, driver)
        self.end(runs, driver)

    def test_leaves_nothing_once_the_driver_is_told_to_end(self):
        with tempfile.TemporaryDirectory() as folder:
            self.expect_nothing_left(folder, LAUNCHER)

    def test_is_killed_if_it_ignores_its_end(self):
        with tempfile.TemporaryDirectory() as folder:
            deaf = pathlib.Path(folder, "deaf.sh")
            deaf.write_text(f"#!/bin/sh\ntrap '' TERM\n{LAUNCHER} \"$@\"\n")
            deaf.chmod(0o755)
            self.expect_nothing_left(folder, deaf)

    def test_ends_after_its_programs(self):
        """The shell of the launcher is gone at once, its programs take half a second."""
        with tempfile.TemporaryDirectory() as folder:
            slow = pathlib.Path(folder, "slow.sh")
            slow.write_text('#!/bin/sh\ntrap "kill $!; sleep 0.5; exit 1" TERM\n"$@" &\nwait\n')
            launcher = pathlib.Path(folder, "launcher.sh")
            launcher.write_text(f'#!/bin/sh\nexec {LAUNCHER} {slow} "$@"\n')
            for script in (slow, launcher):
                script.chmod(0o755)
            self.expect_nothing_left(folder, launcher)

    def test_takes_its_programs_along_if_it_is_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            runs = pathlib.Path(folder, "runs")
            driver = self.start(runs, LAUNCHER)
            self.wait_for_tasks(runs, driver)
            started = set(processes_in(runs))
            launcher = os.getpgid(int(next(iter(started))))
            os.kill(launcher, signal.SIGKILL)
            end = time.monotonic() + LONGEST
            while left := started & set(processes_in(runs)):
                self.assertLess(time.monotonic(), end, left)
                time.sleep(0.02)
            self.end(runs, driver)

    def test_ends_the_run_if_it_starts_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            full = pathlib.Path(folder, "full.sh")
            full.write_text("#!/bin/sh\nyes | head -c 128M\necho 'no host is free' >&2\nexit 3\n")
            full.chmod(0o755)
            # The parent of the first program ignores the ends of processes, and so does the second program itself.
            inherits = self.start(f"{folder}/1", full, preexec_fn=ignore_ends_of_processes)
            ignores = self.start(f"{folder}/2", full, "ignore")
            for driver, end in ((inherits, "exited with code 3"), (ignores, "exited")):
                words = driver.communicate(timeout=LONGEST)[1]
                self.assertEqual(driver.returncode, 1)
                self.assertRegex(words, f"has not begun, and its launcher {end}.*; it last printed: no host is free")
        # The drivers have not read the whole output of the launchers.
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 100 << 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
