# SPDX-License-Identifier: Apache-2.0
"""Copies stores of other writers by the program tessera, and compares every key, attribute and element.

usage: copy_test.py <tessera>
"""

import contextlib
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

import numcodecs
import numpy as np
import xarray
import zarr

import foreign_stores

PROGRAM = None


def files_of(root):
    """Returns the bytes of the files below `root` by their keys."""
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


class Store(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)

    def run_tessera(self, *arguments, code=0, cwd=None):
        """Returns the output of the program and its complaints."""
        done = subprocess.run([PROGRAM, *arguments], cwd=cwd or self.folder, timeout=120, capture_output=True,
                              check=False)
        text, complaint = (os.fsdecode(part) for part in (done.stdout, done.stderr))
        self.assertEqual(done.returncode, code, text + complaint)
        return text, complaint

    def make(self, name, values, chunks, **options):
        attributes = options.pop("attributes", {})
        array = zarr.open_array(str(self.folder / name), mode="w", shape=values.shape, dtype=values.dtype,
                                chunks=chunks, **options)
        array[...] = values
        if attributes:
            array.attrs.update(attributes)
        return array

    def group(self, name, **arrays):
        group = zarr.open_group(str(self.folder / name), mode="w")
        for path, values in arrays.items():
            group.create_dataset(path, data=np.asarray(values), chunks=2)
        return group

    def files(self, name):
        return files_of(self.folder / name)


class ForeignStores(Store):
    def assert_same(self, source, copy):
        original, copied = files_of(source), files_of(copy)
        # The copier writes its bytes, but takes over its contents.
        consolidated = [json.loads(files.pop(".zmetadata", "null")) for files in (original, copied)]
        self.assertEqual(copied, original)
        self.assertEqual(*(json.dumps(document and document["metadata"], sort_keys=True) for document in consolidated))

    def assert_same_dataset(self, source, copy):
        opened = [xarray.open_zarr(str(path), chunks=None, consolidated=False).load() for path in (source, copy)]
        self.assertTrue(opened[0].identical(opened[1]))
        for name in opened[0].variables:
            self.assertEqual(repr(opened[0][name].encoding.get("chunks")), repr(opened[1][name].encoding.get("chunks")))

    def test_are_copied_key_for_key(self):
        source = self.folder / "in"
        source.mkdir()
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            stores = foreign_stores.make_all(source)
        self.assertGreaterEqual(len(stores), 60)
        for store in stores:
            with self.subTest(store.name):
                copy = self.folder / "out" / store.name
                self.run_tessera("copy", store, copy)
                self.assert_same(store, copy)
                if store.name.startswith("xarray-"):
                    self.assert_same_dataset(store, copy)

    def test_have_the_same_elements_in_other_codecs(self):
        values = foreign_stores._values("<f4", 9, 4)
        source = self.make("in", values, (40, 3), attributes={"nan": float("nan")}, fill_value=3)
        zattrs = (self.folder / "in/.zattrs").read_bytes()
        foreign_stores._edit(self.folder / "in/.zarray", node_type="array")
        self.run_tessera("copy", "in", "out", "--compressor", "zlib")
        copy = zarr.open_array(str(self.folder / "out"), mode="r")
        np.testing.assert_array_equal(copy[...], values)
        self.assertEqual((copy.chunks, copy.fill_value, copy.compressor), ((40, 3), 3, numcodecs.Zlib(1)))
        self.assertEqual((self.folder / "out/.zattrs").read_bytes(), zattrs)
        self.assertEqual(json.loads((self.folder / "out/.zarray").read_text())["node_type"], "array")
        self.assertEqual(source.chunks, copy.chunks)


class Found(Store):
    """A copy says no less than `inspect`."""

    def test_an_array_that_has_a_zgroup_too(self):
        self.make("in", np.arange(4), 2)
        (self.folder / "in/.zgroup").write_text('{"zarr_format": 2}')
        _, complaint = self.run_tessera("copy", "in", "out")
        self.assertIn("not copied: .zgroup", complaint)
        self.run_tessera("rechunk", "in", "wide", "--chunks", "4")
        for name in ("out", "wide"):
            np.testing.assert_array_equal(zarr.open_array(str(self.folder / name))[:], np.arange(4))

    def test_nodes_that_consolidated_metadata_do_not_know(self):
        group = self.group("in", x=[1, 2])
        group.attrs["title"] = "old"
        zarr.consolidate_metadata(str(self.folder / "in"))
        group.attrs["title"] = "new"
        group.create_dataset("y", data=np.arange(3))
        self.run_tessera("copy", "in", "out")
        copy = zarr.open_consolidated(str(self.folder / "out"))
        self.assertEqual((copy.attrs["title"], sorted(copy)), ("new", ["x", "y"]))
        text, _ = self.run_tessera("inspect", "in", code=1)
        for difference in ("BAD .zmetadata: y/.zarray is not in it", "BAD .zmetadata: .zattrs is another one there"):
            self.assertIn(difference, text)
        shutil.rmtree(self.folder / "in/x")
        self.assertIn("x/.zarray is in it and does not exist", self.run_tessera("inspect", "in", code=1)[0])
        self.run_tessera("copy", "in", "out", "--replace")
        self.assertEqual(sorted(zarr.open_group(str(self.folder / "out"))), ["y"])
        (self.folder / "in/.zmetadata").write_text("{")
        self.run_tessera("copy", "in", "plain", "--consolidated", "omit")
        self.assertFalse((self.folder / "plain/.zmetadata").exists())
        self.run_tessera("inspect", "plain")

    def test_all_that_stands_in_the_way_at_once(self):
        self.group("in", a=[1, 2], lost=[1, 2], unclear=[1, 2], b=[3])
        (self.folder / "in/lost/.zarray").unlink()
        (self.folder / "in/unclear/.zarray").write_text('{"shape": [2]')
        (self.folder / "in/new").mkdir()
        (self.folder / "in/new/zarr.json").write_text('{"zarr_format": 3}')
        _, complaint = self.run_tessera("copy", "in", "out", code=1)
        for part in ("lost/.zarray", "unclear/.zarray", "new/zarr.json",
                     "--skip new --skip lost --skip unclear"):
            self.assertTrue(part in complaint or part.startswith("--skip"), complaint)
        for name in ("new", "lost", "unclear"):
            self.assertIn(f" --skip {name}", complaint)
        self.assertFalse((self.folder / "out").exists())
        self.run_tessera("copy", "in", "out", "--skip", "new", "--skip", "lost", "--skip", "unclear/")
        self.assertEqual(sorted(zarr.open_group(str(self.folder / "out"))), ["a", "b"])
        _, complaint = self.run_tessera("copy", "in", "more", "--skip", "losst", code=1)
        self.assertIn("--skip: in holds no 'losst'", complaint)

    def test_texts_stand_in_the_way_of_other_chunks_alone(self):
        dataset = xarray.Dataset({"t": (("time", "station"), np.arange(12.).reshape(6, 2))},
                                 {"station": np.array(["a", "bc"], object)})
        dataset.to_zarr(str(self.folder / "in"), consolidated=False)
        self.run_tessera("rechunk", "in", "out", "--chunks", "time=3")
        with xarray.open_zarr(str(self.folder / "out"), consolidated=False, chunks=None) as copy:
            self.assertTrue(copy.identical(dataset))
        _, complaint = self.run_tessera("rechunk", "in", "other", "--chunks", "station=1", code=1)
        self.assertIn("station: its chunks must be decoded", complaint)
        self.assertFalse((self.folder / "other").exists())

    def test_missing_chunks_stay_missing(self):
        sparse = self.make("in", np.zeros((100, 100), "f4"), (10, 10), fill_value=0, write_empty_chunks=False)
        sparse[0, 0] = 1
        self.run_tessera("rechunk", "in", "out", "--chunks", "5,5")
        self.assertEqual(sorted(self.files("out")), [".zarray", "0.0"])
        self.run_tessera("copy", "in", "whole", "--empty-chunks", "write")
        self.assertEqual(len(self.files("whole")), 101)
        self.run_tessera("copy", "whole", "less", "--empty-chunks", "omit")
        self.assertEqual(sorted(self.files("less")), [".zarray", "0.0"])

    def test_missing_chunks_without_a_fill_value_are_asked_about(self):
        self.make("in", np.arange(6), 2, fill_value=None)
        (self.folder / "in/1").unlink()
        _, complaint = self.run_tessera("copy", "in", "out", code=1)
        self.assertIn("chunk 1 is missing", complaint)
        self.assertIn("--missing fill", complaint)
        self.run_tessera("copy", "in", "out", "--missing", "fill")
        self.assertEqual(self.files("out"), self.files("in"))
        self.run_tessera("rechunk", "in", "wide", "--chunks", "6", "--missing", "fill")
        np.testing.assert_array_equal(zarr.open_array(str(self.folder / "wide"))[:], [0, 1, 0, 0, 4, 5])
        self.assertIn("note 1: missing", self.run_tessera("inspect", "in")[0])
        self.make("filled", np.arange(6), 2, fill_value=7)
        (self.folder / "filled/1").unlink()
        _, complaint = self.run_tessera("copy", "filled", "more", "--missing", "error", code=1)
        self.assertIn("chunk 1 is missing, and --missing error is asked for", complaint)

    def test_a_separator_that_is_not_stated(self):
        self.make("in", np.arange(4).reshape(2, 2), (1, 2), dimension_separator="/", fill_value=None)
        metadata = json.loads((self.folder / "in/.zarray").read_text())
        del metadata["dimension_separator"]
        (self.folder / "in/.zarray").write_text(json.dumps(metadata))
        self.run_tessera("copy", "in", "out", "--separator", "/")
        np.testing.assert_array_equal(zarr.open_array(str(self.folder / "out"))[:], [[0, 1], [2, 3]])


class Destination(Store):
    def setUp(self):
        super().setUp()
        self.group("in", v=[1, 2, 3]).attrs["title"] = "new"

    def test_that_is_taken_stays_as_it_was(self):
        self.group("out", v=[9], w=[8]).attrs["title"] = "precious"
        zarr.consolidate_metadata(str(self.folder / "out"))
        before = self.files("out")
        _, complaint = self.run_tessera("copy", "in", "out", code=1)
        self.assertIn("a group is there; choose another path, or take a copy in its place by --replace", complaint)
        self.assertEqual(self.files("out"), before)
        _, complaint = self.run_tessera("rechunk", "in", "out", "--chunks", "x=1", "--replace", code=1)
        self.assertEqual(self.files("out"), before)
        for text in ("none such", "a file"):
            (self.folder / "file").write_text(text)
            self.run_tessera("copy", "in", "file", code=1)
        self.assertEqual((self.folder / "file").read_text(), "a file")
        os.symlink("nowhere", self.folder / "link")
        self.assertIn("a link that leads to no folder", self.run_tessera("copy", "in", "link", code=1)[1])

    def test_that_is_replaced_becomes_a_copy(self):
        self.group("out", w=[8], **{"deep/u": [1, 2, 3]}).attrs["title"] = "old"
        (self.folder / "out/README.md").write_text("mine")
        (self.folder / "out/deep/u/plots").mkdir()
        (self.folder / "out/deep/u/plots/a.png").write_text("mine")
        _, complaint = self.run_tessera("copy", "in", "out", "--replace")
        for name in ("out/README.md", "out/deep/u/plots/"):
            self.assertIn(f"kept: {name}", complaint)
        copied = self.files("out")
        self.assertEqual(copied.pop("README.md"), b"mine")
        self.assertEqual(copied.pop("deep/u/plots/a.png"), b"mine")
        self.assertEqual(copied, self.files("in"))
        zarr.consolidate_metadata(str(self.folder / "in"))
        self.run_tessera("copy", "in", "out", "--replace")
        self.assertEqual(sorted(zarr.open_consolidated(str(self.folder / "out"))), ["v"])

    def test_with_other_files_is_asked_about(self):
        (self.folder / "docs").mkdir()
        (self.folder / "docs/thesis.txt").write_text("mine")
        _, complaint = self.run_tessera("copy", "in", "docs", code=1)
        self.assertIn("other files are there (thesis.txt)", complaint)
        self.assertEqual(sorted(self.files("docs")), ["thesis.txt"])
        self.run_tessera("copy", "in", "docs", "--replace")
        self.run_tessera("copy", "in", "docs", "--replace")
        before = self.files("docs")
        self.make("array", np.arange(4), 2)
        self.run_tessera("copy", "array", "docs", "--replace")
        _, complaint = self.run_tessera("rechunk", "array", "docs", "--chunks", "4", "--replace", code=1)
        self.assertIn("'thesis.txt' is there", complaint)
        self.assertEqual(sorted(self.files("docs")), [".zarray", "0", "1", "thesis.txt"])
        self.assertEqual((self.folder / "docs/thesis.txt").read_bytes(), before["thesis.txt"])

    def test_keeps_files_of_users_that_are_named_as_chunks(self):
        self.make("array", np.arange(4), 2)
        for name in ("photos/2024/a.jpg", "photos/read.me", "notes/1.0", "notes/deep/2.0", "logs/7/1"):
            (self.folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "docs" / name).write_text("mine")
        before = self.files("docs")
        _, complaint = self.run_tessera("copy", "array", "docs", code=1)
        self.assertIn("other files are there", complaint)
        for _ in range(2):
            self.run_tessera("copy", "array", "docs", "--replace")
            self.assertEqual({name: text for name, text in self.files("docs").items() if name in before}, before)
        (self.folder / "other").mkdir()
        (self.folder / "other/1").write_text("mine")
        _, complaint = self.run_tessera("copy", "array", "other", "--replace", code=1)
        self.assertIn("'1' is there, and readers would take it for chunks", complaint)
        self.assertEqual(self.files("other"), {"1": b"mine"})

    def test_keeps_files_outside_of_the_grid_that_it_replaces(self):
        for options, names in (({}, ("5", "2024.11", "2024/11", "0.0")),
                               ({"dimension_separator": "/"}, ("5", "7/0", "photos/1"))):
            for command in (["copy"], ["rechunk", "--chunks", "1"]):
                shutil.rmtree(self.folder / "old", ignore_errors=True)
                self.make("old", np.arange(3), 1, **options)
                self.make("array", np.arange(4), 2)
                for name in names:
                    (self.folder / "old" / name).parent.mkdir(parents=True, exist_ok=True)
                    (self.folder / "old" / name).write_text("mine")
                before = self.files("old")
                if command[0] == "rechunk":
                    _, complaint = self.run_tessera("rechunk", "array", "old", *command[1:], "--replace", code=1)
                    self.assertIn("holds nothing else; move it away", complaint)
                    self.assertEqual(self.files("old"), before)
                    continue
                _, complaint = self.run_tessera("copy", "array", "old", "--replace")
                self.assertIn("kept: old/5,", complaint)
                self.assertEqual(set(self.files("old")), {".zarray", "0", "1", *names})
                self.assertEqual({self.files("old")[name] for name in names}, {b"mine"})
                # Six chunks: 5 would be one of the copy.
                self.make("long", np.arange(12), 2)
                before = self.files("old")
                _, complaint = self.run_tessera("copy", "long", "old", "--replace", code=1)
                self.assertIn("'5' is there, and readers would take it for chunks of the copy", complaint)
                self.assertEqual(self.files("old"), before)

    def test_whose_metadata_are_malformed_keeps_what_may_be_chunks(self):
        self.make("old", np.arange(6), 2)
        (self.folder / "old/.zarray").write_text("{")
        self.make("array", np.arange(4), 2)
        before = self.files("old")
        _, complaint = self.run_tessera("copy", "array", "old", "--replace", code=1)
        self.assertIn("'0' is there, and readers would take it for chunks", complaint)
        self.assertEqual(self.files("old"), before)

    def test_is_told_as_copied_or_as_failed(self):
        self.make("array", np.arange(1000.), 100, compressor=None)
        text, complaint = self.run_tessera("copy", "array", "copy", "--memory", "12", code=1)
        self.assertEqual(text, "")
        # Several chunks are copied at once, and any of them fails first.
        self.assertRegex(complaint,
                         r"array/\d takes 800 B, and a task may use 12 B; allow more memory by --memory")
        text, _ = self.run_tessera("copy", "array", "copy", "--plan")
        self.assertEqual(text, "copies byte for byte: 1 array, 10 chunks\n")
        text, _ = self.run_tessera("copy", "array", "copy")
        self.assertEqual(text, "copied byte for byte: 1 array, 10 chunks\n")

    def test_of_a_stopped_copy_is_replaced_with_its_chunks_alone(self):
        for options in ({}, {"dimension_separator": "/"}):
            for name in ("in", "out"):
                shutil.rmtree(self.folder / name, ignore_errors=True)
            zarr.open_group(str(self.folder / "in"), mode="w")
            for name in ("a", "b"):
                self.make(f"in/{name}", np.arange(8.).reshape(4, 2), (1, 1), compressor=None, **options)
            self.make("in/z", np.arange(1000.), 1000, compressor=None)
            self.run_tessera("copy", "in", "out", "--memory", "1kB", "--workers", "1", code=1)
            self.assertFalse((self.folder / "out/a/.zarray").exists())
            first, beyond = ("0/0", "4/0") if options else ("0.0", "4.0")
            self.assertTrue((self.folder / "out/a" / first).exists())
            (self.folder / "out/a" / beyond).parent.mkdir(exist_ok=True)
            (self.folder / "out/a" / beyond).write_text("mine")
            for name in ("a", "z"):
                shutil.rmtree(self.folder / "in" / name)
            self.run_tessera("copy", "in", "out", "--replace")
            self.assertEqual(self.files("out").pop(f"a/{beyond}"), b"mine")
            self.assertEqual(set(self.files("out")), {*self.files("in"), f"a/{beyond}"})

    def test_keeps_files_of_users_in_damaged_folders(self):
        self.group("out", w=[8, 9])
        (self.folder / "out/w/.zarray").unlink()
        for name in ("out/w/read.me", "out/w/2024/a.jpg", "out/photos/2024/a.jpg"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text("mine")
        _, complaint = self.run_tessera("copy", "in", "out", "--replace")
        mine = {name for name, text in self.files("out").items() if text == b"mine"}
        self.assertEqual(mine, {"w/read.me", "w/2024/a.jpg", "photos/2024/a.jpg"})
        # Nothing tells that w/0 is a chunk.
        self.assertTrue((self.folder / "out/w/0").exists())
        self.assertIn("kept: out/w/0,", complaint)

    def test_keeps_folders_of_users_in_arrays(self):
        self.make("array", np.arange(4), 2)
        self.make("old", np.arange(9), 1)
        (self.folder / "old/2024").mkdir()
        (self.folder / "old/2024/a.jpg").write_text("mine")
        self.run_tessera("copy", "array", "old", "--replace")
        self.assertEqual(sorted(self.files("old")), [".zarray", "0", "1", "2024/a.jpg"])

    def test_that_lies_in_the_source_is_refused(self):
        before = self.files("in")
        for source, target in (("in", "in"), ("in", "in/copy"), ("in/v", "in"), ("./in/", f"{self.folder}/in/v")):
            self.assertIn("one lies in the other", self.run_tessera("copy", source, target, "--replace", code=1)[1])
        self.assertEqual(self.files("in"), before)

    def test_beside_arrays_that_xarray_could_not_open_with_it_is_refused(self):
        xarray.Dataset({"a": ("t", [1., 2.])}).to_zarr(str(self.folder / "long"), consolidated=False)
        xarray.Dataset({"b": ("t", [1., 2., 3.])}).to_zarr(str(self.folder / "longer"), consolidated=False)
        for command in (("copy",), ("rechunk", "--chunks", "t=1")):
            _, complaint = self.run_tessera(command[0], "longer/b", "long/b", *command[1:], code=1)
            self.assertIn('its dimension "t" has extent 3, and that of', complaint)
        self.run_tessera("copy", "long/a", "long/c")
        self.assertEqual(sorted(xarray.open_zarr(str(self.folder / "long"), consolidated=False)), ["a", "c"])

    def test_keeps_consolidated_metadata_above_true(self):
        self.group("out", w=[8])
        zarr.consolidate_metadata(str(self.folder / "out"))
        self.run_tessera("copy", "in", "out/inner")
        self.assertEqual(zarr.open_consolidated(str(self.folder / "out"))["inner"].attrs["title"], "new")
        self.run_tessera("inspect", "out")

    def test_of_a_copy_that_was_stopped_is_gone_on_with(self):
        self.run_tessera("copy", "in", "out")
        whole = self.files("out")
        (self.folder / "whole").mkdir()
        # The mark of a stopped copy is not known from outside: one is made by a copy that fails.
        shutil.rmtree(self.folder / "out")
        large = self.make("in/large", np.arange(1000.), 1000, compressor=None)
        del large
        self.run_tessera("copy", "in", "out", "--memory", "1kB", code=1)
        self.assertIn(".tessera-run-copy", self.files("out"))
        self.assertFalse((self.folder / "out/v/.zarray").exists())
        self.run_tessera("copy", "in", "out", "--memory", "1MB")
        self.assertEqual(self.files("out"), self.files("in"))
        self.assertLess(set(whole), set(self.files("out")))
        # Of another source, it is refused.
        shutil.rmtree(self.folder / "out")
        self.run_tessera("copy", "in", "out", "--memory", "1kB", code=1)
        zarr.open_array(str(self.folder / "in/v"))[0] = 5
        self.assertIn("was stopped there", self.run_tessera("copy", "in", "out", code=1)[1])
        self.run_tessera("copy", "in", "out", "--replace")
        self.assertEqual(self.files("out"), self.files("in"))


class Killed(Store):
    """A copy in the place of a group is killed at random instants."""

    def setUp(self):
        super().setUp()
        self.random = random.Random(20)
        for name, first in (("old", 0), ("new", 1000)):
            group = zarr.open_group(str(self.folder / name), mode="w")
            for k in range(6):
                values = np.arange(first, first + 200 + 10 * k, dtype="i4")
                # A missing chunk would be read as zeros.
                group.create_dataset(f"a{k}", data=values, chunks=5 + k, fill_value=0, compressor=None)

    def read(self, name, of):
        """Returns the elements of an array as the library reads them, or nothing if it is refused."""
        target = self.folder / "read"
        shutil.rmtree(target, ignore_errors=True)
        done = subprocess.run([PROGRAM, "rechunk", f"out/{name}", "read", "--chunks", "1000"], cwd=self.folder,
                              capture_output=True, check=False, timeout=120)
        if done.returncode == 0:
            return zarr.open_array(str(target))[...]
        refusals = (b"no Zarr array", b"no Zarr group", b"may lack elements", b"does not exist", b"cannot be copied")
        self.assertTrue(any(text in done.stderr for text in refusals), (of, done.stderr))
        return None

    def check_arrays(self, instant):
        for k in self.random.sample(range(6), 2):
            values = self.read(f"a{k}", instant)
            if values is not None:
                first = values[0]
                self.assertIn(first, (0, 1000))
                np.testing.assert_array_equal(values, np.arange(first, first + 200 + 10 * k), str(instant))

    def test_leaves_arrays_that_are_whole_or_refused(self):
        for options in ([], ["--chunks", "7"]):
            command = [PROGRAM, "rechunk" if options else "copy", "new", "out", "--replace", *options]
            num_killed = 0
            for k in range(16):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                shutil.copytree(self.folder / "old", self.folder / "out")
                process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
                instant = self.random.uniform(0, 0.15)
                try:
                    process.wait(instant)
                except subprocess.TimeoutExpired:
                    process.kill()
                    num_killed += process.wait() != 0
                self.check_arrays(instant)
                self.run_tessera(*command[1:])
                names = [name for name in self.files("out") if ".tessera" in name]
                self.assertEqual(names, [])
                for k in range(6):
                    values = zarr.open_array(str(self.folder / f"out/a{k}"))[...]
                    np.testing.assert_array_equal(values, np.arange(1000, 1200 + 10 * k))
                if not options:
                    self.assertEqual(self.files("out"), self.files("new"))
            self.assertGreater(num_killed, 0)


class OddPaths(Store):
    def test_of_bytes_that_are_no_text(self):
        name = b"caf\xe9"
        self.make("in", np.arange(6.), 2)
        folder = os.path.join(os.fsencode(self.folder), name)
        os.mkdir(folder)
        self.run_tessera("copy", b"../in", b"out", cwd=folder)
        self.run_tessera("rechunk", b"../in", b"wide", b"--chunks", b"3", cwd=folder)
        self.run_tessera("rechunk", b"in", b"arrays/" + name, b"--chunks", b"3", b"--work-dir", name)
        for path in (name + b"/wide", b"arrays/" + name):
            array = zarr.open_array(os.fsdecode(os.path.join(os.fsencode(self.folder), path)), mode="r")
            np.testing.assert_array_equal(array[:], np.arange(6.))
        self.assertEqual(files_of(pathlib.Path(os.fsdecode(folder), "out")), self.files("in"))

    def test_of_a_current_folder_that_was_removed(self):
        self.make("in", np.arange(6.), 2)
        gone = self.folder / "gone"
        command = f'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"'

        def run(*arguments):
            done = subprocess.run(["/bin/sh", "-c", command, PROGRAM, *map(str, arguments)], cwd=self.folder,
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertFalse(gone.exists())
            return done.returncode, done.stderr

        source, target = self.folder / "in", self.folder / "out"
        self.assertEqual(run("copy", source, target), (0, ""))
        self.assertEqual(self.files("out"), self.files("in"))
        for arguments in (("copy", "in", target), ("inspect", "in"),
                          ("rechunk", source, self.folder / "wide", "--chunks", "3")):
            code, complaint = run(*arguments)
            self.assertEqual(code, 1, complaint)
            self.assertIn("relative to the current directory, which cannot be found", complaint)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
