# SPDX-License-Identifier: Apache-2.0
"""Studies a program on one and two workers of Slurm.

usage: study_on_slurm_test.py <the program slurm>
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None


class StudyOnSlurm(unittest.TestCase):
    def test_points_of_1_and_2_workers_are_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [PROGRAM, "anomaly.zarr",
                 "--tessera-study=workers=1,2;repeat=2;engine=slurm:workers={workers},time=00:05:00"],
                cwd=folder, capture_output=True, text=True, timeout=500)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            study = json.loads((pathlib.Path(folder) / "study" / "study.json").read_text())
            self.assertEqual([(point["engine"], point["workers"]) for point in study["points"]],
                             [("slurm", 1), ("slurm", 2)])
            for point in study["points"]:
                self.assertEqual(len(point["seconds"]), 2)
                self.assertGreater(point["tasks"], 0)


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
