# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of `tessera` that compare, summarise and show, on stores that zarr-python wrote;
expected values come from NumPy.

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

    def test_of_each_index_are_those_of_numpy(self):
        values = np.random.default_rng(5).normal(size=(4, 3, 5)).astype("f4")
        self.make("a", values, attributes={"_ARRAY_DIMENSIONS": ["time", "lat", "lon"]})
        for by, axis in (("time", 0), ("lat", 1), ("2", 2)):
            entry, = self.json_of("stats", "a", "--by", by)
            self.assertEqual((entry["by"], len(entry["groups"])), (by, values.shape[axis]))
            for group, part in zip(entry["groups"], np.moveaxis(values, axis, 0)):
                self.assert_statistics(group, part)
        self.assertEqual(len(self.run_tessera("stats", "a", "--by", "lat")[0].splitlines()), 1 + 3)
        self.assertIn("--by: no array of numbers at 'a' has a dimension 'tme'",
                      self.run_tessera("stats", "a", "--by", "tme", code=1)[1])

    def test_have_the_quantiles_of_numpy(self):
        values = np.random.default_rng(6).normal(size=(6, 50))
        values[2, 4] = np.nan
        self.make("a", values)
        asked = (0.0, 0.25, 0.5, 0.9)
        options = ("--quantiles", ",".join(map(str, asked)))
        entry, = self.json_of("stats", "a", *options)
        np.testing.assert_allclose(list(entry["quantiles"].values()), np.nanquantile(values, asked),
                                   rtol=1e-14)
        entry, = self.json_of("stats", "a", "--by", "0", *options)
        found = [list(group["quantiles"].values()) for group in entry["groups"]]
        np.testing.assert_allclose(found, np.nanquantile(values, asked, axis=1).T, rtol=1e-14)
        self.make("b", np.arange(11, dtype="i2"))
        self.assertEqual(self.json_of("stats", "b", "--quantiles", "0.1")[0]["quantiles"], {"0.1": 1})
        self.assertIn("q0.1 1.0\n", self.run_tessera("stats", "b", "--quantiles", "0.1")[0])
        self.run_tessera("stats", "b", "--quantiles", "1.5", code=2)

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
    def test_of_a_folder_that_is_not_there_are_an_error(self):
        self.assertIn("runs: there is no folder 'nowhere'", self.run_tessera("runs", "nowhere", code=1)[1])

    def test_of_an_empty_folder_are_none(self):
        (self.folder / "here").mkdir()
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

    def test_prints_json(self):
        self.make("a", np.arange(40.0), (10,))
        self.run_tessera("rechunk", "a", "b", "--chunks", "20", "--tessera-report=records")
        for options in ((), ("--once",)):
            progress = self.json_of("watch", "records", *options)
            self.assertEqual((progress["record"], progress["state"]), ("records/1", "completed"))
            for operation in progress["operations"]:
                self.assertEqual((operation["done"], operation["failures"]), (operation["tasks"], 0))

    def test_tells_a_run_that_failed(self):
        self.make("a", np.arange(40.0), (10,))
        (self.folder / "a/2").write_bytes(b"no chunk")
        self.run_tessera("rechunk", "a", "b", "--chunks", "40", "--tessera-report=records", code=1)
        progress = self.json_of("watch", "records", code=1)
        self.assertEqual(progress["state"], "failed")
        self.assertEqual(sum(operation["failures"] for operation in progress["operations"]), 1)

    def test_shows_a_detached_run(self):
        self.make("a", np.arange(40.0), (10,))
        self.run_tessera("rechunk", "a", "b", "--chunks", "20", "--tessera-detach=runs/first")
        for options in ((), ("--once",)):
            text, _ = self.run_tessera("watch", "runs/first", *options)
            self.assertRegex(text, r"(?s)^complete on .*ended with exit code 0; runs/first/output ")
        _, refusal = self.run_tessera("watch", "runs/first", "--json", code=1)
        self.assertIn("--tessera-report", refusal)

    def test_tells_a_detached_run_that_failed(self):
        self.make("a", np.arange(40.0), (10,))
        (self.folder / "a/2").write_bytes(b"no chunk")
        self.run_tessera("rechunk", "a", "b", "--chunks", "40", "--tessera-detach=runs/first")
        text, _ = self.run_tessera("watch", "runs/first", code=1)
        self.assertRegex(text, r"(?s)^failed on .*ended with exit code 1; ")


class Report(Command):
    def test_prints_histories(self):
        self.make("a", np.arange(40.0), (10,))
        for chunks in (20, 40):
            self.run_tessera("rechunk", "a", f"b{chunks}", "--chunks", chunks,
                             "--tessera-report=records")
        reports = self.json_of("report", "records")
        self.assertEqual([entry["record"] for entry in reports], ["records/1", "records/2"])
        for entry in reports:
            stored = json.loads((self.folder / entry["record"] / "history.json").read_text())
            self.assertEqual(entry["history"], stored)
            self.assertEqual(stored["outcome"], "completed")


class Study(Command):
    def write_study(self, name, seconds):
        point = {"scaling": "strong", "is_simulated": False, "engine": "threads", "workers": 2,
                 "scale": 1.0, "seconds": seconds, "planning_seconds": 0.0, "tasks": 4,
                 "element_steps": 8.0, "bytes_moved": 16, "task_memory": 32,
                 "modelled_work_seconds": 1.0, "modelled_wall_seconds": 0.5}
        (self.folder / name).mkdir()
        (self.folder / name / "study.json").write_text(json.dumps(
            {"study": "mean", "context": {}, "notes": [], "points": [point]}))

    def test_prints_json(self):
        before, after = [2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6], [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6]
        self.write_study("before", before)
        self.write_study("after", after)
        study = self.json_of("study", "before")
        self.assertEqual((study["study"], study["points"][0]["seconds"]), ("mean", before))
        point, = self.json_of("study", "before", "after")
        self.assertEqual(point["verdict"], "faster")
        for name, seconds in (("first", before), ("second", after)):
            self.assertEqual(point[name]["median"], np.median(seconds))


class Plan(Command):
    def save(self):
        """Saves a plan by another program; returns its path and its table."""
        plan = self.folder / "mean.plan"
        subprocess.run([SAVE_PLAN, plan, self.folder], timeout=120, check=True)
        return plan, (self.folder / "table").read_text()

    def test_that_another_program_saved_is_printed(self):
        plan, table = self.save()
        text, _ = self.run_tessera("plan", plan)
        self.assertIn(table, text)
        report = self.json_of("plan", plan)
        self.assertEqual(report["table"], table)
        self.assertRegex(text, rf"cost: {report['cost']['tasks']} task")

    def test_is_explained_and_drawn_as_by_its_program(self):
        plan, _ = self.save()
        text, _ = self.run_tessera("plan", plan, "--explain", "--draw", "drawn.svg")
        self.assertEqual(text, (self.folder / "explanation").read_text())
        self.assertEqual((self.folder / "drawn.svg").read_text(),
                         (self.folder / "picture.svg").read_text())
        self.assertEqual(self.json_of("plan", plan)["explanation"],
                         json.loads((self.folder / "explanation.json").read_text()))
        self.assertIn("'drawn.png' is no name of a picture",
                      self.run_tessera("plan", plan, "--draw", "drawn.png", code=2)[1])
        self.assertIn("'nowhere/drawn.svg' cannot be written",
                      self.run_tessera("plan", plan, "--draw", "nowhere/drawn.svg", code=1)[1])

    def test_is_simulated(self):
        plan, _ = self.save()
        report = self.json_of("plan", plan, "--simulate", "1,8,1000")
        self.assertEqual([point["workers"] for point in report["simulated"]], [1, 8, 1000])
        seconds = [point["seconds"] for point in report["simulated"]]
        # One worker does all of the work; more do the tasks of each operation in rounds.
        self.assertAlmostEqual(seconds[0] / report["cost"]["work"], 1, delta=0.01)
        costs = [operation["cost"] for operation in report["explanation"]["operations"]]
        self.assertGreater(max(cost["tasks"] for cost in costs), 8)
        for workers, found in ((8, seconds[1]), (1000, seconds[2])):
            rounds = sum(cost["work"] * -(-cost["tasks"] // workers) / cost["tasks"] for cost in costs)
            self.assertAlmostEqual(found / rounds, 1, delta=0.05)
        self.assertIn("1000 workers", self.run_tessera("plan", plan, "--simulate", "1000")[0])
        self.run_tessera("plan", plan, "--simulate", "0", code=2)

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
