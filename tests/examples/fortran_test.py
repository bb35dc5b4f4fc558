# SPDX-License-Identifier: Apache-2.0
"""Runs the Fortran example, and reads the ten steps that it appended with zarr-python.

usage: fortran_test.py <steps>
"""

import subprocess
import sys
import tempfile
import unittest

import numpy
import zarr

PROGRAM = None


class Fortran(unittest.TestCase):
    def test_zarr_python_reads_the_ten_steps(self):
        with tempfile.TemporaryDirectory() as directory:
            store = f"{directory}/run.zarr"
            subprocess.run([PROGRAM, store], check=True, timeout=120)
            stored = zarr.open_group(store, mode="r")
            times = 0.5 * numpy.arange(1, 11)
            y, x = numpy.arange(1, 5), numpy.arange(1, 7)
            expected = times[:, None, None] + 100 * y[None, :, None] + x[None, None, :]
            numpy.testing.assert_array_equal(stored["time"][:], times)
            numpy.testing.assert_array_equal(stored["u"][:], expected)
            self.assertEqual(stored["u"].attrs["_ARRAY_DIMENSIONS"], ["time", "y", "x"])
            self.assertEqual(stored["u"].chunks, (1, 4, 6))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
