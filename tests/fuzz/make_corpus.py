# SPDX-License-Identifier: Apache-2.0
"""Writes the committed corpora of the codecs' fuzz targets: encodings of numcodecs.

usage: make_corpus.py <folder corpus>

An input is a byte that chooses a configuration of the target, the decoded size in 4 bytes, and the
encoding.
"""

import bz2
import gzip
import json
import pathlib
import sys

import numcodecs
import numpy as np

COUNTED = np.arange(60, dtype="<i4")
WAVE = np.sin(np.arange(600) * 0.01).astype("<f4")
BLOCKS = np.tile(np.arange(256, dtype="<i4"), 16)


def inputs():
    """Yields target, choice, decoded bytes, encoding."""
    names = ["lz4", "blosclz", "lz4hc", "snappy", "zlib", "zstd"]
    for choice, cname in enumerate(names):
        for shuffle in (0, 1, 2):
            codec = numcodecs.Blosc(cname=cname, shuffle=shuffle)
            yield "blosc", choice, WAVE, codec.encode(WAVE)
        codec = numcodecs.Blosc(cname=cname, shuffle=1, blocksize=512)
        yield "blosc", choice, BLOCKS, codec.encode(BLOCKS)
    yield "blosc", 0, COUNTED, numcodecs.Blosc(clevel=0).encode(COUNTED)
    for data in (COUNTED, WAVE):
        yield "deflate", 0, data, numcodecs.Zlib(level=6).encode(data)
        yield "deflate", 1, data, numcodecs.GZip(level=6).encode(data)
        yield "deflate", 0, data, numcodecs.Zlib(level=0).encode(data)
        half = data.nbytes // 2
        members = b"".join(gzip.compress(part) for part in
                           (data.tobytes()[:half], data.tobytes()[half:]))
        yield "deflate", 1, data, members
        yield "zstd", 0, data, numcodecs.Zstd(level=3).encode(data)
        frames = b"".join(numcodecs.Zstd(level=1).encode(np.ascontiguousarray(part))
                          for part in np.split(data, 2))
        yield "zstd", 1, data, frames


    for data in (COUNTED, WAVE):
        yield "bz2", 0, data, numcodecs.BZ2(level=1).encode(data)
        yield "bz2", 1, data, b"".join(bz2.compress(part.tobytes()) for part in np.split(data, 2))
        yield "lz4", 0, data, numcodecs.LZ4().encode(data)
        yield "lzma", 0, data, numcodecs.LZMA(preset=0).encode(data)
        yield "lzma", 0, data, numcodecs.LZMA(preset=1, check=10).encode(data)
        yield "lzma", 1, data, numcodecs.LZMA(format=2, preset=0).encode(data)
        yield "lzma", 2, data, numcodecs.LZMA(format=3, filters=[
            {"id": 3, "dist": 4}, {"id": 33, "preset": 0}]).encode(data)
        yield "lzma", 3, data, numcodecs.LZMA(format=3, filters=[
            {"id": 0x4000000000000001, "preset": 0}]).encode(data)
        for choice, codec in ((0, numcodecs.CRC32()), (2, numcodecs.Adler32()),
                              (5, numcodecs.Base64()), (6, numcodecs.Shuffle(4))):
            yield "checks", choice, data, codec.encode(data)
        for choice in range(1, 10):
            yield "numbers", choice, data, data.tobytes()
    yield "numbers", 0, np.ones(77, bool), numcodecs.PackBits().encode(np.ones(77, bool))
    # The check of "123456789" that RFC 3720 leads to, and sums of HDF5's.
    yield "checks", 3, b"123456789", b"123456789" + (0xE3069283).to_bytes(4, "little")
    yield "checks", 4, bytes(8), bytes(12)


def chains():
    """Yields a filter, a compressor and an encoding, for the target of chains."""
    for filter_ in (numcodecs.Delta("<i4"), numcodecs.Shuffle(4), numcodecs.AsType("<f2", "<f4"),
                    numcodecs.FixedScaleOffset(1, 2, "<f4", "<i2"), numcodecs.Quantize(2, "<f4"),
                    numcodecs.bitround.BitRound(3)):
        for compressor in (numcodecs.Blosc(), numcodecs.LZ4(), numcodecs.LZMA(format=3, filters=[
                {"id": 3, "dist": 4}, {"id": 33, "preset": 0}]), numcodecs.BZ2()):
            data = filter_.encode(np.zeros(15, "<f4"))
            data = compressor.encode(numcodecs.Zlib().encode(data))
            yield filter_, compressor, bytes(data)


def write_chains(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for number, (filter_, compressor, data) in enumerate(chains(), 1):
        texts = [json.dumps(codec.get_config()).encode() for codec in (filter_, compressor)]
        (folder / f"{number:02}").write_bytes(b"\0".join([*texts, data]))


def main():
    root = pathlib.Path(sys.argv[1])
    write_chains(root / "chain")
    count = {}
    for target, choice, data, encoded in inputs():
        folder = root / target
        folder.mkdir(parents=True, exist_ok=True)
        count[target] = count.get(target, 0) + 1
        size = len(data) if isinstance(data, bytes) else data.nbytes
        head = bytes([choice]) + size.to_bytes(4, "little")
        (folder / f"{count[target]:02}").write_bytes(head + bytes(encoded))


if __name__ == "__main__":
    main()
