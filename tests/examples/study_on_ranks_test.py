# SPDX-License-Identifier: Apache-2.0
"""Studies five programs on the first 1, 2 and 4 ranks of one mpirun.

usage: study_on_ranks_test.py <mpiexec> <scaling_studies>
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

MPIEXEC = None
PROGRAM = None


class StudyOnRanks(unittest.TestCase):
    def test_points_of_1_2_and_4_ranks_are_measured_in_one_mpirun(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [MPIEXEC, "-n", "4", PROGRAM, "--engine=mpi", "--workers=1,2,4", "--size=0.05",
                 "--benchmark_filter=(quadratic means|rechunk).*/mpi/", f"--study_out={folder}",
                 "--benchmark_repetitions=2"],
                capture_output=True, text=True, timeout=500)
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            self.assertEqual(ended.stdout.count("strong  mpi"), 6)
            for name in ("quadratic-means", "rechunk"):
                study = json.loads((pathlib.Path(folder) / name / "study.json").read_text())
                points = [(point["scaling"], point["workers"]) for point in study["points"]]
                self.assertEqual(sorted(points),
                                 [(kind, n) for kind in ("strong", "weak") for n in (1, 2, 4)])
                for point in study["points"]:
                    self.assertEqual(len(point["seconds"]), 2)
                    self.assertEqual(point["engine"], "mpi")


if __name__ == "__main__":
    MPIEXEC, PROGRAM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
