# SPDX-License-Identifier: Apache-2.0
"""Writes the committed corpora of the fuzz targets of metadata: files of zarr-python and
of further writers.

usage: make_metadata_corpus.py <folder corpus>
"""

import json
import pathlib
import sys

import numcodecs
import numpy as np
import zarr

RECORD = [("a", ">i2"), ("b", "<f4", (2,)), ("c", [("x", "|u1"), ("y", "<U2")])]


def arrays():
    """Yields the contents of `.zarray`."""
    for arguments in (
            {"dtype": "<f8", "fill_value": float("nan")},
            {"dtype": "|b1", "order": "F", "compressor": numcodecs.Zlib(3)},
            {"dtype": ">u8", "fill_value": 2**64 - 1, "dimension_separator": "/"},
            {"dtype": "<c16", "fill_value": 1 - 2j, "compressor": numcodecs.Zstd(1)},
            {"dtype": "<M8[10ns]", "fill_value": np.datetime64("NaT")},
            {"dtype": "|S5", "fill_value": b"ab", "filters": [numcodecs.Zlib(1)]},
            {"dtype": "<U3", "fill_value": "a\u20ac"},
            {"dtype": RECORD, "fill_value": None, "compressor": None},
            {"dtype": np.dtype([("a", "u1"), ("b", "<i4")], align=True), "fill_value": None}):
        store = {}
        zarr.create((7, 5), chunks=(3, 2), store=store, **arguments)
        yield store[".zarray"]
    yield json.dumps({"zarr_format": 2, "shape": [], "chunks": [], "dtype": "<i4", "order": "C",
                      "compressor": None, "fill_value": "0", "filters": [],
                      "_NCZARR_ARRAY": {"dimrefs": ["/x"], "storage": "scalar"}}).encode()


def inputs():
    """Yields target and input."""
    for text in arrays():
        yield "zarray", text
        yield "data_type", json.dumps(json.loads(text)["dtype"]).encode()
    yield "zattrs", json.dumps({"_ARRAY_DIMENSIONS": ["y", "x"], "valid": [float("nan"), 1e300],
                                "n": -3, "deep": {"a": [None, {"b": [True]}]}, "\u20ac": "\\u\""}).encode()
    yield "zattrs", b'{"_nczarr_array": {"dimrefs": ["/g/y"]}, "flags": [true, false], "e": []}'
    store = {}
    root = zarr.group(store)
    root.attrs["title"] = "winds"
    root.create_dataset("a/u", shape=(3, 4), chunks=(2, 2), dtype="<f4").attrs["x"] = float("inf")
    zarr.consolidate_metadata(store)
    yield "zmetadata", store[".zmetadata"]
    yield "zmetadata", store[".zgroup"]
    fills = ["true", "-128", "18446744073709551615", '"7"', "6.1e-5", '"NaN"', "-Infinity",
             '[0.5, "Infinity"]', "[1, -0.0]", '"YWI="', '"a\\u20ac"', '"AQID"', '"NaT"',
             '"AQIBAA=="']
    for choice, fill in enumerate(fills):
        yield "fill_value", bytes([choice]) + fill.encode()
    for name in ("0.0", "8999.1", "9000.0", "01.0", "1/1", "../b", "a\\..\\b", ".zattrs", "3.1.partial"):
        yield "chunk_key", name.encode()


def main():
    root = pathlib.Path(sys.argv[1])
    count = {}
    for target, data in inputs():
        folder = root / target
        folder.mkdir(parents=True, exist_ok=True)
        count[target] = count.get(target, 0) + 1
        (folder / f"{count[target]:02}").write_bytes(data)


if __name__ == "__main__":
    main()
