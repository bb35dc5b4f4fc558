# SPDX-License-Identifier: Apache-2.0
"""Writes the committed corpus of the fuzz target of whole stores of Zarr version 3: stores of
zarr-python 3, and documents of codecs that zarr-python 3.1 has not.

usage: make_store_v3_corpus.py <folder corpus>
"""

import json
import pathlib
import sys

import numpy as np
import zarr

NAMES = ["zarr.json", "c", "c/0", "c/1", "c/0/0", "c/0/1", "c/1/0", "c/1/1", "0", "0.0", "c.0.0",
         "a/zarr.json", "a/c/0", "a/b/zarr.json", "a/b/c/0"]


def arrays():
    """Yields a name, values, and how they are stored."""
    grid = np.arange(24).reshape(4, 6)
    yield "chunks", grid.astype("i4"), dict(chunks=(2, 3))
    yield "shards", grid.astype("i4"), dict(chunks=(2, 3), shards=(4, 6))
    yield "plain_shards", grid.astype("f8"), dict(chunks=(1, 2), shards=(2, 6), compressors=None)
    yield "time", np.array(["1970-01-02", "NaT"], "M8[D]"), dict(chunks=(2,))
    yield "text", np.array(["a", "bcd"]), dict(chunks=(2,))
    yield "zero", np.array(3.5), dict(chunks=())
    yield "flat_keys", grid.astype("u2"), dict(
        chunks=(4, 6), chunk_key_encoding={"name": "v2", "separator": "."})


def documents():
    """Yields a name, the data type, the fill value, the codecs, and the bytes of eleven elements."""
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    yield "bfloat16", "bfloat16", 1.5, [little], bytes(range(22))
    yield "packbits", "bool", False, [
        {"name": "packbits", "configuration": {"padding_encoding": "last_byte"}}], b"\x0d\x01\x05"
    yield "casts", "float64", "NaN", [
        {"name": "scale_offset", "configuration": {"offset": -10, "scale": 0.1}},
        {"name": "cast_value", "configuration": {
            "data_type": "uint8", "out_of_range": "clamp",
            "scalar_map": {"encode": [["NaN", 0]], "decode": [[0, "NaN"]]}}}, "bytes"], bytes(range(11))
    yield "integer_scale", "int16", 0, [
        {"name": "scale_offset", "configuration": {"offset": 3, "scale": -2}}, little], bytes(22)


def packed(files):
    """Returns files as an input."""
    out = b""
    for key in sorted(files):
        if key in NAMES:
            out += bytes([NAMES.index(key)]) + len(files[key]).to_bytes(2, "little") + files[key]
    return out


def files_of(store):
    return {key: value.to_bytes() for key, value in store.items()}


def main(folder):
    """Writes one input for each array, and one of a consolidated group."""
    corpus = pathlib.Path(folder, "store_v3")
    corpus.mkdir(parents=True, exist_ok=True)
    for name, values, settings in arrays():
        store = {}
        array = zarr.create_array(zarr.storage.MemoryStore(store), shape=values.shape,
                                  dtype=values.dtype, **settings)
        array[...] = values
        (corpus / name).write_bytes(packed(files_of(store)))
    for name, kind, fill, codecs, value in documents():
        document = {"zarr_format": 3, "node_type": "array", "shape": [11], "data_type": kind,
                    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [11]}},
                    "chunk_key_encoding": {"name": "default"}, "fill_value": fill, "codecs": codecs}
        (corpus / name).write_bytes(packed({"zarr.json": json.dumps(document).encode(), "c/0": value}))
    store = {}
    group = zarr.create_group(zarr.storage.MemoryStore(store))
    group.create_array("a", shape=(4,), chunks=(4,), dtype="i2")[...] = 7
    zarr.consolidate_metadata(zarr.storage.MemoryStore(store))
    (corpus / "group").write_bytes(packed(files_of(store)))


if __name__ == "__main__":
    main(sys.argv[1])
