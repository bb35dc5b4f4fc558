# SPDX-License-Identifier: Apache-2.0
"""Runs the program tessera on stores that zarr-python wrote, and reads their outputs by zarr-python.

usage: commands_test.py <tessera>
"""

import contextlib
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numcodecs
import numpy as np
import zarr

PROGRAM = None


class Command(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name)

    def run_tessera(self, *arguments, code=0):
        """Runs the program in the folder; returns its output and its complaints."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, timeout=120,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def make(self, name, values, chunks, **options):
        """Stores `values` by zarr-python; returns the array."""
        attributes = options.pop("attributes", {})
        array = zarr.open_array(str(self.folder / name), mode="w", shape=values.shape,
                                dtype=values.dtype, chunks=chunks, **options)
        array[...] = values
        array.attrs.update(attributes)
        return array

    def opened(self, name):
        return zarr.open_array(str(self.folder / name), mode="r")


def positions(*shape, dtype="f4"):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


class Rechunk(Command):
    def make_maps(self, name="maps.zarr", **options):
        options = {"compressor": numcodecs.Blosc("zstd", 3), "fill_value": -1,
                   "attributes": {"_ARRAY_DIMENSIONS": ["time", "lat", "lon"], "units": "K"},
                   } | options
        return self.make(name, positions(60, 20, 31), (4, 20, 31), **options)

    def assert_copied(self, source, name, chunks, **changed):
        copy = self.opened(name)
        np.testing.assert_array_equal(copy[...], source[...])
        self.assertEqual(copy.chunks, chunks)
        self.assertEqual(dict(copy.attrs), dict(source.attrs))
        for member in ("compressor", "filters", "order", "fill_value", "dtype"):
            expected = changed.get(member, getattr(source, member))
            self.assertEqual(getattr(copy, member), expected, member)

    def test_names_axes_and_keeps_all_else(self):
        maps = self.make_maps()
        text, _ = self.run_tessera("rechunk", "maps.zarr", "lines.zarr",
                                   "--chunks", "time=60,lon=7", "--memory", "100MB")
        self.assert_copied(maps, "lines.zarr", (60, 20, 7))
        self.assertRegex(text, r"(?m)^cost: [\d,]+ tasks?, .* requests, .* s of work")
        self.assertFalse(list(self.folder.glob("tessera-work/*-*")), "something is left over")

    def test_takes_lengths_by_position(self):
        maps = self.make_maps()
        self.run_tessera("rechunk", "maps.zarr", "a.zarr", "--chunks", "60,all,3")
        self.assert_copied(maps, "a.zarr", (60, 20, 3))

    def test_goes_by_several_copies_where_memory_is_short(self):
        values = positions(2048, 1024, dtype="f8")
        rows = self.make("rows.zarr", values, (1, 1024), compressor=None,
                         attributes={"_ARRAY_DIMENSIONS": ["y", "x"]})
        text, _ = self.run_tessera("rechunk", "rows.zarr", "columns.zarr", "--chunks", "2048,1",
                                   "--memory", "1MB", "--workers", "1")
        self.assert_copied(rows, "columns.zarr", (2048, 1))
        read = re.search(r"cost: .* tasks, (\S+ \S+) read", text).group(1)
        # Directly, the 16.8 MB would be read for at most 64 columns at a time: 16 times or more.
        self.assertLess(float(read.split()[0]), 100, read)
        self.assertTrue(read.endswith(" MB"), read)

    def test_changes_the_compressor(self):
        maps = self.make_maps(filters=[numcodecs.Delta("f4")])
        for text, compressor in (
                ("none", None), ("zlib", numcodecs.Zlib(1)),
                ('{"id": "blosc", "cname": "lz4hc", "clevel": 7, "shuffle": 2}',
                 numcodecs.Blosc("lz4hc", 7, 2))):
            self.run_tessera("rechunk", "maps.zarr", "out.zarr", "--chunks", "time=60",
                             "--compressor", text, "--replace")
            self.assert_copied(maps, "out.zarr", (60, 20, 31), compressor=compressor)

    def test_takes_every_data_type(self):
        for number, dtype in enumerate(("i1", ">i4", "?", "c16", "S5", "<U3", "M8[s]", "f2",
                                        [("a", "i4"), ("b", "f8", (2,))])):
            values = np.zeros((10, 6), dtype)
            flat = values.reshape(-1).view("u1").reshape(60, -1)
            flat[:, 0] = np.arange(60) % 2 if dtype == "?" else np.arange(60)
            source = self.make(f"in{number}", values, (10, 1), order="F", fill_value=None)
            self.run_tessera("rechunk", f"in{number}", f"out{number}", "--chunks", "1,6")
            copy = self.opened(f"out{number}")
            self.assertEqual(copy[...].tobytes(), source[...].tobytes(), dtype)
            self.assertEqual((copy.dtype, copy.chunks, copy.order), (source.dtype, (1, 6), "F"))

    def test_rechunks_all_arrays_of_a_group(self):
        group = zarr.open_group(str(self.folder / "in.zarr"), mode="w")
        group.attrs["title"] = "both"
        for name, dimensions in (("t", ["time", "lat"]), ("deep/u", ["lat", "time"]),
                                 ("lat", ["lat"])):
            shape = [12 if dimension == "time" else 8 for dimension in dimensions]
            array = group.create_dataset(name, data=positions(*shape), chunks=[2] * len(shape))
            array.attrs["_ARRAY_DIMENSIONS"] = dimensions
        zarr.consolidate_metadata(str(self.folder / "in.zarr"))
        self.run_tessera("rechunk", "in.zarr", "out.zarr", "--chunks", "time=all")
        out = zarr.open_consolidated(str(self.folder / "out.zarr"))
        self.assertEqual(out.attrs["title"], "both")
        for name, chunks in (("t", (12, 2)), ("deep/u", (2, 12)), ("lat", (2,))):
            self.assertEqual(out[name].chunks, chunks)
            self.assertEqual(dict(out[name].attrs), dict(group[name].attrs))
            np.testing.assert_array_equal(out[name][...], group[name][...])

    def test_takes_an_array_inside_of_a_group(self):
        group = zarr.open_group(str(self.folder / "in.zarr"), mode="w")
        group.create_dataset("deep/u", data=positions(6, 4), chunks=(2, 2))
        self.run_tessera("rechunk", "in.zarr/deep/u", "out.zarr/v", "--chunks", "6,1")
        np.testing.assert_array_equal(zarr.open_group(str(self.folder / "out.zarr"))["v"][...],
                                      positions(6, 4))

    def test_only_plans(self):
        self.make_maps()
        text, _ = self.run_tessera("rechunk", "maps.zarr", "out.zarr", "--chunks", "time=60",
                                   "--plan")
        self.assertIn("2.0 GB are allowed", text)
        self.assertRegex(text, r"(?m)^    cost    [\d,]+ tasks?, ")
        self.assertRegex(text, r"(?m)^    reads   maps.zarr: .* requests?, ")
        self.assertFalse((self.folder / "out.zarr").exists())

    def test_prints_json(self):
        maps = self.make_maps()
        (self.folder / "maps.zarr/notes.txt").write_text("mine")
        command = ("rechunk", "maps.zarr", "out.zarr", "--chunks", "time=60", "--json")
        planned = json.loads(self.run_tessera(*command, "--plan")[0])
        self.assertFalse((self.folder / "out.zarr").exists())
        self.assertFalse(planned["is_complete"])
        done = json.loads(self.run_tessera(*command)[0])
        self.assert_copied(maps, "out.zarr", (60, 20, 31))
        self.assertEqual(done.pop("is_complete"), True)
        self.assertEqual(done["plan"]["operations"][0]["reads"], planned["plan"]["operations"][0]["reads"])
        del done["plan"]
        self.assertEqual(done, {"from": "maps.zarr", "to": "out.zarr", "byte_for_byte": {"arrays": 0, "chunks": 0},
                                "not_copied": ["notes.txt"], "kept": []})

    def test_prints_json_of_a_copy_byte_for_byte(self):
        self.make_maps()
        copied = json.loads(self.run_tessera("copy", "maps.zarr", "out.zarr", "--json")[0])
        self.assertEqual(copied["byte_for_byte"], {"arrays": 1, "chunks": 15})
        self.assertIsNone(copied["plan"])

    def test_shows_on_a_terminal_how_far_it_is(self):
        # By default, a bar is there from one second on; `always` shows one at once.
        self.make("in.zarr", positions(100, 100, dtype="i4"), (10, 100), compressor=None)
        command = [PROGRAM, "rechunk", "in.zarr", "out.zarr", "--chunks", "1,1", "--memory", "30kB",
                   "--workers", "1"]
        terminal, program_side = pty.openpty()
        self.addCleanup(os.close, terminal)
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=program_side,
                              text=True, env=os.environ | {"TESSERA_PROGRESS": "always"}) as running:
            os.close(program_side)
            shown = b""
            with contextlib.suppress(OSError):  # EIO: the last writer has gone
                while part := os.read(terminal, 4096):
                    shown += part
            table = running.stdout.read()
        self.assertEqual(running.returncode, 0, shown)
        num_tasks = re.search(r"(?m)^cost: ([\d,]+) tasks?,", table).group(1)
        bars = re.findall(r"\[(#*) *\] +(\d+) %  ([\d,]+)/([\d,]+) tasks", shown.decode())
        self.assertEqual(bars[-1], ("#" * 20, "100", num_tasks, num_tasks), shown)
        self.assertEqual({total for *_, total in bars}, {num_tasks})
        self.assertGreater(len(bars), 1)
        done = [int(percent) for _, percent, *_ in bars]
        self.assertEqual(done, sorted(done))

        # Elsewhere plain lines, the first after half a minute.
        _, complaint = self.run_tessera(*command[1:], "--replace")
        self.assertNotRegex(complaint, r"[\x1b\r]")

    def test_goes_on_where_it_was_killed(self):
        values = positions(2000, 600, dtype="i4")
        source = self.make("in.zarr", values, (1, 600), compressor=None)
        command = [PROGRAM, "rechunk", "in.zarr", "out.zarr", "--chunks", "20,30",
                   "--memory", "200kB", "--workers", "1"]
        out = self.folder / "out.zarr"
        num_chunks = 100 * 20

        def stored():
            if not out.is_dir():
                return {}
            with os.scandir(out) as files:
                return {file.name: file.stat().st_mtime_ns for file in files
                        if re.fullmatch(r"\d+\.\d+", file.name)}

        running = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL)
        while running.poll() is None and len(stored()) < 200:
            time.sleep(0.001)
        running.send_signal(signal.SIGKILL)
        running.wait()
        before = stored()
        self.assertGreaterEqual(len(before), 200)
        self.assertLess(len(before), num_chunks, "it was not killed in time")
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120,
                              check=True)
        self.assertIn("continu", done.stderr + done.stdout)
        after = stored()
        self.assertEqual(len(after), num_chunks)
        kept = sum(after[name] == when for name, when in before.items())
        # Chunks that it was writing when it was killed are written again.
        self.assertGreater(kept, len(before) - 50)
        np.testing.assert_array_equal(self.opened("out.zarr")[...], source[...])

    def test_keeps_what_is_there(self):
        self.make_maps()
        self.make("out.zarr", positions(3), (3,))
        _, complaint = self.run_tessera("rechunk", "maps.zarr", "out.zarr", "--chunks", "time=60",
                                        code=1)
        self.assertIn("out.zarr", complaint)
        self.assertEqual(self.opened("out.zarr").shape, (3,))
        self.run_tessera("rechunk", "maps.zarr", "out.zarr", "--chunks", "time=60", "--replace")
        self.assertEqual(self.opened("out.zarr").shape, (60, 20, 31))

    def test_says_what_is_wrong(self):
        self.make_maps()
        self.make("plain.zarr", positions(4, 4), (2, 2))
        for arguments, message in (
                (["maps.zarr", "--chunks", "tme=3"],
                 "--chunks: 'tme' is no dimension (did you mean \"time\"?); there are time (60), "
                 "lat (20), lon (31)"),
                (["plain.zarr", "--chunks", "time=3"],
                 "--chunks: 'time' is no dimension: those of plain.zarr have no names; write "
                 "lengths by position, as 8760,72,144"),
                (["maps.zarr", "--chunks", "4,4"],
                 "--chunks: 2 lengths are given for maps.zarr of shape (60, 20, 31); give one for "
                 "each of its 3 axes"),
                (["maps.zarr", "--chunks", "time=0"],
                 "--chunks: '0' is no length of a chunk: write a number of elements from 1 on, or "
                 "all"),
                (["maps.zarr", "--chunks", "time=3,4"],
                 "--chunks: 'time=3,4' names some dimensions and not others; write "
                 "time=8760,latitude=72 or, for all by position, 8760,72,144"),
                (["maps.zarr", "--chunks", "lat=3,lat=4"],
                 "--chunks: 'lat' is there twice; say it once"),
                (["maps.zarr", "--chunks", "time=3", "--memory", "much"],
                 '--memory: "much" is no memory for a task; write a positive size, as in 2GB or '
                 "512MiB")):
            with self.subTest(arguments):
                _, complaint = self.run_tessera("rechunk", arguments[0], "out.zarr",
                                                *arguments[1:], code=1)
                # A path is as it was given, or whole.
                self.assertEqual(complaint.strip().replace(f"{self.folder}/", ""), message)
                self.assertFalse((self.folder / "out.zarr").exists())

    def test_refuses_what_does_not_fit(self):
        self.make_maps()
        _, complaint = self.run_tessera("rechunk", "maps.zarr", "out.zarr", "--chunks", "time=60",
                                        "--memory", "20kB", code=1)
        self.assertIn("but the allowed memory is 20.0 kB (20,000 B)", complaint)
        for arguments in (["nowhere.zarr", "out.zarr", "--chunks", "1"],
                          ["maps.zarr", "out.zarr", "--chunks", "time=3", "--compressor", "zip"]):
            _, complaint = self.run_tessera("rechunk", *arguments, code=1)
            self.assertEqual(complaint.count("\n"), 1, complaint)
        for arguments in (["rechunk", "maps.zarr", "out.zarr"], ["rechunk"], [], ["shrink"],
                          ["copy", "maps.zarr", "out.zarr", "--workers", "0"]):
            self.run_tessera(*arguments, code=2)


class Copy(Command):
    def test_copies_a_group_with_all_that_is_in_it(self):
        group = zarr.open_group(str(self.folder / "in.zarr"), mode="w")
        group.create_dataset("a", data=positions(7, 5), chunks=(3, 2),
                             compressor=numcodecs.BZ2(), order="F")
        group.create_dataset("b/c", data=np.array([b"x", b"yz"]), chunks=1)
        group["b"].attrs["level"] = 2
        group.create_group("empty").attrs["nothing"] = True
        self.run_tessera("copy", "in.zarr", "out.zarr", "--workers", "1")
        out = zarr.open_group(str(self.folder / "out.zarr"), mode="r")
        self.assertEqual(out["b"].attrs["level"], 2)
        self.assertEqual(out["empty"].attrs["nothing"], True)
        for name in ("a", "b/c"):
            source, copy = group[name], out[name]
            np.testing.assert_array_equal(copy[...], source[...])
            for member in ("chunks", "compressor", "order", "dtype", "filters", "fill_value"):
                self.assertEqual(getattr(copy, member), getattr(source, member), member)

    def test_copies_an_array_into_other_codecs(self):
        self.make("in.zarr", positions(9, 9), (4, 4))
        self.run_tessera("copy", "in.zarr", "out.zarr", "--compressor", "zstd")
        copy = self.opened("out.zarr")
        self.assertEqual((copy.chunks, copy.compressor.codec_id), ((4, 4), "zstd"))
        np.testing.assert_array_equal(copy[...], positions(9, 9))


class Calls(Command):
    def test_that_name_no_command_are_told(self):
        for arguments, message in (
                (["bogus"], "tessera: 'bogus' is no command; there are rechunk, copy, inspect, verify, diff, stats, plan, runs, watch, "
                            "report, study, manual; tessera --help explains them"),
                (["inspct", "a"], "tessera: 'inspct' is no command (did you mean \"inspect\"?); there are"),
                (["merge", "a", "b"], "tessera: 'merge' is no command"),
                ([], "rechunk"),
                (["copy", "a", "b", "--workers", "0"], "'0' is no number of threads: write one from 1 on")):
            _, complaint = self.run_tessera(*arguments, code=2)
            self.assertIn(message, complaint)

    def test_with_a_path_that_no_shell_replaced_are_refused(self):
        self.make("in", positions(3), 3)
        _, complaint = self.run_tessera("copy", "in", "~/out", code=1)
        self.assertIn("OUT: '~/out' begins with ~", complaint)
        self.assertFalse((self.folder / "~").exists())

    def test_with_empty_chunks_are_refused(self):
        self.make("in", positions(3), 3)
        self.assertIn("'' is no length of a chunk", self.run_tessera("rechunk", "in", "out", "--chunks", "", code=1)[1])


class Help(Command):
    def test_names_commands_and_options(self):
        text, _ = self.run_tessera("--help")
        for word in ("rechunk", "copy", "inspect", "report", "--tessera-executor"):
            self.assertIn(word, text)
        text, _ = self.run_tessera("rechunk", "--help")
        for word in ("--chunks", "--memory", "--plan", "--compressor", "--workers"):
            self.assertIn(word, text)
        self.assertRegex(self.run_tessera("--version")[0], r"^tessera \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
