# SPDX-License-Identifier: Apache-2.0
"""Parts of arrays that zarr-python made, written by Tessera and read by zarr-python: regions and
appends, several at once, on several executors, also by runs that were killed and begun again.

usage: stored_parts.py <part_exchange>
"""

import pathlib
import random
import signal
import subprocess
import sys
import tempfile

import numcodecs
import numpy as np
import zarr

EXECUTORS = ["serial", "threads:2", "processes:2"]
NEVER = -1.0


def make(directory, generator):
    """Returns the path of a consolidated group with an array, its values and its chunks."""
    shape = tuple(generator.randint(1, 9) for _ in range(2))
    chunks = tuple(generator.randint(1, 4) for _ in range(2))
    # What is appended to ends at a chunk.
    shape = tuple(-(-extent // chunk) * chunk for extent, chunk in zip(shape, chunks))
    values = np.arange(-1000.0, -1000.0 + shape[0] * shape[1]).reshape(shape)
    group = zarr.open_group(str(directory / "g.zarr"), mode="w", zarr_version=2)
    array = group.create_dataset(
        "x", shape=shape, chunks=chunks, dtype=generator.choice(["<f8", ">f8"]),
        order=generator.choice("CF"), dimension_separator=generator.choice("./"),
        compressor=generator.choice([None, numcodecs.Zlib(1), numcodecs.Blosc()]),
        fill_value=generator.choice([0.0, 7.0]))
    array[...] = values
    array.attrs["units"] = "K"
    zarr.consolidate_metadata(str(directory / "g.zarr"))
    return directory / "g.zarr", values, chunks


def numbers(shape, first):
    return np.arange(first, first + shape[0] * shape[1], dtype="f8").reshape(shape)


def draw_regions(values, chunks, generator):
    """Returns one or two regions of whole chunks that do not overlap, and writes into `values`."""
    bounds = []
    for extent, chunk in zip(values.shape, chunks):
        first, last = sorted(generator.sample(range(-(-extent // chunk) + 1), 2))
        bounds.append((first * chunk, min(last * chunk, extent)))
    (row_start, row_stop), (column_start, column_stop) = bounds
    boxes = [(row_start, row_stop, column_start, column_stop)]
    if row_stop < values.shape[0]:
        boxes.append((row_stop, values.shape[0], column_start, column_stop))
    places = []
    for number, (row_start, row_stop, column_start, column_stop) in enumerate(boxes):
        first = 10000 * (number + 1)
        shape = (row_stop - row_start, column_stop - column_start)
        values[row_start:row_stop, column_start:column_stop] = numbers(shape, first)
        places.append(f"{row_start}:{row_stop}:{column_start}:{column_stop}:{first}")
    return places, values


def draw_append(values, generator):
    axis = generator.randint(0, 1)
    shape = list(values.shape)
    shape[axis] = generator.randint(1, 7)
    appended = numbers(shape, 10000)
    return [f"append:{axis}:{shape[0]}:{shape[1]}:10000"], np.concatenate([values, appended], axis)


def run(program, directory, executor, dies_at, path, places):
    return subprocess.run([program, directory / "work", executor, str(dies_at), path, *places],
                          capture_output=True, text=True, check=False)


def check(program, directory, generator):
    """Returns the faults of an array after it was written to."""
    group, values, chunks = make(directory, generator)
    before = zarr.open_array(str(group / "x"), mode="r")[...]
    is_append = generator.random() < 0.5
    places, expected = (draw_append(values.copy(), generator) if is_append
                        else draw_regions(values.copy(), chunks, generator))
    executor = generator.choice(EXECUTORS)
    case = f"{places} into {values.shape} of {chunks}, {executor}"
    if generator.random() < 0.6:
        written = expected[expected >= 10000]
        # A worker that dies is made anew; other executors kill the program itself.
        engine = "serial" if executor.startswith("processes") else executor
        died = run(program, directory, engine, generator.choice(list(written)), group / "x", places)
        if died.returncode != -signal.SIGKILL:
            return [f"{case}: was not killed but ended with {died.returncode} {died.stderr}"]
        now = zarr.open_array(str(group / "x"), mode="r")[...]
        if is_append and not np.array_equal(now, before):
            return [f"{case}: readers see a part of what is appended"]
    done = run(program, directory, executor, NEVER, group / "x", places)
    if done.returncode != 0:
        return [f"{case}: {done.stderr}"]
    array = zarr.open_array(str(group / "x"), mode="r")
    consolidated = zarr.open_consolidated(str(group))["x"]
    failures = []
    if not np.array_equal(array[...], expected):
        failures.append(f"{case}: found {array[...]}, expected {expected}")
    if consolidated.shape != expected.shape or consolidated.attrs.asdict() != {"units": "K"}:
        failures.append(f"{case}: consolidated metadata say {consolidated.shape}")
    failures += [f"{case}: {path.name} is left"
                 for path in (group / "x").iterdir() if path.name.startswith(".tessera")]
    return failures


def main(program):
    seed = random.randrange(1 << 30)
    generator = random.Random(seed)
    failures = []
    count = 60
    for number in range(count):
        with tempfile.TemporaryDirectory() as directory:
            case_failures = check(program, pathlib.Path(directory), generator)
        failures += [f"case {number}: {failure}" for failure in case_failures]
    print(*failures, f"seed {seed}: {count} cases, {len(failures)} failures", sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
