#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the conformance tests of executors with the launcher on Dask. One cluster serves all of its starts.

usage: dask_conformance_test.py CONFORMANCE_PROGRAM      with an interpreter that has Dask
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

from dask.distributed import LocalCluster

PROGRAM = sys.argv.pop(1) if __name__ == "__main__" else ""
LAUNCHER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "launchers" / "on_dask.py"
FILTER = "--gtest_filter=Executor/launcher4.*"


class Conformance(unittest.TestCase):
    def test_holds_on_dask(self):
        listed = subprocess.run([PROGRAM, FILTER, "--gtest_list_tests"], check=True, capture_output=True, text=True)
        num_tests = len(re.findall(r"(?m)^  \w+", listed.stdout))
        self.assertGreaterEqual(num_tests, 30)
        # Two computations run at once in one of the tests, with several arrays of four copies at once.
        with LocalCluster(n_workers=2, threads_per_worker=12, host="127.0.0.1", dashboard_address=None) as cluster:
            # Each lost copy costs an attempt, as the tests count them.
            settings = {"DASK_SCHEDULER_ADDRESS": cluster.scheduler_address, "DASK_TESSERA__RETRIES": "0",
                        "CONFORMANCE_LAUNCHER": f"{sys.executable} {LAUNCHER}"}
            done = subprocess.run([PROGRAM, FILTER], env=os.environ | settings, capture_output=True, text=True,
                                  check=False)
            copies = cluster.scheduler.task_prefixes["element"].state_counts
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"[  PASSED  ] {num_tests} tests.", done.stdout)
        self.assertGreater(sum(copies.values()), 0)


if __name__ == "__main__":
    unittest.main()
