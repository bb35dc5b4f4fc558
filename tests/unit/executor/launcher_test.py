# SPDX-License-Identifier: Apache-2.0
"""SIGTERM to a driver ends its launcher and all programs that the launcher has started.

usage: launcher_test.py <program> <launcher>
"""

import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, LAUNCHER = sys.argv[1:]


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
    def expect_nothing_left(self, folder, launcher):
        runs = pathlib.Path(folder, "runs")
        executor = f"launcher:command={launcher},workers=4,directory={runs}"
        with subprocess.Popen([PROGRAM, executor, "hang"], stderr=subprocess.DEVNULL) as driver:
            while len(list(runs.glob("*/0/*.progress"))) < 4:
                self.assertIsNone(driver.poll())
                time.sleep(0.02)
            self.assertGreaterEqual(len(processes_in(runs)), 4)
            driver.send_signal(signal.SIGTERM)
            self.assertEqual(driver.wait(timeout=30), 130)
        self.assertEqual(processes_in(runs), [])
        self.assertFalse(runs.exists())

    def test_leaves_nothing_once_the_driver_is_told_to_end(self):
        with tempfile.TemporaryDirectory() as folder:
            self.expect_nothing_left(folder, LAUNCHER)

    def test_is_killed_if_it_ignores_its_end(self):
        with tempfile.TemporaryDirectory() as folder:
            deaf = pathlib.Path(folder, "deaf.sh")
            deaf.write_text(f"#!/bin/sh\ntrap '' TERM\n{LAUNCHER} \"$@\"\n")
            deaf.chmod(0o755)
            self.expect_nothing_left(folder, deaf)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
