# SPDX-License-Identifier: Apache-2.0
"""Asks each example for help, and calls each wrongly.

usage: help_test.py <example>...
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = []


class Help(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def call(self, program, *options):
        return subprocess.run([program, *options], capture_output=True, text=True, timeout=60,
                              check=False, cwd=self.directory.name)

    def test_each_tells_what_it_does_and_takes(self):
        for program in PROGRAMS:
            done = self.call(program, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""), program)
            lines = done.stdout.splitlines()
            self.assertTrue(lines[0].startswith("usage: ") and
                            pathlib.Path(program).name in lines[0], lines[0])
            self.assertGreater(len(lines[2]), 30, "the third line tells what it does")
            for option in ("--tessera-executor=<executor> ", "--tessera-memory=<size> ",
                           "--tessera-work-dir=<folder> ", "--tessera-resume=auto|never|require ",
                           "--tessera-report=<folder> "):
                self.assertIn("\n  " + option, done.stdout)
            self.assertLessEqual(max(map(len, lines)), 120)
            self.assertEqual(list(pathlib.Path(self.directory.name).iterdir()), [])

    def test_each_refuses_a_misspelt_option(self):
        for program in PROGRAMS:
            done = self.call(program, "--tessera-exector=serial")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn('did you mean "--tessera-executor"?', done.stderr)


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
