# SPDX-License-Identifier: Apache-2.0
"""Runs diffusion_mpi, kills and restarts it, and compares the stored bits with NumPy's.

usage: diffusion_mpi_test.py <mpiexec> <diffusion_mpi>
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy
import zarr

MPIEXEC = None
PROGRAM = None
CELLS = (12, 10, 8)


def solution(num_steps):
    """Returns the field after each second step, by NumPy."""
    u = numpy.arange(960, dtype="float64").reshape(CELLS) ** 2 % 101
    fields = [u]
    for step in range(1, num_steps + 1):
        pairs = [numpy.roll(u, 1, axis) + numpy.roll(u, -1, axis) for axis in range(3)]
        u = u + 0.125 * (((pairs[0] + pairs[1]) + pairs[2]) - 6 * u)
        if step % 2 == 0:
            fields.append(u)
    return numpy.stack(fields)


def kill_ranks(store):
    """Kills the ranks of a program, which outlive mpirun for a moment, and waits for their ends."""
    while True:
        ranks = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().decode().split("\0")
            except OSError:  # it has ended
                continue
            if words[0] == PROGRAM and store in words:
                ranks.append(int(path.parent.name))
        if not ranks:
            return
        for rank in ranks:
            try:
                os.kill(rank, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.05)


class DiffusionMpi(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def start(self, store, *arguments, ranks=4):
        command = [MPIEXEC, "-n", str(ranks), PROGRAM, store, *map(str, arguments)]
        return subprocess.Popen(command, cwd=self.directory, start_new_session=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run_to_the_end(self, store, *arguments, ranks=4):
        program = self.start(store, *arguments, ranks=ranks)
        output, _ = program.communicate(timeout=240)
        self.assertEqual(program.returncode, 0, output)

    def assert_is_right(self, store, num_steps):
        stored = zarr.open_group(str(self.directory / store), mode="r")
        expected = solution(num_steps)
        numpy.testing.assert_allclose(stored["u"][:], expected, rtol=1e-13)
        numpy.testing.assert_allclose(stored["mean"][:], expected.mean(axis=(1, 2, 3)), rtol=1e-13)
        self.assertEqual(stored["time"][:].tolist(), list(range(0, num_steps + 1, 2)))

    def assert_same_bits(self, store, undisturbed, names):
        both = [zarr.open_group(str(self.directory / name), mode="r")
                for name in (store, undisturbed)]
        for name in names:
            self.assertEqual(both[0][name][:].tobytes(), both[1][name][:].tobytes(), name)

    def test_killed_and_restarted_from_an_earlier_step_it_stores_the_same_bits(self):
        self.run_to_the_end("undisturbed.zarr", 20)
        self.assert_is_right("undisturbed.zarr", 20)
        for ranks in (4, 3):
            store = f"{ranks}.zarr"
            program = self.start(store, 100000, ranks=ranks)
            times = self.directory / store / "time" / "0"
            for _ in range(600):  # until the first steps are stored
                if times.exists():
                    break
                time.sleep(0.1)
            os.killpg(program.pid, signal.SIGKILL)
            kill_ranks(store)
            program.communicate()
            self.run_to_the_end(store, 12, 4, ranks=ranks)
            self.run_to_the_end(store, 20, 6, ranks=ranks)
            # Blocks of another shape add up in another order.
            names = ("u", "time", "mean") if ranks == 4 else ("u", "time")
            self.assert_same_bits(store, "undisturbed.zarr", names)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    MPIEXEC = sys.argv.pop()
    unittest.main()
