# SPDX-License-Identifier: Apache-2.0
"""Prints foreign_chunks.hpp: documents and chunks of Zarr version 3 by zarr-python and TensorStore.

usage: print_foreign_chunks.py > foreign_chunks.hpp
"""

import gzip
import importlib.metadata
import json
import tempfile
import warnings

import numcodecs
import numcodecs.zarr3 as numcodecs3
import numpy as np
import tensorstore
import zarr
from zarr.codecs import (BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec,
                         TransposeCodec, ZstdCodec)

warnings.simplefilter("ignore")
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
BIG = {"name": "bytes", "configuration": {"endian": "big"}}
CRC = {"name": "crc32c"}
GZIP = {"name": "gzip", "configuration": {"level": 1}}


def numbers(shape, dtype):
    """Returns the numbers from 1 on."""
    return np.arange(1, 1 + np.prod(shape), dtype="f8").reshape(shape).astype(dtype)


def of_zarr_python(data, key, **arguments):
    """Returns the document and the chunk `key` that zarr-python writes."""
    store = {}
    array = zarr.create_array(zarr.storage.MemoryStore(store), shape=data.shape, dtype=data.dtype,
                              **arguments)
    array[...] = data
    return store["zarr.json"].to_bytes().decode(), store[key].to_bytes()


def of_zarr_python_codecs(data, key, chunks, codecs):
    """Returns the same for a whole list of codecs."""
    store = {}
    array = zarr.Array.create(zarr.storage.MemoryStore(store), shape=data.shape, dtype=data.dtype,
                              zarr_format=3, chunk_shape=chunks, codecs=codecs, fill_value=0)
    array[...] = data
    return store["zarr.json"].to_bytes().decode(), store[key].to_bytes()


def of_tensorstore(data, key, chunks, codecs):
    """Returns the same by TensorStore."""
    folder = tempfile.mkdtemp()
    metadata = {"shape": data.shape, "data_type": str(data.dtype), "fill_value": 0,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
                "codecs": codecs}
    array = tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": folder},
                              "metadata": metadata}, create=True).result()
    array.write(data).result()
    with open(f"{folder}/zarr.json") as document, open(f"{folder}/{key}", "rb") as chunk:
        return document.read(), chunk.read()


def shards(chunk_shape, codecs, index_codecs=(LITTLE, CRC), location="end"):
    """Returns a codec as JSON."""
    return {"name": "sharding_indexed",
            "configuration": {"chunk_shape": chunk_shape, "codecs": codecs,
                              "index_codecs": list(index_codecs), "index_location": location}}


def transpose(*order):
    """Returns a codec as JSON."""
    return {"name": "transpose", "configuration": {"order": order}}


def with_hole(shape, dtype):
    """Returns numbers with zeros in the second part of the last axis."""
    data = numbers(shape, dtype)
    data[..., data.shape[-1] // 2:] = 0
    return data


def cases():
    """Yields name, document, chunk, and the elements of that chunk."""
    plain = numbers((4, 6), "f4")

    def case(name, written, elements):
        return name, *written, elements

    yield case("zstd", of_zarr_python(plain, "c/1/0", chunks=(2, 3)), plain[2:, :3])
    yield case("scalar", of_zarr_python(np.array(7, "u2"), "c", chunks=()), np.array(7, "u2"))
    yield case("transpose_blosc_gzip_crc32c",
               of_zarr_python(plain, "c/0/1", chunks=(2, 3), filters=[TransposeCodec(order=(1, 0))],
                              compressors=[BloscCodec(cname="zstd"), GzipCodec(level=3),
                                           Crc32cCodec()]), plain[:2, 3:])
    yield case("zstd_checksum_crc32c", of_zarr_python(
        plain, "c/0/0", chunks=(4, 6),
        compressors=[ZstdCodec(level=3, checksum=True), Crc32cCodec()]), plain)
    # TensorStore refuses several members, zarr-python does not.
    halves = [plain[:1].tobytes(), plain[1:].tobytes()]
    document, _ = of_zarr_python(plain, "c/0/0", chunks=(4, 6), compressors=[GzipCodec()])
    yield "gzip_members", document, b"".join(gzip.compress(half, mtime=0) for half in halves), plain
    document, _ = of_zarr_python(plain, "c/0/0", chunks=(4, 6), compressors=[ZstdCodec()])
    frames = b"".join(numcodecs.Zstd(level=1).encode(half) for half in halves)
    yield "zstd_frames", document, frames, plain
    pairs = numbers((2, 2), "c8") * np.complex64(1 - 2j)
    yield case("big_complex", of_zarr_python_codecs(pairs, "c/0/0", (2, 2), [BytesCodec(endian="big")]),
               pairs)
    yield case("delta_lz4", of_zarr_python(plain.astype("i4"), "c/0/0", chunks=(4, 6),
                                           filters=[numcodecs3.Delta(dtype="<i4")],
                                           compressors=[numcodecs3.LZ4()]), plain.astype("i4"))
    yield case("big_scaled", of_zarr_python_codecs(
        plain, "c/0/0", (4, 6), [numcodecs3.FixedScaleOffset(offset=1, scale=10, dtype="f4", astype="i2"),
                                 BytesCodec(endian="big"), GzipCodec()]), plain)
    flags = plain % 3 == 0
    yield case("packbits", of_zarr_python_codecs(flags, "c/0/0", (4, 6),
                                                 [numcodecs3.PackBits(), BytesCodec()]), flags)
    record = np.array([(1, 2.5), (-3, 4.5)], [("a", "<i4"), ("b", "<f8")])
    yield case("record", of_zarr_python(record, "c/0", chunks=(2,)), record)
    text = np.array(["a", "b\u20ac"], "<U3")
    yield case("big_text", of_zarr_python(text, "c/0", chunks=(2,), serializer=BytesCodec(endian="big"),
                                          compressors=None), text)

    # Parts (3, 1, 2).
    cube = with_hole((6, 2, 4), "u2")
    yield case("shard_of_3_1_2", of_zarr_python(cube, "c/0/0/0", shards=(6, 2, 4), chunks=(2, 2, 2)),
               cube)
    whole = numbers((6, 2, 4), "u2")
    yield case("full_shard_of_3_1_2",
               of_zarr_python(whole, "c/0/0/0", shards=(6, 2, 4), chunks=(2, 2, 2), compressors=None),
               whole)
    yield case("index_at_start_big", of_zarr_python_codecs(
        cube, "c/0/0/0", (6, 2, 4),
        [ShardingCodec(chunk_shape=(2, 2, 2), codecs=[BytesCodec(endian="big"), ZstdCodec()],
                       index_codecs=[BytesCodec(endian="big"), Crc32cCodec(), Crc32cCodec()],
                       index_location="start")]), cube)
    yield case("nested", of_zarr_python_codecs(
        plain, "c/0/0", (4, 6),
        [ShardingCodec(chunk_shape=(2, 6), codecs=[ShardingCodec(chunk_shape=(1, 3))])]), plain)
    yield case("gzip_behind_shards", of_zarr_python_codecs(
        plain, "c/0/0", (4, 6), [ShardingCodec(chunk_shape=(2, 3)), GzipCodec()]), plain)
    yield case("transposed_parts", of_zarr_python_codecs(
        plain, "c/0/0", (4, 6),
        [ShardingCodec(chunk_shape=(2, 3), codecs=[TransposeCodec(order=(1, 0)), BytesCodec()])]),
        plain)
    yield case("tensorstore_shard", of_tensorstore(
        cube, "c/0/0/0", (6, 2, 4), [shards((2, 2, 2), [LITTLE, GZIP], (BIG, ), "start")]), cube)
    yield case("tensorstore_transposed_shard", of_tensorstore(
        cube, "c/0/0/0", (6, 2, 4), [transpose(2, 0, 1), shards((2, 3, 1), [transpose(1, 2, 0), BIG])]),
        cube)
    yield case("tensorstore_nested", of_tensorstore(
        whole, "c/0/0/0", (6, 2, 4),
        [shards((2, 2, 4), [shards((1, 2, 2), [LITTLE], (transpose(3, 0, 2, 1), LITTLE, CRC))])]),
        whole)


def lines(text, width=88):
    """Returns a C++ string of `text` in lines."""
    pieces = [text[begin:begin + width] for begin in range(0, len(text), width)] or [""]
    return "\n".join('     "' + piece + '"' for piece in pieces)


def main():
    print("// SPDX-License-Identifier: Apache-2.0\n#pragma once\n")
    print("/// \\file")
    print("/// Documents and chunks of Zarr version 3, printed by print_foreign_chunks.py with zarr-python")
    print(f"/// {zarr.__version__} and TensorStore {importlib.metadata.version('tensorstore')}.\n")
    print("#include <string_view>\n\nnamespace tessera::testing {\n")
    print("struct foreign_chunk {\n  std::string_view name;\n  std::string_view document;")
    print("  /// The stored bytes of a chunk, in base 16.\n  std::string_view value;")
    print("  /// Its elements in row-major order, little-endian, in base 16.\n  std::string_view elements;\n};\n")
    print("// clang-format off\ninline constexpr foreign_chunk foreign_chunks[] = {")
    for name, document, chunk, elements in cases():
        text = json.dumps(json.loads(document), separators=(",", ":"))
        pieces = [text[begin:begin + 88] for begin in range(0, len(text), 88)]
        raw = "\n".join('     R"(' + piece + ')"' for piece in pieces)
        print(f'    {{"{name}",\n{raw},\n{lines(chunk.hex())},\n'
              f"{lines(np.ascontiguousarray(elements).tobytes().hex())}}},")
    print("};\n// clang-format on\n\n}  // namespace tessera::testing")


if __name__ == "__main__":
    main()
