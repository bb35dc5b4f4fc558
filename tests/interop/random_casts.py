# SPDX-License-Identifier: Apache-2.0
"""Chunks of random arrays whose codecs scale and cast numbers, against cast-value-rs and NumPy.

usage: random_casts.py <document_exchange> [rounds]

zarr-python casts by cast-value-rs. Tessera encodes and decodes each chunk; elements that both refuse
count as equal.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from cast_value_rs import cast_array

from version_3_arrays import SEED, codec, pick

ROUNDS = 3000
TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
         "float32", "float64"]
ROUNDINGS = ["nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"]
COUNT = 32


def random_numbers(rng, dtype):
    """Returns numbers of random bits, small ones, and halves."""
    numbers = rng.integers(0, 256, COUNT * dtype.itemsize, dtype=np.uint8).view(dtype)
    small = rng.integers(-300, 300, COUNT) / (1 if dtype.kind in "iu" else 2)
    kind = rng.integers(4)
    if kind == 0:
        numbers = small.astype("i8").astype(dtype) if dtype.kind in "iu" else small.astype(dtype)
    elif kind == 1 and dtype.kind in "iu":
        numbers = (numbers >> rng.integers(0, 8 * dtype.itemsize, COUNT).astype(dtype)).astype(dtype)
    elif kind == 2 and dtype.kind == "f":
        numbers = (small * 10.0 ** rng.integers(-8, 20, COUNT)).astype(dtype)
    if dtype.kind == "f" and rng.integers(3) > 0:
        numbers = np.where(np.isfinite(numbers), numbers, np.asarray(1.5, dtype))
    return numbers


def random_cast(rng):
    """Returns the types, the configuration and the arguments of cast-value-rs."""
    source, target = np.dtype(pick(rng, TYPES)), np.dtype(pick(rng, TYPES))
    configuration = {"data_type": target.name, "rounding": pick(rng, ROUNDINGS)}
    beyond = pick(rng, ["clamp", "clamp", None] + (["wrap"] * 2 if target.kind in "iu" else []))
    if beyond:
        configuration["out_of_range"] = beyond
    scalars = None
    if source.kind == "f" and rng.integers(2) == 0:
        scalars = {float("nan"): 7, float("inf"): 1, float("-inf"): 0}
        configuration["scalar_map"] = {"encode": [["NaN", 7], ["Infinity", 1], ["-Infinity", 0]]}
    return source, target, configuration, {"rounding_mode": configuration["rounding"],
                                           "out_of_range_mode": beyond, "scalar_map_entries": scalars}


def document_of(dtype, codecs):
    return {"zarr_format": 3, "node_type": "array", "shape": [COUNT], "data_type": dtype.name,
            "chunk_grid": codec("regular", chunk_shape=[COUNT]), "fill_value": 0,
            "chunk_key_encoding": codec("default", separator="/"), "codecs": codecs}


def cast_case(rng):
    """Returns a document, elements, and their encoding, or None if they are refused."""
    source, target, configuration, rules = random_cast(rng)
    numbers = random_numbers(rng, source)
    try:
        expected = cast_array(numbers, target_dtype=target, **rules)
    except ValueError:
        expected = None
    order = pick(rng, ["little", "big"])
    return document_of(source, [codec("cast_value", **configuration), codec("bytes", endian=order)]), \
        numbers, expected, order


def scale_case(rng):
    """The same of (x - offset) * scale: integers of Python, floats of NumPy."""
    dtype = np.dtype(pick(rng, TYPES))
    numbers = random_numbers(rng, dtype)
    offset, scale = int(rng.integers(0, 100)), int(rng.integers(1, 4))
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            expected = (numbers - dtype.type(offset)) * dtype.type(scale)
    else:
        numbers = (numbers // 4).astype(dtype)
        moved = [int(number) - offset for number in numbers]
        scaled = [number * scale for number in moved]
        limits = np.iinfo(dtype)
        fits = all(limits.min <= number <= limits.max for number in moved + scaled)
        expected = np.array(scaled, dtype) if fits else None
    order = pick(rng, ["little", "big"])
    return document_of(dtype, [codec("scale_offset", offset=offset, scale=scale),
                               codec("bytes", endian=order)]), numbers, expected, order


def same(encoded, expected, order):
    """Tells whether bytes are the expected numbers; a NaN may have any bits."""
    found = np.frombuffer(encoded, expected.dtype.newbyteorder("<" if order == "little" else ">"))
    if found.shape != expected.shape:
        return False
    found = found.astype(expected.dtype)
    if expected.dtype.kind == "f":
        nans = np.isnan(expected)
        if not np.array_equal(nans, np.isnan(found)):
            return False
        found, expected = found[~nans], expected[~nans]
    return found.tobytes() == expected.tobytes()


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else ROUNDS
    rng = np.random.default_rng(SEED)
    cases = [cast_case(rng) if number % 4 else scale_case(rng) for number in range(rounds)]
    failed = refused = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines = []
        for number, (document, numbers, _, _) in enumerate(cases):
            (folder / f"{number}.json").write_text(json.dumps(document))
            (folder / f"{number}.raw").write_bytes(numbers.tobytes())
            lines.append(("encode", folder / f"{number}.json", folder / f"{number}.raw",
                          folder / f"{number}.out"))
        (folder / "list").write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
        answers = subprocess.run([sys.argv[1], str(folder / "list")], check=True,
                                 capture_output=True, text=True).stdout
        for number, (document, numbers, expected, order) in enumerate(cases):
            result = folder / f"{number}.out"
            refused += expected is None
            if expected is None:
                agrees = not result.exists()
            else:
                agrees = result.exists() and same(result.read_bytes(), expected, order)
            if not agrees:
                failed += 1
                print(f"{number}: {document['data_type']} {document['codecs']} of {numbers}: "
                      f"expected {expected}")
    print(answers[-2000:] if failed else "", end="")
    print(f"{rounds} chunks, {refused} of them refused, {failed} with faults")
    sys.exit(1 if failed or refused > rounds / 2 else 0)


main()
