# SPDX-License-Identifier: Apache-2.0
"""Runs `tessera inspect` on a store with known damage.

usage: inspect_test.py <tessera>
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zlib

PROGRAM = None


def array(**changes):
    """Returns the text of a .zarray."""
    return json.dumps({
        "zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<i4", "fill_value": 0,
        "order": "C", "filters": None, "compressor": {"id": "zlib", "level": 1}} | changes)


class Inspect(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.root = pathlib.Path(self.directory.name, "data.zarr")
        self.put(".zgroup", '{"zarr_format": 2}')
        self.put(".zattrs", '{"title": "known"}')
        self.put("good/.zarray", array())
        self.put("good/.zattrs", '{"units": "K"}')
        self.put("good/0", zlib.compress(bytes(8)))
        self.put("good/1", zlib.compress(bytes(8)))
        self.put("deep/.zgroup", '{"zarr_format": 2}')
        nested = array(shape=[2, 2], chunks=[1, 2], compressor=None, dimension_separator="/")
        self.put("deep/nested/.zarray", nested)
        self.put("deep/nested/0/0", bytes(8))

    def put(self, key, value):
        path = self.root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value.encode() if isinstance(value, str) else value)

    def run_inspect(self, *options):
        """Returns the exit code, the keys that are bad, and all that is printed."""
        done = subprocess.run([PROGRAM, "inspect", self.root, *options], capture_output=True, text=True,
                              timeout=60, check=False)
        bad = re.findall(r"^BAD (\S*): ", done.stdout, re.MULTILINE)
        return done.returncode, sorted(bad), done.stdout

    def test_a_store_without_damage_is_good(self):
        code, bad, text = self.run_inspect("--verify")
        self.assertEqual((code, bad), (0, []), text)
        for part in ('"known"', '"<i4"', "shape", "[4]", "zlib", '"K"', "nested",
                     '"fill_value": 0', "2 chunks, ", "1 chunk and 1 missing, "):
            self.assertIn(part, text)

    def test_a_ratio_is_what_is_decoded_over_what_is_stored(self):
        self.put("good/.zarray", array(shape=[2000], chunks=[1000]))
        stored = zlib.compress(bytes(4000))
        self.put("good/0", stored)
        self.put("good/1", stored)
        ratio = f"{4000 / len(stored):.2f} times"
        self.assertIn(ratio, self.run_inspect()[2])

    def test_totals_are_those_of_all_arrays(self):
        self.put("good/.zarray", array(shape=[3000], chunks=[1000]))
        stored = zlib.compress(bytes(4000))
        self.put("good/0", stored)
        self.put("good/1", stored)
        bytes_stored = 2 * len(stored) + 8
        expected = (f"total: 2 arrays, 3 chunks and 2 missing, {bytes_stored} B stored, "
                    f"8.0 kB (8,008 B) decoded, compressed {8008 / bytes_stored:.2f} times\n")
        self.assertIn(expected, self.run_inspect()[2])

    def test_it_says_what_it_has_verified(self):
        code, _, text = self.run_inspect("--verify")
        self.assertEqual(code, 0)
        self.assertTrue(text.endswith("\nverified: 2 arrays, 3 chunks, 24 B decoded; "
                                      "1 chunk missing; nothing bad\n"), text)
        self.put("good/1", b"no zlib")
        self.assertTrue(self.run_inspect("--verify")[2].endswith(
            "\nverified: 2 arrays, 2 chunks, 16 B decoded; 1 chunk missing; 1 thing bad\n"))
        self.assertNotIn("verified", self.run_inspect()[2])

    def test_help_tells_how_it_is_called(self):
        done = subprocess.run([PROGRAM, "inspect", "--help"], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for part in ("tessera inspect [OPTIONS] PATH", "Prints the contents", "--verify  "):
            self.assertIn(part, done.stdout)

    def test_every_damage_is_reported_by_its_key(self):
        self.put("good/1", zlib.compress(bytes(8))[:-3])
        self.put("good/7", zlib.compress(bytes(8)))
        self.put("deep/nested/1/0", bytes(7))
        self.put("long/.zarray", array(compressor=None))
        self.put("long/0", bytes(9))
        self.put("long/1", bytes(8))
        self.put("folder/.zarray", array())
        os.makedirs(self.root / "folder/1")
        self.put("pipe/.zarray", array())
        os.mkfifo(self.root / "pipe/0")
        self.put("broken/.zarray", array()[:-5])
        self.put("unknown/.zarray", array(compressor={"id": "none such"}))
        self.put("none/0", "a chunk without .zarray")
        self.put("attributes/.zattrs", "{}")
        self.put("implied/group/.zarray", array())
        self.put("three/zarr.json", '{"zarr_format": 3}')
        code, bad, text = self.run_inspect("--verify")
        expected = ["attributes/.zgroup", "broken/.zarray", "deep/nested/1/0", "folder/1/", "good/1", "good/7",
                    "implied/.zgroup", "long/0", "none/.zarray", "pipe/0", "three/zarr.json", "unknown/.zarray"]
        self.assertEqual((code, sorted(set(bad))), (1, expected), text)

    def test_chunks_are_read_only_when_asked(self):
        self.put("good/1", b"no zlib")
        self.assertEqual(self.run_inspect()[:2], (0, []))
        self.assertEqual(self.run_inspect("--verify")[:2], (1, ["good/1"]))

    def test_missing_chunks_are_noted_where_nothing_says_what_they_hold(self):
        self.put("null/.zarray", array(fill_value=None, compressor=None))
        self.put("null/0", bytes(8))
        code, bad, text = self.run_inspect("--verify")
        self.assertEqual((code, bad), (0, []), text)
        self.assertIn("note null/1: missing, and the array states no fill value", text)
        self.put("null/1", b"")
        self.assertEqual(self.run_inspect("--verify")[:2], (1, ["null/1"]))
        self.put("null/1", bytes(8))
        code, bad, text = self.run_inspect("--verify")
        self.assertEqual((code, bad), (0, []))
        self.assertNotIn("note", text)

    def test_files_that_no_zarr_writer_made_are_noted(self):
        names = ["good/.DS_Store", "good/._0.0", "good/Thumbs.db", "good/.nfs0001", "good/README.md",
                 "deep/nested/plots/0.png", ".git/config", "plots/a.png", ".ipynb_checkpoints/b", "deep/x.txt"]
        for name in names:
            self.put(name, "mine")
        code, bad, text = self.run_inspect("--verify")
        self.assertEqual((code, bad), (0, []), text)
        for name in names[:5] + ["deep/nested/plots/", ".git/", "plots/", ".ipynb_checkpoints/", "deep/x.txt"]:
            self.assertIn(f"note {name}: no part of a Zarr store\n", text)
        self.assertEqual(text.count("note "), 10)

    def test_what_is_no_store_is_told(self):
        for name, message in (("a.zip", "it is a file"), ("nothing", "it does not exist"),
                              ("abc://bucket/a", 'this program knows no stores of the scheme "abc"')):
            (self.root.parent / "a.zip").write_bytes(b"PK")
            done = subprocess.run([PROGRAM, "inspect", name], cwd=self.root.parent, capture_output=True, text=True,
                                  timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(message, done.stderr)
        done = subprocess.run([PROGRAM, "inspect", f"file://{self.root}"], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_bad_attributes_hide_no_chunks(self):
        self.put("good/.zattrs", '{"a": 1, "a": 2}')
        self.put("good/1", b"no zlib")
        self.assertEqual(self.run_inspect("--verify")[:2], (1, ["good/.zattrs", "good/1"]))

    def test_a_single_array_is_a_store(self):
        self.root = self.root / "good"
        self.assertEqual(self.run_inspect("--verify")[:2], (0, []))

    def test_wrong_calls_are_told_apart(self):
        self.assertEqual(self.run_inspect("--everything")[0], 2)
        self.root = self.root / "nothing here"
        self.assertEqual(self.run_inspect()[0], 1)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
