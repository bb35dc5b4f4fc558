# SPDX-License-Identifier: Apache-2.0
"""Writes the committed corpora of the fuzz targets of Zarr version 3: the documents and shards of
tests/unit/zarr/v3/print_foreign_chunks.py, and documents of groups.

usage: make_v3_corpus.py <folder corpus>
"""

import json
import pathlib
import struct
import sys

import zarr

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "unit" / "zarr" / "v3"))

import print_foreign_chunks  # noqa: E402, pylint: disable=wrong-import-position


def groups():
    """Yields documents of groups."""
    store = {}
    root = zarr.create_group(zarr.storage.MemoryStore(store), attributes={"title": float("nan")})
    root.create_array("a/u", shape=(3, 4), chunks=(2, 2), dtype="f4")
    yield store["zarr.json"].to_bytes()
    zarr.consolidate_metadata(zarr.storage.MemoryStore(store))
    yield store["zarr.json"].to_bytes()


def inputs():
    """Yields target and input."""
    for name, document, value, _ in print_foreign_chunks.cases():
        yield "zarr_json", json.dumps(json.loads(document)).encode()
        # The first byte is the layout that shard_index_fuzz.cpp chooses.
        if name == "full_shard_of_3_1_2":
            yield "shard_index", b"\x01" + value
        if name == "shard_of_3_1_2":
            yield "shard_index", b"\x81" + value
    for document in groups():
        yield "zarr_json", document
    yield "zarr_json", json.dumps({
        "zarr_format": 3, "node_type": "array", "shape": [9], "data_type": "r24",
        "chunk_grid": {"name": "rectilinear", "configuration": {
            "kind": "inline", "chunk_shapes": [[[4, 2], 4]]}},
        "chunk_key_encoding": "v2", "fill_value": [1, 2, 3], "codecs": ["bytes", "crc32c"],
        "dimension_names": [None], "x": {"must_understand": False}}).encode()
    parts = b"".join(struct.pack("<H", number) for number in range(48))
    entries = [(16 * part, 16) for part in range(6)]
    for choice, order, first in ((0, "<", 0), (4, ">", 0), (2, "<", 96)):
        index = b"".join(struct.pack(order + "2Q", first + at, size) for at, size in entries)
        yield "shard_index", bytes([choice]) + (index + parts if choice == 2 else parts + index)


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
