# SPDX-License-Identifier: Apache-2.0
"""Compares the weighted mean and the anomaly of real data with xarray's, names and all.

usage: names_test.py <names> <folder of the data>
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import xarray

PROGRAM, DATA = sys.argv[1:]


class Names(unittest.TestCase):
    def test_mean_and_anomaly_of_the_air_temperature(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        result = pathlib.Path(directory.name) / "result.zarr"
        group = f"{DATA}/air_temperature_annual.zarr"
        done = subprocess.run([PROGRAM, group, "air_temperature", str(result)],
                              cwd=result.parent, capture_output=True, text=True, timeout=500,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with xarray.open_zarr(group, chunks=None, use_cftime=True) as data:
            x = data.air_temperature.astype("f8").load()
        with xarray.open_zarr(str(result), chunks=None, use_cftime=True,
                              consolidated=False) as stored:
            stored = stored.load()

        area = numpy.cos(numpy.deg2rad(x.latitude.astype("f8")))
        mean = x.weighted(area).mean(["latitude", "longitude"])
        band = x.sel(latitude=slice(30, 50)).weighted(area).mean(["latitude", "longitude"])
        self.assertGreater(abs(mean - band).max(), 1)
        self.assertEqual(stored["mean"].dims, band.dims)
        numpy.testing.assert_allclose(stored["mean"], band, rtol=1e-6)

        section = x.sel(longitude=270, method="nearest")
        anomaly = section - section.mean("time")
        self.assertEqual(stored["anomaly"].dims, anomaly.dims)
        self.assertEqual(set(stored.coords), {"time", "latitude"})
        numpy.testing.assert_array_equal(stored["anomaly"].time, x.time)
        numpy.testing.assert_array_equal(stored["anomaly"].latitude, x.latitude)
        numpy.testing.assert_allclose(stored["anomaly"], anomaly, atol=1e-4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
