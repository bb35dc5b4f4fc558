# SPDX-License-Identifier: Apache-2.0
"""Compares the spectrum of a real wind with that of numpy.fft, and its sum with the wind's energy.

usage: spectrum_test.py <spectrum> <folder of the data>
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import xarray

PROGRAM, DATA = sys.argv[1:]


class Spectrum(unittest.TestCase):
    def test_of_the_wind_is_numpys(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        result = pathlib.Path(directory.name) / "result.zarr"
        group = f"{DATA}/eraint_uv_f4.zarr"
        done = subprocess.run([PROGRAM, group, str(result)], cwd=result.parent,
                              capture_output=True, text=True, timeout=500, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        with xarray.open_zarr(str(result), chunks=None, consolidated=False) as stored:
            spectra = stored.energy.load()
        with xarray.open_zarr(group, chunks=None) as data:
            data = data.astype("f8").load()
        self.assertEqual(spectra.dims, ("month", "level", "wavenumber"))

        area = numpy.cos(numpy.deg2rad(data.latitude.astype("f8")))
        power = 0
        for wind in (data.u, data.v):
            waves = numpy.fft.fft(wind.transpose(..., "longitude").values) / wind.sizes["longitude"]
            power = power + numpy.abs(waves) ** 2 / 2
        length = power.shape[-1]
        # Each wave number with the one that goes the other way.
        number = numpy.minimum(numpy.arange(length), length - numpy.arange(length))
        sums = numpy.stack([power[..., number == k].sum(axis=-1) for k in range(length // 2 + 1)],
                           axis=-1)
        expected = numpy.average(sums, axis=2, weights=area)
        numpy.testing.assert_allclose(spectra, expected, rtol=1e-9, atol=1e-12)

        energy = ((data.u ** 2 + data.v ** 2) / 2).weighted(area).mean(["latitude", "longitude"])
        numpy.testing.assert_allclose(spectra.sum("wavenumber"), energy, rtol=1e-10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
