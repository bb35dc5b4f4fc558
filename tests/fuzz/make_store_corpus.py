# SPDX-License-Identifier: Apache-2.0
"""Writes the committed corpus of the fuzz target of whole stores: stores of zarr-python.

usage: make_store_corpus.py <folder corpus>

An input is a list of files: a byte that chooses a name, the size in 2 bytes, the contents.
"""

import pathlib
import sys

import numcodecs
import numpy as np
import zarr

NAMES = [
    ".zarray", ".zattrs", ".zgroup", ".zmetadata", "0", "1", "0.0", "0.1", "1.0", "0/0", "0/1",
    "0.0.0", "a/.zarray", "a/.zattrs", "a/0", "a/0.0", "a/b/.zarray", "a/b/0", "a/.zgroup"]
RECORD = np.dtype([("x", "<i2"), ("y", ">f4", (2,)), ("z", "S3")])


def arrays():
    """Yields a name, values, and how they are stored."""
    grid = np.arange(30).reshape(5, 6)
    yield "blosc", grid.astype("<i4"), dict(chunks=(3, 4))
    yield "big", grid.astype(">f8"), dict(chunks=(3, 4), compressor=numcodecs.Zlib(), order="F")
    yield "filters", grid.astype("<i4"), dict(
        chunks=(3, 4), filters=[numcodecs.Delta("<i4")], compressor=numcodecs.GZip())
    yield "zstd", grid.astype("<f2"), dict(
        chunks=(5, 6), compressor=numcodecs.Zstd(), dimension_separator="/")
    yield "raw", (np.arange(7) % 2).astype("?"), dict(chunks=(4,), compressor=None)
    yield "zero", np.array(3.5), dict(compressor=None)
    yield "record", np.zeros(5, RECORD), dict(chunks=(3,))
    yield "text", np.array(["a", "bcd"]), dict(chunks=(2,), compressor=numcodecs.LZ4())
    yield "time", np.array(["1970-01-02", "NaT"], "<M8[D]"), dict(chunks=(2,))


def packed(store):
    """Returns the files of a store as an input."""
    out = b""
    for key in sorted(store):
        if key in NAMES:
            value = bytes(store[key])
            out += bytes([NAMES.index(key)]) + len(value).to_bytes(2, "little") + value
    return out


def main(folder):
    """Writes one input for each array, and one of a group of arrays."""
    corpus = pathlib.Path(folder, "store")
    corpus.mkdir(parents=True, exist_ok=True)
    for name, values, settings in arrays():
        store = {}
        zarr.create(values.shape, dtype=values.dtype, store=store, **settings)[...] = values
        (corpus / name).write_bytes(packed(store))
    store = {}
    group = zarr.group(store)
    group.create_dataset("a", data=np.arange(4), chunks=2).attrs["units"] = "K"
    zarr.consolidate_metadata(store)
    (corpus / "group").write_bytes(packed(store))


if __name__ == "__main__":
    main(sys.argv[1])
