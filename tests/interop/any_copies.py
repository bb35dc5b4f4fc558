# SPDX-License-Identifier: Apache-2.0
"""Copies of arrays of every data type hold what zarr-python put into the originals; xarray finds
zeros where Tessera stored zeros.

usage: any_copies.py <array_exchange> [<seed>]
"""

import pathlib
import random
import sys
import tempfile

import numpy as np
import xarray
import zarr

from exchange import exchange
from random_arrays import (NUM_ARRAYS, chunk_slices, encoded_fill, native, num_chunks,
                           random_description, random_values, zeros_where_missing)

KEPT = ("shape", "chunks", "order", "compressor", "filters", "dtype")


def write_original(rng, path):
    """Writes a random array, some of its chunks missing; returns it and its values."""
    description = random_description(rng)
    array = zarr.open_array(str(path), mode="w", **description)
    array.attrs["units"] = "K"
    values = random_values(rng, description["dtype"], description["shape"])
    for position in range(num_chunks(description)):
        if rng.random() < 0.8:
            where = chunk_slices(description, position)
            array[where] = values[where]
    # A chunk that is missing is zero if there is no fill value.
    read = array if description["fill_value"] is not None else zeros_where_missing(
        array, description, path)
    return array, np.array(read[...], description["dtype"])


def differences(path, original, values, kept):
    """Returns the faults of the copy at `path`."""
    array = zarr.open_array(str(path), mode="r")
    failures = []
    if native(np.array(array[...], array.dtype)) != native(values):
        failures.append("the values differ")
    for name in kept:
        if getattr(array, name) != getattr(original, name):
            failures.append(f"{name} is {getattr(array, name)}, not {getattr(original, name)}")
    dtype = original.dtype
    if encoded_fill(array.fill_value, dtype) != encoded_fill(original.fill_value, dtype):
        failures.append(f"the fill value is {array.fill_value}")
    names = [f"{path.name}_dim_{axis}" for axis in range(len(original.shape))]
    if dict(array.attrs) != {"units": "K", "_ARRAY_DIMENSIONS": names}:
        failures.append(f"the attributes are {dict(array.attrs)}")
    return [f"{path.name}, {original.info}: {failure}" for failure in failures]


def copies(program, rng, directory):
    originals = [directory / f"original-{i}" for i in range(NUM_ARRAYS)]
    written = [write_original(rng, path) for path in originals]
    failures = []
    for mode, kept in (("copy", KEPT), ("arrange", ("shape", "dtype"))):
        rows = [(path, directory / f"{mode}-{i}") for i, path in enumerate(originals)]
        answers = exchange(program, mode, rows, directory)
        failures += [f"{path}: {answer}" for path, answer in answers.items()]
        for (path, copy), (original, values) in zip(rows, written):
            if str(path) not in answers:
                failures += differences(copy, original, values, kept)
    return failures


def zeros(program, directory):
    """Returns the faults of stored zeros as xarray reads them."""
    group = directory / "zeros.zarr"
    answers = exchange(program, "zeros", [(group,)], directory)
    failures = [f"{path}: {answer}" for path, answer in answers.items()]
    with xarray.open_zarr(str(group), consolidated=False, chunks=None) as opened:
        if opened["v"].values.tolist() != [0, 1, 2, 0, 0, 0]:
            failures.append(f"xarray reads {opened['v'].values}")
    return failures


def main(program, seed):
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory)
        failures = zeros(program, path) + copies(program, random.Random(seed), path)
    print("\n".join(failures) or f"{NUM_ARRAYS} arrays and their copies agree")
    return 1 if failures else 0


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2**32)))
