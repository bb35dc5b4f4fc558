# SPDX-License-Identifier: Apache-2.0
"""Random arrays over dtype, codec, filters, order, separator, fill value, shape and chunks,
exchanged between Tessera and zarr-python, value for value.

usage: random_arrays.py ours_read_by_theirs|theirs_read_by_ours <zarr_exchange> [<seed>]
"""

import json
import pathlib
import random
import sys
import tempfile

import numcodecs
import numpy as np
import zarr
from zarr.meta import Metadata2

from exchange import exchange

NUM_ARRAYS = 200
DTYPES = ["|b1", "|i1", "|u1", "<i2", "<i4", "<i8", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8",
          "<c8", "<c16", "<M8[ns]", "<M8[D]", "<M8[10us]", "<m8[s]", "<m8[4ps]", "|S1", "|S5", "|S16",
          "<U1", "<U3", "|V3", "|V8",
          [("a", "<i2"), ("b", "<f4", (2,)), ("c", [("x", "|u1"), ("y", "<U2")])],
          [("r", "|u1"), ("g", "|u1"), ("b", "|u1")],
          ">i2", ">u4", ">i8", ">f2", ">f4", ">f8", ">c8", ">c16", ">M8[s]", ">m8[25ns]", ">U2",
          [("a", ">i2"), ("b", "<f4", (2, 2)), ("c", [("x", "|S2"), ("y", ">f8")])]]


def random_codec(rng):
    """Returns a compressor of numcodecs, or none."""
    kind = rng.choice(["none", "zlib", "gzip", "zstd", "blosc", "blosc", "blosc"])
    if kind == "none":
        return None
    if kind == "zlib":
        return numcodecs.Zlib(rng.choice([-1, 0, 1, 6, 9]))
    if kind == "gzip":
        return numcodecs.GZip(rng.choice([0, 1, 6, 9]))
    if kind == "zstd":
        return numcodecs.Zstd(rng.choice([0, 1, 3, 9, 19]))
    return numcodecs.Blosc(cname=rng.choice(numcodecs.blosc.list_compressors()),
                           clevel=rng.randrange(10), shuffle=rng.choice([-1, 0, 1, 2]),
                           blocksize=rng.choice([0, 0, 256, 4096]))


def random_filters(rng, dtype):
    """Returns filters of numcodecs, mostly none; they decode without loss."""
    if rng.random() < 0.7:
        return None
    last = rng.choice([numcodecs.Zlib(1), numcodecs.CRC32(), numcodecs.Adler32()])
    # These need whole elements, so that they come first.
    if dtype.kind in "iu" and rng.random() < 0.5:
        return [numcodecs.Delta(dtype.str), last]
    return rng.choice([[last], [numcodecs.Shuffle(dtype.itemsize), last]])


def random_values(rng, dtype, shape):
    """Returns elements of every bit pattern; half of the arrays are smooth, so that they compress."""
    generator = np.random.default_rng(rng.randrange(2**32))
    count = int(np.prod(shape, dtype=np.int64))
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iufMm" and rng.random() < 0.5:
        return (np.arange(count).reshape(shape) // 3 % 100).astype(dtype)
    raw = generator.integers(0, 256, count * dtype.itemsize, dtype=np.uint8)
    if dtype.kind == "U" or dtype.names:
        # NumPy's texts hold code points: here of ASCII, in either order.
        raw %= 2
        raw[generator.random(raw.size) < 0.5] = 0
        raw = raw if dtype.names else (np.frombuffer(raw.tobytes(), "<u4") % 0x7F).astype(
            dtype.byteorder + "u4").view(np.uint8)
    return np.frombuffer(raw.tobytes(), dtype).reshape(shape)


def random_fill(rng, dtype):
    if dtype.kind == "V":
        return None
    if dtype.kind == "b":
        return rng.choice([None, True, False])
    if dtype.kind == "f":
        large = -1e4 if dtype.itemsize == 2 else -1e20
        return rng.choice([None, 0, 1.5, 0.1, large, float("nan"), float("inf"), -float("inf")])
    if dtype.kind == "c":
        # Finite: zarr-python 2 reads [NaN, 0] and [Infinity, -Infinity] as NaN in both parts.
        return rng.choice([None, 0, 1.5 - 2j, complex(0.1, -1e20)])
    if dtype.kind in "Mm":
        return rng.choice([None, np.array(7, "i8").view(dtype.newbyteorder("="))[()],
                           np.array("NaT", dtype)[()]])
    if dtype.kind == "S":
        return rng.choice([None, b"", b"a", b"\xff"])
    if dtype.kind == "U":
        return rng.choice([None, "", "a", "\u20ac", "\U0001f600"])
    limits = np.iinfo(dtype)
    return rng.choice([None, 0, 7, int(limits.min), int(limits.max)])


def random_description(rng):
    """Returns the arguments of zarr.create for a random array."""
    rank = rng.choice([0, 1, 1, 2, 2, 3, 4])
    longest = {0: 1, 1: 5000, 2: 90, 3: 20, 4: 9}[rank]
    dtype = np.dtype(rng.choice(DTYPES))
    return {
        "shape": tuple(rng.choice([0, 1, longest, rng.randrange(1, longest + 1)])
                       if rng.random() < 0.3 else rng.randrange(1, longest + 1) for _ in range(rank)),
        "chunks": tuple(rng.randrange(1, max(2, longest * 3 // 4)) for _ in range(rank)),
        "dtype": dtype,
        "compressor": random_codec(rng),
        "filters": random_filters(rng, dtype),
        "fill_value": random_fill(rng, dtype),
        "order": rng.choice("CF"),
        "dimension_separator": rng.choice("./"),
    }


def encoded_fill(fill, dtype):
    """Returns a fill value as zarr-python writes it."""
    return None if fill is None else Metadata2.encode_fill_value(np.array(fill, dtype)[()], dtype)


def chunk_slices(description, position):
    """Returns the slices of the chunk that stands at `position` in row-major order."""
    shape, chunks = description["shape"], description["chunks"]
    counts = [-(-s // c) for s, c in zip(shape, chunks)]
    index = np.unravel_index(position, counts) if counts else ()
    return tuple(slice(int(i) * c, (int(i) + 1) * c) for i, c in zip(index, chunks))


def num_chunks(description):
    return int(np.prod([-(-s // c) for s, c in zip(description["shape"], description["chunks"])]))


def native(values):
    """Returns the elements row-major in this machine's byte order."""
    return np.ascontiguousarray(values).astype(values.dtype.newbyteorder("=")).tobytes()


def theirs_read_by_ours(program, rng, directory):
    rows, expected = [], {}
    for i in range(NUM_ARRAYS):
        description = random_description(rng)
        path = directory / f"theirs-{i}"
        array = zarr.open_array(str(path), mode="w", **description)
        values = random_values(rng, description["dtype"], description["shape"])
        for position in range(num_chunks(description)):
            if rng.random() < 0.8:
                where = chunk_slices(description, position)
                array[where] = values[where]
        array = zarr.open_array(str(path), mode="r")
        rows.append((path, directory / f"theirs-{i}.raw"))
        # An array without fill value has any value in missing chunks: ours is zero.
        if description["fill_value"] is None:
            array = zeros_where_missing(array, description, path)
        expected[str(path)] = (description, native(array[...]))
    answers = exchange(program, "read", rows, directory)
    failures = []
    for path, raw in rows:
        description, values = expected[str(path)]
        if str(path) in answers:
            failures.append(f"{description}: {answers[str(path)]}")
        elif raw.read_bytes() != values:
            failures.append(f"{description}: the values differ")
    return failures


def zeros_where_missing(array, description, path):
    """Returns the array with zeros in the chunks that are missing."""
    values = np.array(array[...], dtype=description["dtype"]).reshape(description["shape"])
    for position in range(num_chunks(description)):
        where = chunk_slices(description, position)
        index = [s.start // c for s, c in zip(where, description["chunks"])]
        key = description["dimension_separator"].join(map(str, index)) or "0"
        if not (path / key).exists():
            values[where] = np.zeros((), description["dtype"])
    return values


def ours_read_by_theirs(program, rng, directory):
    group = directory / "ours.zarr"
    rows, expected = [], []
    for i in range(NUM_ARRAYS):
        description = random_description(rng)
        values = random_values(rng, description["dtype"], description["shape"]).copy()
        path, raw, metadata = (directory / f"ours-{i}.{end}" for end in ("path", "raw", "json"))
        path = group / f"a{i}"
        raw.write_bytes(native(values))
        codec = description["compressor"]
        filters, dtype = description["filters"], description["dtype"]
        metadata.write_text(json.dumps({
            **description, "zarr_format": 2, "dtype": Metadata2.encode_dtype(dtype),
            "fill_value": encoded_fill(description["fill_value"], dtype),
            "filters": [item.get_config() for item in filters] if filters else None,
            "compressor": codec.get_config() if codec else None}))
        rows.append((path, raw, metadata))
        fill = description["fill_value"]
        for position in range(4, num_chunks(description), 5):
            values[chunk_slices(description, position)] = (
                np.zeros((), description["dtype"]) if fill is None else fill)
        expected.append((description, values))
    answers = exchange(program, "write", rows, directory)
    failures = [f"{path}: {answer}" for path, answer in answers.items()]
    opened = zarr.open_group(str(group), mode="r")
    for i, (description, values) in enumerate(expected):
        if str(group / f"a{i}") in answers:
            continue
        array = opened[f"a{i}"]
        elements = array[...] if description["fill_value"] is not None else zeros_where_missing(
            array, description, group / f"a{i}")
        if native(elements) != native(values):
            failures.append(f"a{i} {description}: the values differ")
        for name in ("shape", "chunks", "order", "compressor", "filters", "dtype"):
            if getattr(array, name) != description[name]:
                failures.append(f"a{i}: {name} is {getattr(array, name)}, not {description[name]}")
        if native(np.array(array.fill_value, array.dtype) if array.fill_value is not None
                  else np.zeros(0)) != native(np.array(description["fill_value"], array.dtype)
                                              if description["fill_value"] is not None
                                              else np.zeros(0)):
            failures.append(f"a{i}: fill value is {array.fill_value}, not {description}")
    return failures


def main(direction, program, seed):
    print(f"seed {seed}")
    tests = {"ours_read_by_theirs": ours_read_by_theirs, "theirs_read_by_ours": theirs_read_by_ours}
    with tempfile.TemporaryDirectory() as directory:
        failures = tests[direction](program, random.Random(seed), pathlib.Path(directory))
    print("\n".join(failures) or f"{NUM_ARRAYS} arrays agree")
    return 1 if failures else 0


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(main(sys.argv[1], sys.argv[2],
                  int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(2**32)))
