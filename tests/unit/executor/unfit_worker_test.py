# SPDX-License-Identifier: Apache-2.0
"""Programs that cannot run on a host say why, and end with the exit code 78: those for a processor with
more features, which QEMU emulates without them, and those of another build than the driver.

usage: unfit_worker_test.py <program> <another build of it> <the program for AVX-512> [<mpirun>...]
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, OTHER_BUILD, FOR_AVX512, *MPIRUN = sys.argv[1:]
NEHALEM = ["qemu-x86_64-static", "-cpu", "Nehalem"]


def run(command, **variables):
    """Runs a command with more environment variables."""
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=60)


class UnfitWorker(unittest.TestCase):
    def test_names_what_the_processor_lacks_in_every_role(self):
        for role in ("zygote:3:", "array:SLURM_ARRAY_TASK_ID:/nowhere/0", "nobody:"):
            ended = run([*NEHALEM, FOR_AVX512], TESSERA_WORKER=role)
            self.assertEqual(ended.returncode, 78, role)
            self.assertRegex(ended.stderr, "built for a processor with .*avx512f.*, which this host lacks")
            self.assertNotIn("sse4.2", ended.stderr)

    def test_runs_on_the_processor_it_was_built_for(self):
        self.assertEqual(run([PROGRAM, "serial"]).stdout, "serial in build 1\n")

    def test_says_that_it_finds_no_folder(self):
        ended = run([PROGRAM], TESSERA_WORKER="array:INDEX:/nowhere/0")
        self.assertEqual(ended.returncode, 78)
        self.assertIn("cannot read '/nowhere/build'", ended.stderr)

    def test_says_that_the_driver_is_another_build(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "build").write_text("0123")
            ended = run([PROGRAM], TESSERA_WORKER=f"array:INDEX:{folder}/0")
        self.assertEqual(ended.returncode, 78)
        notes = subprocess.run(["readelf", "-n", PROGRAM], capture_output=True, text=True, check=True).stdout
        build = notes.split("Build ID: ")[1].split()[0]
        self.assertIn(f"another build ({build}", ended.stderr)
        self.assertIn("the program that started the run (0123)", ended.stderr)


@unittest.skipUnless(MPIRUN, "this build has no MPI")
class UnfitRank(unittest.TestCase):
    def test_names_what_the_processor_lacks(self):
        ended = run([*MPIRUN, "1", PROGRAM, "mpi", ":", "-n", "1", *NEHALEM, FOR_AVX512, "mpi"])
        self.assertEqual(ended.returncode, 78)
        self.assertRegex(ended.stderr, "avx512f.*, which this host lacks")

    def test_says_that_the_first_rank_is_another_build(self):
        ended = run([*MPIRUN, "1", PROGRAM, "mpi", ":", "-n", "1", OTHER_BUILD, "mpi"])
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("mpi: rank 1 is another build of this program than rank 0", ended.stderr)
        self.assertEqual(ended.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
