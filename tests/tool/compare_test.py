# SPDX-License-Identifier: Apache-2.0
"""Runs `tessera diff`, `stats`, `verify` and `runs` on stores that zarr-python wrote; expected values
come from NumPy.

usage: compare_test.py <tessera> <save_plan>
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import zarr

PROGRAM = None
SAVE_PLAN = None


class Command(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)

    def run_tessera(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, timeout=120,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def json_of(self, *arguments, code=0):
        return json.loads(self.run_tessera(*arguments, "--json", code=code)[0])

    def make(self, name, values, chunks=None, **options):
        attributes = options.pop("attributes", {})
        array = zarr.open_array(str(self.folder / name), mode="w", shape=values.shape,
                                dtype=values.dtype, chunks=chunks or tuple(
                                    max(1, n // 2) for n in values.shape), **options)
        array[...] = values
        array.attrs.update(attributes)
        return array


class Diff(Command):
    def test_of_the_same_is_silent(self):
        values = np.arange(60.0).reshape(5, 12)
        self.make("a", values, (2, 5))
        self.make("b", values, (5, 3))
        self.assertEqual(self.run_tessera("diff", "a", "b"), ("", ""))
        self.assertEqual(self.json_of("diff", "a", "b"), {"are_same": True, "differences": []})

    def test_names_count_first_and_largest(self):
        for dtype in ("i1", "u8", "f4", "f8", "c16", "?"):
            a = np.zeros((4, 5, 6), dtype)
            b = a.copy()
            b[1, 2, 3] = 1
            b[3, 0, 5] = 1 if dtype == "?" else 3
            self.make("a", a)
            self.make("b", b)
            entry, = self.json_of("diff", "a", "b", code=1)["differences"]
            self.assertEqual((entry["count"], entry["first"], entry["largest"]),
                             (np.count_nonzero(a != b), [1, 2, 3],
                              np.abs(a.astype("c16") - b.astype("c16")).max()), dtype)
        self.assertIn("2 of 120 elements differ, the first at (1, 2, 3): False, True; the largest "
                      "difference is 1", self.run_tessera("diff", "a", "b", code=1)[0])

    def test_does_not_wrap(self):
        self.make("a", np.array([200, 1], "u1"))
        self.make("b", np.array([201, 255], "u1"))
        entry, = self.json_of("diff", "a", "b", code=1)["differences"]
        self.assertEqual((entry["count"], entry["largest"], entry["a"], entry["b"]),
                         (2, 254, "200", "201"))
        self.run_tessera("diff", "a", "b", "--atol", "254")

    def test_is_within_tolerances_as_isclose(self):
        rng = np.random.default_rng(7)
        a = rng.normal(size=(40, 3))
        b = a * (1 + rng.normal(size=a.shape) * 1e-6)
        b[3, 1] = a[3, 1] = np.nan
        a[5, 2] = b[5, 2] = np.inf
        self.make("a", a)
        self.make("b", b)
        for rtol, atol, equal_nan in ((1e-6, 0, False), (0, 1e-6, True), (1e-7, 1e-7, True),
                                      (1e-3, 0, True)):
            flags = ["--rtol", rtol, "--atol", atol] + (["--equal-nan"] if equal_nan else [])
            differs = ~np.isclose(a, b, rtol, atol, equal_nan)
            found = self.json_of("diff", "a", "b", *flags, code=int(differs.any()))["differences"]
            self.assertEqual(sum(entry["count"] for entry in found), differs.sum(), flags)
            if differs.any():
                self.assertEqual(found[0]["first"], list(np.argwhere(differs)[0]))

    def test_tells_of_shapes_dtypes_and_attributes(self):
        self.make("a", np.zeros((3, 4), "f4"), attributes={"units": "K", "scale": 2})
        self.make("b", np.zeros((3, 5), "f8"), attributes={"units": "degC", "source": [1, 2]})
        text, _ = self.run_tessera("diff", "a", "b", code=1)
        self.assertEqual(text, "a: attribute scale: 2, none\na: attribute source: none, [1,2]\n"
                               'a: attribute units: "K", "degC"\n'
                               'a: dtype: "<f4", "<f8"\na: shape: (3, 4), (3, 5)\n')

    def test_walks_groups(self):
        for name in ("a", "b"):
            zarr.open_group(str(self.folder / name), mode="w").create_group("inner")
            self.make(f"{name}/inner/same", np.arange(4))
            self.make(f"{name}/changed", np.arange(4.0))
        self.make("a/first", np.arange(4))
        self.make("b/second", np.arange(4))
        self.make("b/changed", np.array([0, 1, 2.5, 3]))
        text, _ = self.run_tessera("diff", "a", "b", code=1)
        self.assertEqual(sorted(text.splitlines()), [
            "changed: 1 of 4 elements differ, the first at (2): 2.0, 2.5; the largest difference is 0.5",
            "first: only in A", "second: only in B"])

    def test_of_elements_that_are_no_numbers_is_refused(self):
        for name in ("a", "b"):
            self.make(name, np.array([b"x", b"y"], "S3"))
        self.assertIn("not compared", self.run_tessera("diff", "a", "b", code=1)[0])

    def test_of_nothing_is_an_error(self):
        self.make("a", np.arange(3))
        self.assertIn("none", self.run_tessera("diff", "a", "none", code=1)[1])


class Stats(Command):
    def assert_statistics(self, entry, values):
        self.assertEqual((entry["min"], entry["max"], entry["count"]),
                         (values.min(), values.max(), values.size))
        np.testing.assert_allclose((entry["mean"], entry["stddev"]),
                                   (values.mean(dtype="f8"), values.std(dtype="f8")), rtol=1e-12)

    def test_are_those_of_numpy(self):
        rng = np.random.default_rng(3)
        for dtype in ("?", "i1", "i8", "u2", "u8", "f2", "f4", "f8"):
            for shape in ((), (7,), (4, 5, 6), (2, 3, 2, 3, 2, 3)):
                values = (rng.normal(size=shape) * 50 + 60).astype("f8").clip(0, 120).astype(dtype)
                values = np.asarray(values)
                self.make("a", values)
                entry, = self.json_of("stats", "a")
                self.assertEqual((entry["dtype"], entry["shape"], entry["missing"]),
                                 (values.dtype.name, list(shape), 0))
                self.assert_statistics(entry, values)

    def test_keep_integers_exact(self):
        self.make("a", np.array([2**63 + 1, 2**64 - 1], "u8"))
        entry, = self.json_of("stats", "a")
        self.assertEqual((entry["min"], entry["max"]), (2**63 + 1, 2**64 - 1))

    def test_take_missing_chunks_for_zeros_where_asked(self):
        for name in ("a", "b"):
            array = zarr.open_array(str(self.folder / name), mode="w", shape=6, chunks=2, dtype="i4", fill_value=None)
            array[:2] = 5
        for command in (("stats", "a"), ("diff", "a", "b")):
            _, complaint = self.run_tessera(*command, code=1)
            self.assertIn("chunk 1 and 1 more are missing", complaint)
            self.assertIn("with --missing fill they are zeros", complaint)
        self.assertEqual(self.json_of("stats", "a", "--missing", "fill")[0]["mean"], 10 / 6)
        self.assertEqual(self.json_of("diff", "a", "b", "--missing", "fill")["differences"], [])

    def test_leave_out_what_is_missing(self):
        values = np.arange(24.0).reshape(4, 6)
        values[1] = np.nan
        values[2, 2] = -999
        self.make("a", values, attributes={"_FillValue": -999.0, "missing_value": [1, 2]})
        entry, = self.json_of("stats", "a")
        self.assertEqual(entry["missing"], 7)
        self.assert_statistics(entry, values[np.isfinite(values) & (values != -999)])
        self.make("a", np.full(3, np.nan))
        entry, = self.json_of("stats", "a")
        self.assertEqual((entry["min"], entry["mean"], entry["missing"]), (None, None, 3))

    def test_of_a_group_are_those_of_its_arrays(self):
        zarr.open_group(str(self.folder / "g"), mode="w").create_group("inner")
        self.make("g/inner/a", np.arange(5))
        self.make("g/b", np.array([b"x"], "S1"))
        self.make("g/none", np.zeros((0, 3)), (1, 1))
        text, _ = self.run_tessera("stats", "g")
        self.assertIn("inner/a  int64 (5)\n  min 0  max 4  mean 2.0  stddev 1.4142135623730951  "
                      "count 5  missing 0\n", text)
        self.assertIn("the elements are no numbers", text)
        self.assertIn("none  float64 (0, 3)\n  min none", text)

    def test_of_single_precision_have_the_digits_of_it(self):
        self.make("a", np.array([0.1, 0.7], "f4"))
        self.assertIn("min 0.1  max 0.7  mean 0.39999", self.run_tessera("stats", "a")[0])

    def test_take_no_more_memory_than_is_allowed(self):
        self.make("a", np.ones((64, 100_000)), (1, 100_000))
        _, complaint = self.run_tessera("stats", "a", "--tessera-memory=512KiB", code=1)
        self.assertIn("allowed", complaint)


class Verify(Command):
    def test_reports_a_bad_chunk_alone(self):
        self.make("a", np.arange(40.0), (10,))
        text, _ = self.run_tessera("verify", "a")
        self.assertEqual(text, "verified: 1 array, 4 chunks, 320 B decoded; 0 chunks missing; "
                               "nothing bad\n")
        (self.folder / "a/2").write_bytes(b"no chunk")
        self.assertRegex(self.run_tessera("verify", "a", code=1)[0], r"^BAD 2: .*\nverified: ")
        report = self.json_of("verify", "a", code=1)
        self.assertEqual([entry["key"] for entry in report["bad"]], ["2"])
        self.assertEqual(report["verified"]["chunks"], 3)


class Inspect(Command):
    def test_prints_json(self):
        group = zarr.open_group(str(self.folder / "g"), mode="w")
        group.attrs["title"] = "winds"
        self.make("g/u", np.arange(40.0), (10,), attributes={"units": "m/s"})
        report = self.json_of("inspect", "g")
        nodes = {entry["path"]: entry for entry in report["nodes"]}
        self.assertEqual(nodes[""]["attributes"], {"title": "winds"})
        self.assertEqual((nodes["u"]["kind"], nodes["u"]["attributes"]), ("array", {"units": "m/s"}))
        stated = json.loads((self.folder / "g/u/.zarray").read_text())
        for member in ("shape", "chunks", "dtype", "compressor"):
            self.assertEqual(nodes["u"]["metadata"][member], stated[member])
        self.assertEqual(report["total"]["chunks"], 4)


class Runs(Command):
    def test_of_an_empty_folder_are_none(self):
        self.assertEqual(self.run_tessera("runs", "here")[0], "no unfinished runs in here\n")
        self.assertEqual(self.json_of("runs"), [])

    def test_that_failed_are_listed_and_removed(self):
        self.make("a", np.arange(40.0), (10,))
        (self.folder / "a/2").write_bytes(b"no chunk")
        self.run_tessera("rechunk", "a", "b", "--chunks", "40", code=1)
        run, = self.json_of("runs")
        self.assertFalse(run["is_running"])
        self.assertTrue((self.folder / run["path"]).is_dir())
        self.assertIn("unfinished", self.run_tessera("runs")[0])
        self.assertIn("removed: 1\n", self.run_tessera("runs", "--remove")[0])
        self.assertEqual(self.json_of("runs"), [])


class Watch(Command):
    def test_shows_a_run_that_has_ended(self):
        self.make("a", np.arange(40.0), (10,))
        self.run_tessera("rechunk", "a", "b", "--chunks", "20", "--tessera-report=records")
        for options in ((), ("--once",)):
            text, _ = self.run_tessera("watch", "records", *options)
            self.assertRegex(text, r"(?s)^records/1: .*\ndone .* 100 % ")


class Plan(Command):
    def save(self):
        """Saves a plan by another program; returns its path and its table."""
        plan, table = self.folder / "mean.plan", self.folder / "table"
        subprocess.run([SAVE_PLAN, plan, table], timeout=120, check=True)
        return plan, table.read_text()

    def test_that_another_program_saved_is_printed(self):
        plan, table = self.save()
        text, _ = self.run_tessera("plan", plan)
        self.assertIn(table, text)
        report = self.json_of("plan", plan)
        self.assertEqual(report["table"], table)
        self.assertRegex(text, rf"cost: {report['cost']['tasks']} task")

    def test_that_is_none_is_refused(self):
        (self.folder / "plan").write_text("no plan")
        self.assertIn("it is no plan file", self.run_tessera("plan", "plan", code=1)[1])
        damaged = bytearray(self.save()[0].read_bytes())
        damaged[100] ^= 1
        (self.folder / "plan").write_bytes(damaged)
        self.assertIn("not those that were written", self.run_tessera("plan", "plan", code=1)[1])


if __name__ == "__main__":
    SAVE_PLAN = os.path.abspath(sys.argv.pop(2))
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
