# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of the gallery, and compares their results with those of NumPy from the same data.

usage: gallery_test.py <folder of the programs>
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import zarr

PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCES = pathlib.Path(__file__).resolve().parents[2] / "examples/gallery"


class Gallery(unittest.TestCase):
    def run_program(self, name, *options):
        """Runs a program in an empty folder; returns its output."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        done = subprocess.run([PROGRAMS / name, *options], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def read(self, path):
        return zarr.open(str(self.folder / path), mode="r")[...]

    def data(self, name):
        return self.read(f"data.zarr/{name}")

    def expect(self, name, wanted, rtol=1e-9, atol=1e-9):
        """Compares the result of this name."""
        np.testing.assert_allclose(self.read(f"results.zarr/{name}"), wanted, rtol=rtol, atol=atol)

    def test_climate(self):
        self.run_program("climate")
        t = self.data("t")
        climatology = t.reshape(10, 12, 18, 36).mean(axis=0)
        self.expect("climatology", climatology)
        anomaly = t - np.tile(climatology, (10, 1, 1))
        self.expect("anomaly", anomaly.mean(axis=(1, 2)))
        slope = np.polyfit(np.arange(120), anomaly.reshape(120, -1), 1)[0].reshape(18, 36)
        self.expect("warming", 120 * slope, atol=1e-8)

    def test_ocean(self):
        self.run_program("ocean")
        t = self.data("temperature")
        depths = np.where(np.isnan(t[0]), np.nan, 5.0 * np.argmax(t < t[0] - 0.5, axis=0))
        self.assertGreater(np.isnan(depths).sum(), 0)
        self.expect("mixed_layer", depths)
        self.expect("zonal_mean", np.nanmean(depths, axis=1))
        self.expect("profile", np.nanmean(t, axis=(1, 2)))

    def test_microscopy(self):
        self.run_program("microscopy")
        stack = self.data("stack")
        offsets = np.arange(-32, 33)
        weights = np.exp(-offsets**2 / (2 * 8.0**2))
        weights /= weights.sum()
        smooth = stack
        for axis in (1, 2):
            padded = np.pad(smooth, [(32, 32) if k == axis else (0, 0) for k in range(3)], "symmetric")
            smooth = sum(w * np.take(padded, np.arange(stack.shape[axis]) + i, axis=axis)
                         for i, w in enumerate(weights))
        self.expect("projection", (stack - smooth).max(axis=0))
        self.expect("covered", (stack - smooth > 15).mean(axis=(1, 2)))

    def test_images(self):
        self.run_program("images")
        luminance = self.data("image").astype(float) @ np.array([0.2126, 0.7152, 0.0722])
        self.expect("luminance", luminance)
        self.expect("edges", np.hypot(*np.gradient(luminance)))
        self.expect("tones", np.histogram(luminance, 16, (0, 256))[0])

    def test_statistics(self):
        self.run_program("statistics")
        x = self.data("readings")
        centred = x - x.mean(axis=1, keepdims=True)
        self.expect("mean", x.mean(axis=1))
        self.expect("stddev", x.std(axis=1))
        self.expect("skew", (centred**3).mean(axis=1) / x.std(axis=1)**3, atol=1e-8)
        self.expect("max", x.max(axis=1))
        self.expect("median", np.median(x, axis=1))
        self.expect("correlation", np.corrcoef(x))

    def test_least_squares(self):
        self.run_program("least_squares")
        a = np.linspace(-1, 1, 100_000)[:, None] ** np.arange(4)
        x, _, _, singular = np.linalg.lstsq(a, self.data("y"), rcond=None)
        self.expect("coefficients", x)
        self.expect("singular_values", singular)
        np.testing.assert_allclose(x, [1, 2, 0, -3], atol=0.01)  # the noise is 0.1 / sqrt(100,000)

    def test_tones(self):
        printed = self.run_program("tones")
        windows = self.data("signal").reshape(64, 1024) * np.sin(np.arange(1024) * np.pi / 1024)**2
        self.expect("power", (np.abs(np.fft.rfft(windows, axis=1))**2).mean(axis=0))
        self.assertIn("[ 49  50  51 119 120 121 299 300 301]", printed)

    def test_genetics(self):
        self.run_program("genetics")
        g = self.data("genotypes").astype(float)
        p = g.mean(axis=0) / 2
        self.expect("frequency", p)
        self.expect("excess", (g == 1).mean(axis=0) - 2 * p * (1 - p))
        z = (g - 2 * p) / np.sqrt(2 * p * (1 - p))
        wanted = np.linalg.eigh(z @ z.T / 2000)[1][:, -1]
        component = self.read("results.zarr/component")
        self.expect("component", wanted * np.sign(wanted @ component), atol=1e-8)
        self.assertEqual(len(np.unique(component[:200] > 0)), 1)  # one population on either side
        self.assertEqual(len(np.unique(component[200:] > 0)), 1)

    def test_finance(self):
        self.run_program("finance")
        prices = self.data("prices")
        returns = np.diff(np.log(prices), axis=0)
        self.expect("covariance", 252 * np.cov(returns.T))
        windows = np.lib.stride_tricks.sliding_window_view(returns, 21, axis=0)
        self.expect("volatility", windows.std(axis=-1))
        self.expect("drawdown", (prices / np.maximum.accumulate(prices)).min(axis=0) - 1)

    def test_neighbours(self):
        self.run_program("neighbours")
        apart = self.data("queries")[:, None, :] - self.data("points")[None, :, :]
        self.expect("nearest", np.argsort((apart**2).sum(axis=2), axis=1)[:, :3])

    def test_in_situ(self):
        self.run_program("in_situ")
        heat = np.exp(-np.linspace(-8, 8, 256)**2)
        steps = []
        for _ in range(20):
            for _ in range(10):
                heat[1:-1] += 0.25 * (heat[:-2] - 2 * heat[1:-1] + heat[2:])
            steps.append(heat.copy())
        self.expect("heat", steps)
        self.expect("greatest", np.max(steps, axis=1))
        self.expect("time", 2.5 * np.arange(1, 21))

    def test_rechunking(self):
        self.run_program("rechunking")
        self.expect("series", self.data("maps"), rtol=0, atol=0)
        self.assertEqual(zarr.open(str(self.folder / "results.zarr/series"), mode="r").chunks, (64, 30, 30))

    def test_pyramids(self):
        self.run_program("pyramids")
        image = self.data("level0")
        for level in (1, 2, 3):
            n = 512 >> level
            self.expect(f"level{level}", image.reshape(n, 512 // n, n, 512 // n).mean(axis=(1, 3)))

    def test_simulated_cluster(self):
        self.run_program("simulated_cluster")
        seconds = self.read("results.zarr/seconds")
        size = 10_000 * 987 * 1_920 * 4  # bytes of u, which is generated, and of the anomaly
        self.assertTrue((np.diff(seconds) < 0).all())
        self.assertGreater(seconds[0], size / 200e6)
        self.assertGreater(seconds[-1], size / 200e6 / 1_000)

    def test_quadratic_means(self):
        self.run_program("quadratic_means", "--tessera-executor=threads:2")
        drawn = (self.folder / "plan.svg").read_text()
        self.assertEqual(drawn, (SOURCES / "quadratic_means.svg").read_text(), "the picture of the README is old")
        u, v = self.data("u").astype(float), self.data("v").astype(float)
        for name, product in (("uu", u * u), ("vv", v * v), ("uv", u * v)):
            self.expect(name, product.mean(axis=0), rtol=1e-4, atol=1e-4)

    def test_gaps(self):
        self.run_program("gaps")
        x = self.data("sensor")
        there = ~np.isnan(x)
        self.expect("summary", [np.nanmean(x), np.nanstd(x), there.sum()])
        last = np.maximum.accumulate(np.where(there, np.arange(x.size), 0))
        self.expect("filled", x[last])
        self.expect("daily_maximum", np.nanmax(x.reshape(365, 24), axis=1))

    def test_stencil(self):
        self.run_program("stencil")
        cells = self.data("cells").astype(int)
        for _ in range(4):
            around = sum(np.roll(cells, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - cells
            cells = ((around == 3) | ((around == 2) & (cells == 1))).astype(int)
        self.expect("cells", cells)
        self.assertGreater(cells.sum(), 0)

    def test_survey(self):
        self.run_program("survey")
        region, income = self.data("region"), self.data("income")
        self.expect("people", np.bincount(region, minlength=5))
        self.expect("mean", [income[region == k].mean() for k in range(5)])
        self.expect("deciles", np.quantile(income, [0.1, 0.5, 0.9]))

    def test_monte_carlo(self):
        self.run_program("monte_carlo")
        price, error = self.read("results.zarr/price")
        self.assertLess(abs(price - 10.450584), 5 * error)  # Black and Scholes
        self.assertAlmostEqual(error, 14.7 / 2_000, delta=1e-4)

    def test_own_fold(self):
        self.run_program("own_fold")
        self.expect("log_sum", np.logaddexp.reduce(self.data("scores"), axis=1))

    def test_labels(self):
        self.run_program("labels")
        t, latitude = self.data("t"), self.data("latitude")
        zonal = t.mean(axis=2)
        self.expect("mean", np.average(zonal, axis=1, weights=np.cos(np.deg2rad(latitude))))
        self.expect("anomaly", zonal - zonal.mean(axis=0))
        self.expect("north", zonal[:, (latitude >= 30) & (latitude <= 60)].mean(axis=0))

    def test_too_little_memory(self):
        printed = self.run_program("too_little_memory")
        self.assertRegex(printed.split("\n\n")[0], "(?s)^refused: .*memory.* 4.0 MB")
        self.expect("greatest", self.data("small").max(axis=0))
        self.assertEqual(zarr.open(str(self.folder / "data.zarr/large"), mode="r").chunks, (1000, 1000))

    def test_every_program_has_a_test(self):
        programs = {path.name for path in PROGRAMS.iterdir() if path.is_file() and path.suffix == ""
                    and path.stat().st_mode & 0o100}
        tests = {name.removeprefix("test_") for name in dir(self) if name.startswith("test_")}
        self.assertLessEqual(programs, tests)
        self.assertGreaterEqual(len(programs), 20)


if __name__ == "__main__":
    unittest.main()
