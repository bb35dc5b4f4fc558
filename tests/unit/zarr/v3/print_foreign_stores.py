# SPDX-License-Identifier: Apache-2.0
"""Prints foreign_stores.cpp: stores of other writers, byte for byte.

usage: print_foreign_stores.py > foreign_stores.cpp

Needs zarr 3.1.6 and tensorstore 0.1.86. Element [i, j] of an array of n columns is n i + j.
"""

import pathlib
import tempfile
import textwrap

import numpy as np
import tensorstore
import zarr
from zarr.codecs import (BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec, TransposeCodec,
                         ZstdCodec)


def values(shape, dtype):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def by_zarr(folder):
    group = zarr.create_group(folder, zarr_format=3, attributes={"title": "of zarr-python"})
    plain = group.create_array("plain", shape=(5, 4), chunks=(2, 3), dtype="int32",
                               dimension_names=("y", None), attributes={"units": "K"})
    plain[:] = values((5, 4), "int32")
    dotted = zarr.create(shape=(4, 3), chunks=(2, 2), dtype="float64", fill_value=np.nan,
                         store=folder, path="a/dotted", zarr_format=3,
                         chunk_key_encoding=("default", "."),
                         codecs=[TransposeCodec(order=(1, 0)), BytesCodec(endian="big"),
                                 GzipCodec(level=1), Crc32cCodec()])
    dotted[:2] = values((4, 3), "float64")[:2]
    for name, keys in {"scalar": "default", "scalar_v2": "v2"}.items():
        scalar = zarr.create(shape=(), chunks=(), dtype="uint8", store=folder, path=name,
                             zarr_format=3, chunk_key_encoding=(keys, "/" if keys == "default" else "."),
                             codecs=[BytesCodec()])
        scalar[()] = 42
    shards = group.create_array("shards", shape=(7, 9), chunks=(2, 2), shards=(4, 6), dtype="int16",
                                fill_value=-1, dimension_names=("y", "x"))
    shards[:4, 2:] = values((7, 9), "int16")[:4, 2:]
    cube = zarr.create(shape=(3, 2, 4), chunks=(3, 2, 4), dtype="uint16", store=folder, path="cube",
                       zarr_format=3,
                       codecs=[ShardingCodec(chunk_shape=(1, 2, 2), codecs=[BytesCodec(endian="big")],
                                             index_location="start")])
    cube[:] = values((3, 2, 4), "uint16")
    zarr.consolidate_metadata(folder, zarr_format=3)


def by_tensorstore(folder):
    shards = tensorstore.open({
        "driver": "zarr3", "kvstore": {"driver": "file", "path": str(folder)}, "create": True,
        "metadata": {
            "shape": [4, 6], "data_type": "int32", "fill_value": 0,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 6]}},
            "codecs": [{"name": "transpose", "configuration": {"order": [1, 0]}},
                       {"name": "sharding_indexed", "configuration": {
                           "chunk_shape": [3, 2],
                           "codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
                                      {"name": "zstd", "configuration": {"level": 1}}],
                           "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
                                            {"name": "crc32c"}],
                           "index_location": "end"}}]}}).result()
    shards.write(values((4, 6), "int32")).result()


def print_store(name, folder):
    print(f"const foreign_file {name}_files[] = {{")
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            continue
        text = path.read_bytes().hex()
        print(f'    {{"{path.relative_to(folder).as_posix()}",')
        lines = textwrap.wrap(text, 80)
        for line in lines:
            print(f'     "{line}"' + ("}," if line is lines[-1] else ""))
    print(f"}};\n\nstd::span<const foreign_file> {name}() {{ return {name}_files; }}\n")


def main():
    print("// SPDX-License-Identifier: Apache-2.0\n\n/// \\file\n"
          "/// Stores of other writers, printed by print_foreign_stores.py.\n\n"
          "#include \"unit/zarr/v3/foreign_stores.hpp\"\n\n"
          "namespace tessera::testing::zarr {\n")
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        by_zarr(place / "zarr")
        by_tensorstore(place / "tensorstore")
        print_store("zarr_python_store", place / "zarr")
        print_store("tensorstore_array", place / "tensorstore")
    print("}  // namespace tessera::testing::zarr")


main()
