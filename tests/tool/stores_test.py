# SPDX-License-Identifier: Apache-2.0
"""Runs the program tessera on stores behind HTTP, on references and with shards.

usage: stores_test.py <tessera> [http] [s3]

The stores are written by hand. The expected bytes follow the Zarr specifications of versions 2 and 3.
"""

import functools
import http.server
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.parse

PROGRAM = None


def v2_array(shape, chunks, fill=0):
    return json.dumps({"zarr_format": 2, "shape": shape, "chunks": chunks, "dtype": "<i2", "compressor": None,
                       "fill_value": fill, "filters": None, "order": "C"})


def v3_array(shape, chunks, names):
    return json.dumps({"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "int16",
                       "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
                       "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "dimension_names": names,
                       "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], "attributes": {}})


def chunk(*values):
    return struct.pack(f"<{len(values)}h", *values)


def parts_of(shard, count):
    """Returns the inner chunks of a shard with its index and checksum at the end, None for missing ones."""
    size = 16 * count + 4
    numbers = struct.unpack(f"<{2 * count}Q", shard[-size:-4])
    missing = 2**64 - 1
    return [None if begin == missing else shard[begin:begin + length]
            for begin, length in zip(numbers[::2], numbers[1::2])]


class RangeHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files with single ranges of bytes (RFC 9110, 14.2)."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.targets.append(self.path)
        path = pathlib.Path(self.translate_path(self.path))
        data = path.read_bytes() if path.is_file() else None
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if data is None:
            self.answer(404, b"")
        elif not match:
            self.answer(200, data)
        elif int(match[1]) >= len(data):
            self.answer(416, b"", f"bytes */{len(data)}")
        else:
            end = min(int(match[2]) + 1 if match[2] else len(data), len(data))
            self.answer(206, data[int(match[1]):end], f"bytes {match[1]}-{end - 1}/{len(data)}")

    def answer(self, status, body, content_range=None):
        self.send_response(status)
        if content_range:
            self.send_header("Content-Range", content_range)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Store(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = pathlib.Path(directory.name).resolve()

    def run_tessera(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, timeout=120, capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def put(self, files):
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def files(self, name):
        root = self.folder / name
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    def put_matrix(self, name):
        """An array of 3 x 5 in chunks of 2 x 2, without the chunk (1, 1)."""
        self.put({f"{name}/.zarray": v2_array([3, 5], [2, 2]), f"{name}/.zattrs": '{"units": "K"}',
                  f"{name}/0.0": chunk(1, 2, 6, 7), f"{name}/0.1": chunk(3, 4, 8, 9), f"{name}/0.2": chunk(5, 0, 10, 0),
                  f"{name}/1.0": chunk(11, 12, 0, 0), f"{name}/1.2": chunk(15, 0, 0, 0)})


class References(Store):
    def test_are_copied_and_verified(self):
        self.put({"files/all.bin": b"head" + chunk(1, 2, 3) + chunk(4, 5, 0)})
        self.put({"x.json": json.dumps({"version": 1, "refs": {
            ".zgroup": '{"zarr_format": 2}', "x/.zarray": v2_array([5], [3]), "x/.zattrs": "{}",
            "x/0": ["files/all.bin", 4, 6], "x/1": ["files/all.bin", 10, 6]}})})
        self.run_tessera("copy", f"reference://{self.folder}/x.json", "out")
        files = self.files("out")
        self.assertEqual((files["x/0"], files["x/1"]), (chunk(1, 2, 3), chunk(4, 5, 0)))
        self.assertEqual(json.loads(files["x/.zarray"]), json.loads(v2_array([5], [3])))
        text = self.run_tessera("inspect", "--verify", f"reference://{self.folder}/x.json")
        self.assertIn("verified: 1 array, 2 chunks", text)

    def test_that_lead_nowhere_are_bad(self):
        self.put({"x.json": json.dumps({".zarray": v2_array([2], [2]), "0": ["gone.bin", 0, 4]})})
        text = self.run_tessera("inspect", "--verify", f"reference://{self.folder}/x.json", code=1)
        self.assertIn("BAD 0: ", text)
        self.assertIn("gone.bin", text)


class Shards(Store):
    def setUp(self):
        super().setUp()
        self.put({"in/zarr.json": v3_array([10], [2], ["t"])})
        self.put({f"in/c/{i}": chunk(2 * i, 2 * i + 1) for i in range(5)})

    def test_hold_the_chunks_of_a_copy(self):
        self.run_tessera("copy", "in", "out", "--shards", "t=4")
        files = self.files("out")
        self.assertEqual(sorted(files), ["c/0", "c/1", "c/2", "zarr.json"])
        self.assertEqual(parts_of(files["c/0"], 2), [chunk(0, 1), chunk(2, 3)])
        self.assertEqual(parts_of(files["c/2"], 2)[0], chunk(8, 9))
        document = json.loads(files["zarr.json"])
        self.assertEqual(document["chunk_grid"]["configuration"]["chunk_shape"], [4])
        self.assertEqual(document["codecs"][0]["name"], "sharding_indexed")
        self.assertEqual(document["codecs"][0]["configuration"]["chunk_shape"], [2])
        self.run_tessera("copy", "out", "back", "--shards", "none")
        chunks = {name: data for name, data in self.files("back").items() if name != "zarr.json"}
        self.assertEqual(chunks, {f"c/{i}": chunk(2 * i, 2 * i + 1) for i in range(5)})

    def test_of_a_whole_dimension_hold_whole_chunks(self):
        self.run_tessera("rechunk", "in", "out", "--chunks", "4", "--shards", "all")
        files = self.files("out")
        self.assertEqual(json.loads(files["zarr.json"])["chunk_grid"]["configuration"]["chunk_shape"], [12])
        self.assertEqual(parts_of(files["c/0"], 3)[:2], [chunk(0, 1, 2, 3), chunk(4, 5, 6, 7)])

    def test_are_copied_byte_for_byte(self):
        self.run_tessera("copy", "in", "out", "--shards", "4")
        self.run_tessera("copy", "out", "again")
        self.assertEqual(self.files("again"), self.files("out"))
        text = self.run_tessera("inspect", "--verify", "again")
        self.assertRegex(text, r"\n  3 shards, \d+ B stored, 24 B decoded, compressed 0\.\d\d times, 2 chunks a shard\n")
        self.assertIn("verified: 1 array, 3 shards, 24 B decoded; 0 chunks missing; nothing bad", text)
        total = json.loads(self.run_tessera("inspect", "again", "--json"))["total"]
        self.assertEqual((total["chunks"], total["shards"]), (3, 3))

    def test_of_any_data_type_are_copied_byte_for_byte(self):
        for data_type, fill, codec in (("string", "", "vlen-utf8"), ("variable_length_bytes", "", "vlen-bytes"),
                                       ("float8_e4m3", 0.0, "bytes"), ("int4", 0, "bytes")):
            document = {**json.loads(v3_array([3], [2], ["t"])), "data_type": data_type, "fill_value": fill,
                        "codecs": [{"name": codec}]}
            self.put({"g/zarr.json": '{"zarr_format": 3, "node_type": "group", "attributes": {}}',
                      f"g/{data_type}/zarr.json": json.dumps(document), f"g/{data_type}/c/0": b"any bytes",
                      f"g/{data_type}/c/1": b"more"})
        self.assertIn("copied byte for byte: 4 arrays, 8 chunks", self.run_tessera("copy", "g", "all"))
        self.assertEqual(self.files("all"), self.files("g"))
        text = self.run_tessera("inspect", "g", code=1)
        for data_type in ("string", "variable_length_bytes", "float8_e4m3", "int4"):
            self.assertIn(f'"{data_type}"', text)

    def test_have_a_grid_of_their_own(self):
        def part(row, column):
            """The chunk of (2, 2) at a position of the grid of chunks; the element at (i, j) is 10 i + j + 1."""
            elements = [(i, j) for i in (2 * row, 2 * row + 1) for j in (2 * column, 2 * column + 1)]
            return chunk(*(10 * i + j + 1 if i < 7 and j < 9 else 0 for i, j in elements))

        self.put({"grid/zarr.json": v3_array([7, 9], [2, 2], ["y", "x"])})
        self.put({f"grid/c/{row}/{column}": part(row, column) for row in range(4) for column in range(5)})
        self.run_tessera("copy", "grid", "out", "--shards", "4,6")
        files = self.files("out")
        self.assertEqual(sorted(files), ["c/0/0", "c/0/1", "c/1/0", "c/1/1", "zarr.json"])
        for row in range(2):
            for column in range(2):
                parts = parts_of(files[f"c/{row}/{column}"], 6)
                self.assertEqual(parts, [part(2 * row + i, 3 * column + j) for i in range(2) for j in range(3)])
        text = self.run_tessera("inspect", "--verify", "out")
        self.assertRegex(text, r"\n  4 shards, \d+ B stored, .*, 6 chunks a shard\n")
        self.assertIn("verified: 1 array, 4 shards, 192 B decoded; 0 chunks missing; nothing bad", text)
        self.run_tessera("copy", "out", "back", "--shards", "none")
        self.assertEqual({name: data for name, data in self.files("back").items() if name != "zarr.json"},
                         {f"c/{row}/{column}": part(row, column) for row in range(4) for column in range(5)})

    def test_are_refused_where_they_cannot_be(self):
        self.put_matrix("two")
        self.assertIn("Zarr v2 has no shards", self.run_tessera("copy", "two", "out", "--shards", "4,4", code=1))
        self.assertIn("--shards: 'x' is no dimension", self.run_tessera("copy", "in", "out", "--shards", "x=4", code=1))
        self.assertIn("must divide the shard's, (3,)", self.run_tessera("copy", "in", "out", "--shards", "3", code=1))
        self.assertFalse((self.folder / "out").exists())
        self.run_tessera("copy", "two", "out", "--shards", "2,4", "--format", "3")
        self.assertEqual(parts_of(self.files("out")["c/0/0"], 2), [chunk(1, 2, 6, 7), chunk(3, 4, 8, 9)])


class ListHandler(RangeHandler):
    """Lists keys with their sizes, too, as ListObjectsV2 of S3 does."""

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        if "list-type" not in query:
            return super().do_GET()
        self.server.targets.append("list")
        bucket = pathlib.Path(self.directory) / url.path.strip("/")
        prefix, is_flat = query.get("prefix", [""])[0], "delimiter" in query
        values, folders = "", set()
        for path in sorted(path for path in bucket.rglob("*") if path.is_file()):
            key = str(path.relative_to(bucket))
            if not key.startswith(prefix):
                continue
            name, slash, _ = key[len(prefix):].partition("/")
            if is_flat and slash:
                folders.add(prefix + name + slash)
            else:
                values += f"<Contents><Key>{key}</Key><Size>{path.stat().st_size}</Size></Contents>"
        values += "".join(f"<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>" for folder in folders)
        return self.answer(200, f"<ListBucketResult>{values}</ListBucketResult>".encode())

    def do_HEAD(self):
        self.do_GET()


class Servers(Store):
    handler = RangeHandler

    def setUp(self):
        super().setUp()
        handler = functools.partial(self.handler, directory=str(self.folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.targets = []
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def put_group(self):
        self.put_matrix("g.zarr/a/x")
        self.put({"g.zarr/.zgroup": '{"zarr_format": 2}', "g.zarr/a/.zgroup": '{"zarr_format": 2}'})
        names = [".zgroup", "a/.zgroup", "a/x/.zarray", "a/x/.zattrs"]
        documents = {name: json.loads((self.folder / "g.zarr" / name).read_text()) for name in names}
        self.put({"g.zarr/.zmetadata": json.dumps({"zarr_consolidated_format": 1, "metadata": documents})})

    def test_give_arrays_byte_for_byte(self):
        self.put_matrix("m")
        self.run_tessera("copy", f"{self.url}/m", "out")
        self.assertEqual(self.files("out"), self.files("m"))

    def test_give_groups_with_consolidated_metadata(self):
        self.put_group()
        self.run_tessera("copy", f"{self.url}/g.zarr", "out")
        original, copied = self.files("g.zarr"), self.files("out")
        consolidated = [json.loads(files.pop(".zmetadata"))["metadata"] for files in (original, copied)]
        self.assertEqual(*consolidated)
        self.assertEqual(sorted(copied), sorted(original))
        self.assertEqual({name: data for name, data in copied.items() if "/.z" not in f"/{name}"},
                         {name: data for name, data in original.items() if "/.z" not in f"/{name}"})

    def test_are_inspected_and_verified(self):
        self.put_group()
        text = self.run_tessera("inspect", "--verify", f"{self.url}/g.zarr")
        self.assertIn("verified: 1 array, 5 chunks", text)
        self.assertIn("1 chunk missing; nothing bad", text)
        self.put({"g.zarr/a/x/1.2": b"short"})
        self.assertIn("BAD a/x/1.2", self.run_tessera("inspect", "--verify", f"{self.url}/g.zarr", code=1))

    def test_are_asked_once_for_a_chunk_and_its_size(self):
        self.put_group()
        text = self.run_tessera("inspect", f"{self.url}/g.zarr")
        self.assertIn("5 chunks and 1 missing, 40 B stored", text)
        asked = [target for target in self.server.targets if re.search(r"/a/x/\d\.\d$", target)]
        self.assertEqual(sorted(asked), [f"/g.zarr/a/x/{i}.{j}" for i in range(2) for j in range(3)])

    def test_have_no_lists_of_groups_without_consolidated_metadata(self):
        self.put({"g/.zgroup": '{"zarr_format": 2}'})
        self.assertIn("have no lists", self.run_tessera("inspect", f"{self.url}/g", code=1))
        self.assertIn("have no lists", self.run_tessera("copy", f"{self.url}/g", "out", code=1))

    def test_without_a_node_are_told(self):
        for command in (["inspect"], ["copy"]):
            target = ["out"] if command == ["copy"] else []
            self.assertIn(f"{self.url}/gone has neither an array nor a group",
                          self.run_tessera(*command, f"{self.url}/gone", *target, code=1))

    def test_give_groups_of_zarr_python(self):
        """Its entries of groups have consolidated metadata without the nodes below (zarr-python #2921)."""
        group = {"zarr_format": 3, "node_type": "group", "attributes": {}}
        array = v3_array([2], [2], ["x"])
        inline = {"kind": "inline", "must_understand": False}
        entries = {"deep": {**group, "consolidated_metadata": {**inline, "metadata": {}}}, "deep/x": json.loads(array)}
        root = {**group, "consolidated_metadata": {**inline, "metadata": entries}}
        self.put({"p.zarr/zarr.json": json.dumps(root), "p.zarr/deep/zarr.json": json.dumps(group),
                  "p.zarr/deep/x/zarr.json": array, "p.zarr/deep/x/c/0": chunk(1, 2)})
        text = self.run_tessera("verify", f"{self.url}/p.zarr")
        self.assertIn("verified: 1 array, 1 chunk", text)
        self.assertIn("nothing bad", text)

    def test_are_rechunked_into_shards(self):
        self.put_matrix("m")
        self.run_tessera("rechunk", f"{self.url}/m", "out", "--chunks", "1,5", "--shards", "3,5", "--format", "3")
        self.assertEqual(parts_of(self.files("out")["c/0/0"], 3),
                         [chunk(1, 2, 3, 4, 5), chunk(6, 7, 8, 9, 10), chunk(11, 12, 0, 0, 15)])


class Buckets(Servers):
    handler = ListHandler

    def test_are_asked_for_no_chunk_where_lists_tell_sizes(self):
        self.put_matrix("bucket/g/x")
        self.put({"bucket/g/.zgroup": '{"zarr_format": 2}'})
        text = self.run_tessera("inspect", f"{self.url.replace('http', 's3+http')}/bucket/g?anonymous")
        self.assertIn("5 chunks and 1 missing, 40 B stored", text)
        self.assertEqual([target for target in self.server.targets if re.search(r"/\d\.\d$", target)], [])


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    if "http" not in sys.argv[2:]:
        del Servers
    if "s3" not in sys.argv[2:]:
        del Buckets
    unittest.main(argv=sys.argv[:1])
