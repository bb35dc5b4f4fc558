#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Detaches runs on a system that queues jobs, with all of their folders in a bucket.

usage: bucket_run.py RADOSGW_SCRIPT PROGRAM EXECUTOR

PROGRAM is chaos_program. Its input, its results, its intermediate arrays, the messages of its jobs and the
state of the detached run are in a bucket of radosgw. As root, the program that submits has a temporary
directory that no node sees.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

from chaos import contents_of
from s3 import BUCKET, KEY_ID, SECRET, Bucket, Server, free_ports

SCRIPT, PROGRAM, EXECUTOR = sys.argv[1:]
LONGEST = 300  # seconds of any call
INTERRUPTED = 130
NUM_TASKS = 296
# The directory of the variable becomes a file system of this process alone.
ALONE = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs "$TMPDIR" && exec "$@"', "sh"]


class RunInABucket(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        port = free_ports(2)
        cls.server = Server(SCRIPT, str(cls.folder / "radosgw"), port)
        cls.addClassCleanup(cls.server.close)
        cls.bucket = Bucket(port)
        cls.bucket.request("PUT")
        cls.url = f"s3+http://127.0.0.1:{port}/{BUCKET}"
        cls.environment = dict(os.environ, AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET)
        files = cls.folder / "files"
        files.mkdir()
        cls.run_well("prepare", files)
        cls.run_well("run", files, "result", "--tessera-executor=serial")
        cls.expected = {name: contents_of(str(files / name)) for name in ("result", "result-max")}
        cls.run_well("prepare", f"{cls.url}/data")

    @classmethod
    def run_program(cls, *arguments, before=(), **environment):
        return subprocess.run([*before, PROGRAM, *arguments], capture_output=True, text=True, timeout=LONGEST,
                              cwd=cls.folder, env=cls.environment | environment)

    @classmethod
    def run_well(cls, *arguments):
        ended = cls.run_program(*arguments)
        if ended.returncode != 0:
            raise RuntimeError(f"{arguments}: {ended.stderr[-2000:]}")

    def setUp(self):
        self.state = f"{self.url}/detached/{self.id()}"
        self.addCleanup(self.remove_results)

    def remove_results(self):
        for key in self.bucket.keys("data/result") + self.bucket.keys("detached/"):
            self.bucket.request("DELETE", key)

    def detach(self, **environment):
        directory = self.folder / self.id()
        directory.mkdir()
        detached = self.run_program(
            "run", f"{self.url}/data", "result", f"--tessera-executor={EXECUTOR},directory={self.url}/runs",
            f"--tessera-detach={self.state}", before=ALONE if os.geteuid() == 0 else (), TMPDIR=str(directory),
            **environment)
        self.assertEqual(detached.returncode, 0, detached.stderr)
        self.assertRegex(detached.stdout, "^detached as job [0-9]+ of ")

    def attach(self, action=""):
        return self.run_program("run", f"{self.url}/data", "result", f"--tessera-attach={self.state}{action}")

    def expect_results(self):
        for name, expected in self.expected.items():
            self.assertEqual(self.bucket.contents(f"data/{name}/"), expected)
        self.assertEqual(self.bucket.keys("runs/"), [])
        self.assertEqual(self.bucket.keys("data/work"), [])

    def test_goes_on_without_its_terminal(self):
        self.detach()
        again = self.run_program("run", f"{self.url}/data", "result", f"--tessera-detach={self.state}")
        self.assertEqual(again.returncode, 1)
        self.assertIn("exists; a detached run needs a new folder", again.stderr)
        ended = self.attach()
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, f"^complete on {EXECUTOR.split(':')[0]}")
        self.assertRegex(ended.stdout, rf"all 4 operations .* 100 %  {NUM_TASKS}/{NUM_TASKS} tasks")
        self.assertIn(f"ended with exit code 0; {self.state}/output has the output", ended.stdout)
        self.assertEqual(sorted(self.bucket.contents(f"detached/{self.id()}/")),
                         ["alive", "exit", "job", "output", "status"])
        self.expect_results()

    def test_is_stopped_by_its_url_and_continued(self):
        self.detach(CHAOS_ENDLESS="1")
        end = time.monotonic() + LONGEST
        while f"detached/{self.id()}/status" not in self.bucket.keys("detached/"):
            self.assertLess(time.monotonic(), end)
        shown = self.attach(",show")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertRegex(shown.stdout, r"^running on .*\n0 map\(f, input\)")
        stopped = self.attach(",stop")
        self.assertEqual(stopped.returncode, INTERRUPTED, stopped.stdout + stopped.stderr)
        self.assertRegex(stopped.stdout, "^stopped on ")
        self.assertLess(int(re.search(rf"all 4 operations .* (\d+)/{NUM_TASKS} tasks", stopped.stdout)[1]), NUM_TASKS)
        self.run_well("run", f"{self.url}/data", "result", "--tessera-executor=threads:2")
        self.expect_results()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
