# SPDX-License-Identifier: Apache-2.0
"""Runs the examples, and opens all that they store with xarray.

usage: xarray_test.py <hello> <quickstart> <slurm> [<mpiexec> <heat_mpi>]
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy
import xarray
import zarr

HELLO, QUICKSTART, SLURM, MPIEXEC, HEAT = (*sys.argv[1:], None, None)[:5]


class Examples(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def run_example(self, *command):
        done = subprocess.run(command, cwd=self.directory, capture_output=True, text=True,
                              timeout=500, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def groups(self):
        """Returns the groups of the directory, after a check that every array is in one."""
        groups = {entry.parent for entry in self.directory.rglob(".zgroup")}
        for entry in self.directory.rglob(".zarray"):
            self.assertIn(entry.parent.parent, groups, f"{entry.parent} is in no group")
        return groups

    def assert_opens(self, expected):
        """Opens the groups, as they are and consolidated, and compares dimensions."""
        groups = self.groups()
        self.assertEqual({str(group.relative_to(self.directory)) for group in groups}, set(expected))
        for group in groups:
            dims = expected[str(group.relative_to(self.directory))]
            for consolidated in (False, True):
                if consolidated:
                    zarr.consolidate_metadata(str(group))
                self.assert_group_opens(group, dims, consolidated)

    def assert_group_opens(self, group, dims, consolidated):
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            for opened in (xarray.open_zarr(str(group), consolidated=consolidated, chunks=None),
                           xarray.open_dataset(str(group), engine="zarr", consolidated=consolidated)):
                with opened:
                    dims_of_arrays = {name: array.dims for name, array in opened.variables.items()}
                    self.assertEqual(dims_of_arrays, dims)
                    for array in opened.variables.values():
                        last = array.isel({name: -1 for name in array.dims[:1]}).values
                        self.assertTrue(numpy.isfinite(last).all())

    def test_hello(self):
        self.run_example(HELLO)
        self.assert_opens({"results.zarr": {"mean": ("mean_dim_0",)}})

    def test_quickstart(self):
        self.run_example(QUICKSTART)
        axes = ("time", "latitude", "longitude")
        self.assert_opens({"quickstart-data": {"u": axes, "v": axes},
                           "quickstart-results/wind.zarr": {"anomaly": axes}})

    def test_quickstart_keeps_the_names_of_the_group_that_it_is_given(self):
        axes = ("day", "level", "y", "x")
        values = numpy.random.default_rng(1).random((6, 2, 4, 5)).astype("f4")
        xarray.Dataset({"u": (axes, values), "v": (axes, values)}).to_zarr(
            str(self.directory / "given.zarr"), consolidated=False)
        self.run_example(QUICKSTART, "given.zarr")
        self.assert_opens({"given.zarr": {"u": axes, "v": axes},
                           "quickstart-results/wind.zarr": {"anomaly": axes}})

    def test_slurm_on_the_cores_of_this_machine(self):
        self.run_example(SLURM, "results.zarr/anomaly")
        self.assert_opens({"results.zarr": {"anomaly": ("anomaly_dim_0", "anomaly_dim_1")}})

    @unittest.skipIf(HEAT is None, "built without MPI")
    def test_heat_mpi(self):
        self.run_example(MPIEXEC, "-n", "2", HEAT, "heat.zarr", "20", "40", "20")
        self.assert_opens({"heat.zarr": {"u": ("time", "y", "x"), "time": ("time",),
                                         "mean": ("time",), "max": ("time",),
                                         "variance": ("time",)}})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
