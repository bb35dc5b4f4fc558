# SPDX-License-Identifier: Apache-2.0
"""Compares principal components with numpy.linalg.svd.

usage: pca_test.py <pca>
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import zarr

PROGRAM = sys.argv[1]


class PrincipalComponents(unittest.TestCase):
    def test_of_many_chunks_are_numpys(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        folder = pathlib.Path(directory.name)
        random = numpy.random.default_rng(4)
        rows, columns, count = 20_011, 12, 3
        # Variances that differ, so that components are told apart, and a mean far from 0.
        x = random.normal(size=(rows, columns)) * 2.0 ** -numpy.arange(columns) @ \
            numpy.linalg.qr(random.normal(size=(columns, columns)))[0] + 5
        zarr.save_array(str(folder / "x"), x, chunks=(500, columns))
        done = subprocess.run([PROGRAM, "x", str(count), "pca", "--tessera-memory=4MB"],
                              cwd=folder, capture_output=True, text=True, timeout=500, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        arrays = {name: zarr.open(str(folder / "pca" / name), mode="r")[:]
                  for name in ("components", "scores", "variance")}
        centred = x - x.mean(axis=0)
        _, s, vh = numpy.linalg.svd(centred, full_matrices=False)
        numpy.testing.assert_allclose(arrays["variance"], s[:count] ** 2 / (rows - 1), rtol=1e-10)
        # Components may point either way.
        signs = numpy.sign((arrays["components"] * vh[:count]).sum(axis=1))
        numpy.testing.assert_allclose(arrays["components"] * signs[:, None], vh[:count], atol=1e-10)
        numpy.testing.assert_allclose(arrays["scores"] * signs, centred @ vh[:count].T, atol=1e-9)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
