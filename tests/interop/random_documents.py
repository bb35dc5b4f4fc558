# SPDX-License-Identifier: Apache-2.0
"""Exchanges chunks of random arrays of Zarr version 3 with zarr-python, zarrs and TensorStore.

usage: random_documents.py <document_exchange> [rounds]

A writer stores an array, of which Tessera decodes each chunk; Tessera encodes the chunks of the same
array, which all readers read that read the writer's.
"""

import collections
import itertools
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import zarr

from version_3_arrays import (IMPLEMENTATIONS, OTHERS, SEED, create, in_memory, random_array, reads,
                              same_bits, write)

ROUNDS = 120


def key_of(document, chunk):
    """Returns the key of a chunk, as the specification forms it."""
    encoding = document["chunk_key_encoding"]
    names = [str(index) for index in chunk]
    if encoding["name"] == "default":
        names = ["c"] + names
    return encoding["configuration"]["separator"].join(names or ["0"])


def chunks_of(document):
    """Yields the indices of each chunk, and its place in the array."""
    lengths = document["chunk_grid"]["configuration"]["chunk_shape"]
    counts = [math.ceil(extent / length) for extent, length in zip(document["shape"], lengths)]
    for chunk in itertools.product(*map(range, counts)):
        yield chunk, tuple(slice(index * length, (index + 1) * length)
                           for index, length in zip(chunk, lengths))


def run(program, folder, lines):
    """Runs lines of the exchange; returns the errors it tells."""
    table = folder / "list"
    table.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
    return subprocess.run([program, str(table)], check=True, capture_output=True, text=True).stdout


def exchange_chunks(program, folder, document, data):
    """Decodes the chunks in `theirs`, encodes them into `ours`. Returns the errors."""
    theirs, ours = folder / "theirs", folder / "ours"
    data = in_memory(data)
    create(ours, document)
    lines = []
    for number, (chunk, place) in enumerate(chunks_of(document)):
        lengths = document["chunk_grid"]["configuration"]["chunk_shape"]
        whole = np.zeros(lengths, data.dtype)
        inside = data[place]
        whole[tuple(map(slice, inside.shape))] = inside
        (folder / f"{number}.raw").write_bytes(whole.tobytes())
        target = ours / key_of(document, chunk)
        target.parent.mkdir(parents=True, exist_ok=True)
        lines.append(("encode", theirs / "zarr.json", folder / f"{number}.raw", target))
        if (theirs / key_of(document, chunk)).exists():
            lines.append(("decode", theirs / "zarr.json", theirs / key_of(document, chunk),
                          folder / f"{number}.out"))
    return run(program, folder, lines)


def check(program, folder, document, data, readers):
    """Returns the faults of an array, both ways."""
    faults = exchange_chunks(program, folder, document, data)
    lengths = document["chunk_grid"]["configuration"]["chunk_shape"]
    elements = in_memory(data)
    for number, (chunk, place) in enumerate(chunks_of(document)):
        if not (folder / "theirs" / key_of(document, chunk)).exists():
            continue
        result = folder / f"{number}.out"
        inside = elements[place]
        if not result.exists():
            faults += f"chunk {number} is not decoded\n"
            continue
        decoded = np.frombuffer(result.read_bytes(), elements.dtype).reshape(lengths)
        if not same_bits(decoded[tuple(map(slice, inside.shape))], inside):
            faults += f"chunk {number} is decoded to other elements\n"
    for reader in readers:
        if not reads(reader, folder / "ours", data):
            faults += f"{reader} reads other elements\n"
    return faults


def main():
    warnings.simplefilter("ignore")
    print(f"zarr-python {zarr.__version__}, seed {SEED}")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    rng = np.random.default_rng(SEED)
    counts = collections.Counter()
    failed = 0
    for number in range(rounds):
        document, data = random_array(rng, OTHERS)
        for writer in IMPLEMENTATIONS:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                readers = write(writer, folder / "theirs", document, data)
                if not readers:
                    print(f"{number}: {writer} lacks {json.dumps(document)}")
                    continue
                faults = check(sys.argv[1], folder, document, data, readers)
            counts.update([f"by {writer}", *(f"read by {reader}" for reader in readers)])
            if faults:
                failed += 1
                print(f"{number} by {writer}: {faults}{json.dumps(document)}")
    print(f"{dict(counts)}, {failed} with faults")
    sys.exit(1 if failed or len(counts) < 6 or min(counts.values()) < rounds / 2 else 0)


if __name__ == "__main__":
    main()
