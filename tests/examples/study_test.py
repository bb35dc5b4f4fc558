# SPDX-License-Identifier: Apache-2.0
"""Studies hello and quickstart with --tessera-study, without a change of their sources, and compares
two studies by the program tessera.

usage: study_test.py <hello> <quickstart> <tessera>
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import zarr

HELLO = None
QUICKSTART = None
TESSERA = None
FILES = ["study.csv", "study.json", "study.jsonl", "study.md", "time.svg", "speed-up.svg",
         "efficiency.svg", "memory.svg"]


def run(*words, folder, code=0):
    """Runs a program and returns its output; it must end with `code`."""
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    assert ended.returncode == code, (ended.returncode, ended.stdout, ended.stderr)
    return ended.stdout + ended.stderr


class Studies(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.directory.name)
        self.addCleanup(self.directory.cleanup)

    def study(self, name="study"):
        return json.loads((self.folder / name / "study.json").read_text())

    def test_hello_is_studied(self):
        text = run(HELLO, "--tessera-study=workers=1,2;repeat=3", folder=self.folder)
        self.assertIn("threads", text)
        study = self.study()
        self.assertEqual([point["workers"] for point in study["points"]], [1, 2])
        for point in study["points"]:
            self.assertEqual(len(point["seconds"]), 3)
            self.assertGreater(min(point["seconds"]), 0)
            self.assertGreater(point["tasks"], 0)
        self.assertGreaterEqual(len(study["context"]), 18)
        for name in FILES:
            self.assertTrue((self.folder / "study" / name).is_file(), name)
        lines = (self.folder / "study" / "study.csv").read_text().splitlines()
        self.assertEqual(len([line for line in lines if not line.startswith("#")]), 1 + 6)

    def test_times_are_those_of_the_records(self):
        run(HELLO, "--tessera-study=workers=1;repeat=1", folder=self.folder)
        [point] = self.study()["points"]
        records = sorted((self.folder / "study" / "runs" / "1").glob("*/history.csv"))
        self.assertEqual(len(records), 2)  # hello computes twice
        ends = [float(json.loads((record.parent / "history.json").read_text())["elapsed_s"])
                for record in records]
        self.assertAlmostEqual(sum(ends), point["seconds"][0], places=4)

    def test_processes_are_studied(self):
        run(HELLO, "--tessera-study=workers=2;repeat=1;engine=processes", folder=self.folder)
        [point] = self.study()["points"]
        self.assertEqual(point["engine"], "processes")

    def test_quickstart_is_studied(self):
        group = zarr.open_group(str(self.folder / "wind.zarr"), mode="w")
        values = numpy.random.default_rng(1).normal(size=(40, 20, 30)).astype("f4")
        for name in ("u", "v"):
            array = group.zeros(name=name, shape=values.shape, chunks=(10, 20, 30), dtype="f4")
            array[...] = values
        run(QUICKSTART, "wind.zarr", "--tessera-study=workers=1,2;repeat=2;out=scaling",
            folder=self.folder)
        study = self.study("scaling")
        self.assertEqual([len(point["seconds"]) for point in study["points"]], [2, 2])
        self.assertIn("...", study["context"]["command"])
        self.assertNotIn("wind.zarr", json.dumps(study))

    def test_a_program_that_computes_values_says_that_it_cannot_be_simulated(self):
        text = run(HELLO, "--tessera-study=workers=1;repeat=1;simulated=100", folder=self.folder)
        self.assertIn("not simulated on 100 workers: ", text)
        self.assertEqual(len(self.study()["points"]), 1)

    def test_a_program_that_fails_ends_the_study(self):
        text = run(QUICKSTART, "missing.zarr", "--tessera-study=workers=1;repeat=1",
                   folder=self.folder, code=1)
        self.assertIn("ended with exit code 1", text)
        self.assertIn("missing.zarr", text)

    def test_two_studies_are_compared(self):
        for name in ("a", "b"):
            run(HELLO, f"--tessera-study=workers=1,2;repeat=2;out={name}", folder=self.folder)
        text = run(TESSERA, "study", "a", "b/study.json", folder=self.folder)
        self.assertIn("second / first", text)
        self.assertEqual(len([line for line in text.splitlines() if line.startswith("strong")]), 2)
        (self.folder / "a" / "study.md").unlink()
        self.assertIn("efficiency", run(TESSERA, "study", "a", folder=self.folder))
        self.assertTrue((self.folder / "a" / "study.md").is_file())
        run(TESSERA, "study", "missing", folder=self.folder, code=1)


if __name__ == "__main__":
    HELLO, QUICKSTART, TESSERA = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
