#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs on a cluster of Dask, with copies that are lost.

usage: dask_test.py CHAOS_PROGRAM WORKER_PROGRAM      with an interpreter that has Dask
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CHAOS_PROGRAM, WORKER_PROGRAM = sys.argv[1:]
LAUNCHER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "launchers" / "on_dask.py"
# The first two starts of the first copy end with 1.
SHIM = """#!/bin/sh
if [ "$TESSERA_INDEX" = 0 ]; then
  echo start >>"$STARTS"
  [ "$(wc -l <"$STARTS")" -gt 2 ] || exit 1
fi
exec "$@"
"""

# The first copy is lost, the second one cannot run there, the rest end well.
UNFIT_SHIM = """#!/bin/sh
echo "copy $TESSERA_INDEX" >&2
case $TESSERA_INDEX in 0) exit 1 ;; 1) exit 78 ;; esac
"""


def field_of(process, name):
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.split()[1]
    return None


def programs(folder):
    """Returns the workers of the launcher's arrays in a folder: process -> parent."""
    found = {}
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            is_worker = process.joinpath("exe").resolve() == pathlib.Path(WORKER_PROGRAM).resolve()
            if is_worker and str(folder).encode() in (process / "environ").read_bytes():
                found[int(process.name)] = int(field_of(process.name, "PPid"))
        except (OSError, TypeError):
            pass
    return found


class Dask(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def executor(self, prefix=""):
        return (f"launcher:command={sys.executable} {LAUNCHER} {prefix},workers=2,max_elements=64,"
                f"directory={self.folder}/runs")

    def test_copies_that_end_with_1_count_one_attempt(self):
        shim = self.folder / "shim.sh"
        shim.write_text(SHIM)
        shim.chmod(0o755)
        starts = self.folder / "starts"
        (self.folder / "data").mkdir()
        subprocess.run([CHAOS_PROGRAM, "prepare", self.folder / "data", f"--tessera-executor={self.executor(shim)}",
                        f"--tessera-report={self.folder}/report"], check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"STARTS": str(starts)})
        self.assertGreaterEqual(len(starts.read_text().split()), 3)
        history = json.loads((self.folder / "report" / "1" / "history.json").read_text())
        self.assertEqual(history["failures"], [])
        self.assertEqual([each["attempts"] for each in history["operations"]], [64])

    def test_a_lost_copy_hides_no_copy_that_cannot_run(self):
        shim = self.folder / "shim.sh"
        for script, code, words in ((UNFIT_SHIM, 78, "copy 1"), (UNFIT_SHIM.replace("78", "0"), 1, "copy 0")):
            shim.write_text(script)
            shim.chmod(0o755)
            ended = subprocess.run([sys.executable, LAUNCHER, shim], capture_output=True, text=True, check=False,
                                   env=os.environ | {"TESSERA_ARRAY_SIZE": "4", "TESSERA_ARRAY_WORKERS": "2",
                                                     "DASK_TESSERA__RETRIES": "0"})
            self.assertEqual(ended.returncode, code, ended.stderr)
            self.assertTrue(ended.stderr.rstrip().endswith(words), ended.stderr)

    def test_a_killed_worker_of_dask_leaves_no_program(self):
        with subprocess.Popen([WORKER_PROGRAM, self.executor(), "hang"], stderr=subprocess.DEVNULL) as driver:
            while len(started := programs(self.folder)) < 2:
                self.assertIsNone(driver.poll())
                time.sleep(0.05)
            process, parent = next(iter(started.items()))
            os.kill(parent, signal.SIGKILL)
            end = time.monotonic() + 2
            while process in programs(self.folder) and time.monotonic() < end:
                time.sleep(0.02)
            self.assertNotIn(process, programs(self.folder))
            driver.send_signal(signal.SIGTERM)
            self.assertEqual(driver.wait(timeout=60), 130)
        self.assertEqual(programs(self.folder), {})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
