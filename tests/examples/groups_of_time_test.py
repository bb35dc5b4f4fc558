# SPDX-License-Identifier: Apache-2.0
"""Compares the climatology, the anomaly and the means of decades of real data with xarray's.

usage: groups_of_time_test.py <climatology> <resample> <folder of the data>
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import xarray
import zarr

CLIMATOLOGY, RESAMPLE, DATA = sys.argv[1:]


class GroupsOfTime(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.result = pathlib.Path(directory.name) / "result.zarr"

    def run_example(self, *command):
        done = subprocess.run(command, cwd=self.result.parent, capture_output=True, text=True,
                              timeout=500, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def opened(self, group):
        data = xarray.open_zarr(f"{DATA}/{group}", chunks=None, use_cftime=True)
        self.addCleanup(data.close)
        return data

    def stored(self, name):
        return zarr.open(str(self.result), mode="r")[name][:]

    def test_climatology_and_anomaly_of_the_sea_surface(self):
        self.run_example(CLIMATOLOGY, f"{DATA}/sst_monthly.zarr", "surface_temperature",
                         str(self.result))
        x = self.opened("sst_monthly.zarr").surface_temperature.astype("f8")
        months = x.groupby("time.month")
        numpy.testing.assert_allclose(self.stored("climatology"), months.mean("time"), rtol=1e-6)
        # Temperatures near 300 K of float32 differ by some 1e-5 at least.
        numpy.testing.assert_allclose(self.stored("anomaly"), months - months.mean("time"),
                                      atol=2e-4)
        self.assertGreater(numpy.isnan(self.stored("anomaly")).sum(), 0, "land is missing")

    def test_means_of_decades_in_a_calendar_of_360_days(self):
        self.run_example(RESAMPLE, f"{DATA}/air_temperature_annual.zarr", "air_temperature", "10",
                         str(self.result))
        x = self.opened("air_temperature_annual.zarr").air_temperature.astype("f8")
        expected = x.resample(time="10AS").mean()
        numpy.testing.assert_allclose(self.stored("air_temperature"), expected, rtol=1e-6)
        with xarray.open_zarr(str(self.result), consolidated=False, use_cftime=True) as stored:
            self.assertEqual(list(stored.time.values), list(expected.time.values))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
