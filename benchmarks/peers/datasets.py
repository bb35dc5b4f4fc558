# SPDX-License-Identifier: Apache-2.0
"""The data that all programs read: Zarr arrays of version 2, Blosc with lz4 and shuffled bytes."""

from dataclasses import dataclass
from pathlib import Path

import numcodecs
import numpy as np
import zarr

ROWS, COLUMNS = 181, 360
COMPRESSOR = numcodecs.Blosc(cname="lz4", clevel=5, shuffle=numcodecs.Blosc.SHUFFLE)


@dataclass(frozen=True)
class Sizes:
    """The numbers of elements of the arrays."""

    times: int = 2000
    chunk_times: int = 40
    matrix: int = 4000
    matrix_chunk: int = 1000
    small_chunks: int = 100_000
    points: int = 20_000
    point_chunk: int = 2000

    def grown(self, size):
        """Data of about `size` times as many bytes."""
        side = max(1, round(self.matrix / self.matrix_chunk * size**0.5))
        return Sizes(
            times=self.chunk_times * max(1, round(self.times / self.chunk_times * size)),
            matrix=self.matrix_chunk * side,
            small_chunks=max(1, round(self.small_chunks * size)),
            points=self.point_chunk * max(1, round(self.points / self.point_chunk * size**0.5)),
        )


SMALL = Sizes(times=200, chunk_times=20, matrix=800, matrix_chunk=400, small_chunks=1000,
              points=1000, point_chunk=500)
SMALL_CHUNK = 1024
DIMENSIONS = 64
PLANNED = (100_000, ROWS, COLUMNS)


def create(path, shape, chunks, dtype):
    """An array without elements, as every program writes its results."""
    return zarr.create_array(path, shape=shape, chunks=chunks, dtype=dtype, zarr_format=2,
                             compressors=COMPRESSOR, fill_value=None, overwrite=True)


def write_field(path, sizes, phase):
    """A wave that travels, with noise; multiples of 1/64, as rounded model output."""
    target = create(path, (sizes.times, ROWS, COLUMNS), (sizes.chunk_times, ROWS, COLUMNS), "f4")
    random = np.random.default_rng(round(1000 * phase))
    places = np.linspace(0, 6, ROWS)[:, None] + np.linspace(0, 12, COLUMNS)
    for begin in range(0, sizes.times, sizes.chunk_times):
        times = np.arange(begin, begin + sizes.chunk_times)[:, None, None] / 30
        noise = random.standard_normal((sizes.chunk_times, ROWS, COLUMNS), dtype="f4")
        values = 10 * np.sin(places + times + phase) + noise + 5
        target[begin : begin + sizes.chunk_times] = np.round(values * 64) / 64


def write_random(path, shape, chunks, seed):
    target = create(path, shape, chunks, "f4")
    target[...] = np.random.default_rng(seed).random(shape, dtype="f4")


def write_all(folder, sizes):
    """Makes the data in `folder`, unless they are there."""
    folder = Path(folder)
    complete = folder / "complete.txt"
    if complete.exists() and complete.read_text() == repr(sizes):
        return
    complete.unlink(missing_ok=True)
    write_field(folder / "u", sizes, 0)
    write_field(folder / "v", sizes, 0.5)
    square = (sizes.matrix, sizes.matrix)
    for seed, name in enumerate(("a", "b")):
        write_random(folder / name, square, (sizes.matrix_chunk, sizes.matrix_chunk), seed)
    for seed, name in enumerate(("queries", "points"), start=2):
        write_random(folder / name, (sizes.points, DIMENSIONS), (sizes.point_chunk, DIMENSIONS),
                     seed)
    write_random(folder / "small", (SMALL_CHUNK * sizes.small_chunks,), (SMALL_CHUNK,), 4)
    for name in ("large_u", "large_v"):
        create(folder / name, PLANNED, (10, ROWS, COLUMNS), "f4")
    complete.write_text(repr(sizes))


def described(sizes):
    """The arrays and their bytes, for the head of the table."""
    field = sizes.times * ROWS * COLUMNS * 4
    return (f"u and v ({sizes.times}, {ROWS}, {COLUMNS}) float32 of {field / 1e6:.0f} MB each in "
            f"chunks of {sizes.chunk_times} times; matrices of {sizes.matrix} x {sizes.matrix} in "
            f"chunks of {sizes.matrix_chunk} x {sizes.matrix_chunk}; {sizes.small_chunks} chunks "
            f"of 4 KiB; {sizes.points} queries among {sizes.points} points of {DIMENSIONS} "
            f"coordinates; a plan for 2 x {PLANNED[0] // 10} chunks")
