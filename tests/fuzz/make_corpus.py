# SPDX-License-Identifier: Apache-2.0
"""Writes the committed corpora of the codecs' fuzz targets: what numcodecs encodes.

usage: make_corpus.py <folder corpus>

An input is a byte that chooses a configuration of the target, the decoded size in 4 bytes, and the
encoding.
"""

import gzip
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
        members = gzip.compress(data.tobytes()[:half]) + gzip.compress(data.tobytes()[half:])
        yield "deflate", 1, data, members
        yield "zstd", 0, data, numcodecs.Zstd(level=3).encode(data)
        frames = b"".join(numcodecs.Zstd(level=1).encode(np.ascontiguousarray(part))
                          for part in np.split(data, 2))
        yield "zstd", 1, data, frames


def main():
    root = pathlib.Path(sys.argv[1])
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
