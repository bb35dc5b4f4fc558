# SPDX-License-Identifier: Apache-2.0
"""Shards that Tessera writes chunk by chunk, within less memory than a shard has, are read by other programs.

usage: streamed_shards.py <shard_exchange> [rounds]

Each array has random codecs, byte orders and orders of axes, in front of shards and within them.
zarr-python, zarrs and TensorStore read the elements that they read of the same array by zarr-python.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import zarr

from version_3_arrays import SEED, codec, create, pick, reads, write

ROUNDS = 10
SHAPE = (700, 600)
SHARD = 512
# Codecs whose memory is small beside a shard.
COMPRESSORS = [[], [codec("gzip", level=1)], [codec("zstd", level=1, checksum=True)],
               [codec("blosc", cname="lz4", clevel=5, blocksize=0, shuffle="shuffle", typesize=8)]]


def random_document(rng):
    """Returns the document of an array of float64 with shards of 2 MiB."""
    inner = [codec("bytes", endian=pick(rng, ["little", "big"]))] + pick(rng, COMPRESSORS)
    front = []
    if rng.integers(2) == 0:
        inner = [codec("transpose", order=[1, 0])] + inner
    if rng.integers(2) == 0:
        front = [codec("transpose", order=[1, 0])]
    parts = [pick(rng, [64, 128]), pick(rng, [64, 128, 256])]
    shards = codec("sharding_indexed", chunk_shape=parts, codecs=inner,
                   index_codecs=[codec("bytes", endian="little"), codec("crc32c")],
                   index_location=pick(rng, ["start", "end"]))
    return {"zarr_format": 3, "node_type": "array", "shape": SHAPE, "data_type": "float64",
            "chunk_grid": codec("regular", chunk_shape=[SHARD, SHARD]), "fill_value": 0.0,
            "chunk_key_encoding": codec("default"), "codecs": front + [shards], "attributes": {}}


def faults_of(program, folder, document, data):
    """Returns the faults of an array, and the number of its readers."""
    readers = write("zarr", folder / "theirs", document, data)
    create(folder / "ours", document)
    done = subprocess.run([program, str(folder / "work"), str(folder / "ours"), *map(str, SHAPE)],
                          check=False, capture_output=True, text=True)
    if done.returncode != 0:
        return [done.stderr], 0
    return [f"{reader} reads other elements" for reader in readers
            if not reads(reader, folder / "ours", data)], len(readers)


def main():
    print(f"zarr-python {zarr.__version__}, seed {SEED}")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    rng = np.random.default_rng(SEED)
    data = np.arange(np.prod(SHAPE), dtype="f8").reshape(SHAPE) / 2
    failed = 0
    num_readers = 0
    with tempfile.TemporaryDirectory() as place:
        for number in range(rounds):
            document = random_document(rng)
            faults, count = faults_of(sys.argv[1], pathlib.Path(place) / str(number), document, data)
            failed += bool(faults)
            num_readers += count
            if faults:
                print(f"{'; '.join(faults)}: {json.dumps(document)}")
    print(f"{rounds} arrays, {num_readers} times read, {failed} with faults")
    sys.exit(1 if failed or num_readers < rounds else 0)


main()
