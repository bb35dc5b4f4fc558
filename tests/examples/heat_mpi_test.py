# SPDX-License-Identifier: Apache-2.0
"""Runs the program heat_mpi on several ranks and compares the stored field with the solution.

usage: heat_mpi_test.py <mpiexec> <heat_mpi>
"""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy
import zarr

MPIEXEC = None
PROGRAM = None
CELLS = 30
EVERY = 20


def decayed(step):
    """Returns sin(pi x) sin(pi y) after `step` explicit steps, of which it is an eigenvector."""
    width = 1 / (CELLS + 1)
    sine = numpy.sin(numpy.pi * width * numpy.arange(1, CELLS + 1))
    factor = 1 - 8 * 0.2 * numpy.sin(numpy.pi * width / 2) ** 2
    return factor**step * numpy.outer(sine, sine)


def ranks_of(program):
    """Returns the processes that mpirun, a session of its own, has started."""
    pids = [int(entry.name) for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if pid != program.pid and is_in(pid, program.pid)]


def is_in(pid, session):
    """Tells whether a process is one of a session."""
    try:
        return os.getsid(pid) == session
    except ProcessLookupError:
        return False


class HeatMpi(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def start(self, store, steps, ranks=4):
        """Starts the program in a group of processes of its own."""
        command = [MPIEXEC, "-n", str(ranks), PROGRAM, store, str(CELLS), str(steps), str(EVERY)]
        return subprocess.Popen(command, cwd=self.directory.name, start_new_session=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run_to_the_end(self, store, steps, ranks=4):
        program = self.start(store, steps, ranks)
        output, _ = program.communicate(timeout=120)
        self.assertEqual(program.returncode, 0, output)
        return output

    def open(self, store):
        return zarr.open_group(str(pathlib.Path(self.directory.name, store)), mode="r")

    def assert_is_right(self, store, steps):
        stored = self.open(store)
        num_slices = steps // EVERY + 1
        self.assertEqual(stored["u"].shape, (num_slices, CELLS, CELLS))
        width = 1 / (CELLS + 1)
        for number in range(num_slices):
            expected = decayed(number * EVERY)
            numpy.testing.assert_allclose(stored["u"][number], expected, rtol=1e-12, atol=1e-15)
            self.assertAlmostEqual(stored["mean"][number], expected.mean(), delta=1e-14)
            self.assertAlmostEqual(stored["max"][number], expected.max(), delta=1e-14)
            self.assertAlmostEqual(stored["variance"][number], expected.var(), delta=1e-14)
            self.assertAlmostEqual(stored["time"][number], number * EVERY * 0.2 * width**2)

    def test_the_field_decays_as_the_solution_does(self):
        output = self.run_to_the_end("heat.zarr", 100)
        self.assert_is_right("heat.zarr", 100)
        # The explicit scheme is of second order.
        self.assertLess(float(output.split()[-1]), 1 / CELLS**2)

    def test_any_number_of_ranks_computes_the_same(self):
        for ranks in (1, 2, 3):
            self.run_to_the_end(f"{ranks}.zarr", 60, ranks)
            self.assert_is_right(f"{ranks}.zarr", 60)

    def test_it_goes_on_where_it_ended(self):
        self.run_to_the_end("heat.zarr", 60)
        output = self.run_to_the_end("heat.zarr", 100)
        self.assertEqual(output.count("t = "), 2)
        self.assert_is_right("heat.zarr", 100)

    def test_it_says_how_much_was_there(self):
        self.run_to_the_end("heat.zarr", 60)
        self.assertIn("continuing: 4 of 6 slices were there\n",
                      self.run_to_the_end("heat.zarr", 100))

    def test_one_that_is_complete_says_so_and_is_left_as_it_is(self):
        self.run_to_the_end("heat.zarr", 60)
        before = sorted((path, path.stat().st_mtime_ns)
                        for path in pathlib.Path(self.directory.name).rglob("*"))
        for steps, ranks in ((60, 4), (60, 2), (20, 4)):
            self.assertEqual(self.run_to_the_end("heat.zarr", steps, ranks),
                             "heat.zarr is complete: 4 slices; nothing to do\n")
        after = sorted((path, path.stat().st_mtime_ns)
                       for path in pathlib.Path(self.directory.name).rglob("*"))
        self.assertEqual(before, after)

    def test_slices_that_are_otherwise_apart_do_not_go_on(self):
        self.run_to_the_end("heat.zarr", 60)
        command = [MPIEXEC, "-n", "4", PROGRAM, "heat.zarr", str(CELLS), "100", str(EVERY // 2)]
        done = subprocess.run(command, cwd=self.directory.name, capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("are not EVERY steps apart", done.stderr)

    def test_help_tells_how_it_is_called_once(self):
        output = subprocess.run([MPIEXEC, "-n", "2", PROGRAM, "--help"], capture_output=True,
                                text=True, timeout=120, check=True).stdout
        self.assertEqual(output.count("usage: mpirun -n 4 heat_mpi STORE"), 1)
        self.assertEqual(output.count("--tessera-executor=<executor>"), 1)

    def test_another_number_of_ranks_goes_on(self):
        self.run_to_the_end("heat.zarr", 60, 4)
        self.run_to_the_end("heat.zarr", 100, 2)
        self.assert_is_right("heat.zarr", 100)

    def test_it_is_killed_and_started_again_until_it_is_done(self):
        choice = random.Random(4)
        for _ in range(5):
            program = self.start("heat.zarr", 400)
            try:
                program.communicate(timeout=0.3 + choice.random())
            except subprocess.TimeoutExpired:
                os.kill(choice.choice(ranks_of(program) or [program.pid]), signal.SIGKILL)
                program.communicate()  # mpirun ends after the remaining ranks
        self.run_to_the_end("heat.zarr", 400)
        self.assert_is_right("heat.zarr", 400)
        self.run_to_the_end("undisturbed.zarr", 400)
        for name in ("u", "mean", "max", "variance", "time"):
            self.assertEqual(self.open("heat.zarr")[name][:].tobytes(),
                             self.open("undisturbed.zarr")[name][:].tobytes())


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    MPIEXEC = sys.argv.pop()
    unittest.main()
