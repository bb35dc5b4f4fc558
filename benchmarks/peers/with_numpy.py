# SPDX-License-Identifier: Apache-2.0
"""The programs with NumPy: whole arrays in memory, read and written by zarr-python."""

import measured
import numpy as np
import zarr

zarr.config.set({"threading.max_workers": measured.THREADS})


def read(data, name):
    return zarr.open_array(data / name, mode="r")[...]


def chunks_of(data, name):
    return zarr.open_array(data / name, mode="r").chunks


def write(results, name, array, chunks=None):
    array = np.asarray(array)
    measured.target(results / name, array, chunks)[...] = array


def chain(data, results):
    u, v = read(data, "u"), read(data, "v")
    write(results, "chain", np.sqrt(u * u + v * v) - np.float32(0.5) * u, chunks_of(data, "u"))


def moments(data, results):
    u = read(data, "u")
    write(results, "mean", u.mean())
    write(results, "std", u.std())


def sums(data, results):
    u = read(data, "u")
    write(results, "over_times", u.sum(axis=0))
    write(results, "over_columns", u.sum(axis=2))


def quadratic_means(data, results):
    u, v = read(data, "u"), read(data, "v")
    write(results, "uu", (u * u).mean(axis=0))
    write(results, "vv", (v * v).mean(axis=0))
    write(results, "uv", (u * v).mean(axis=0))


def rechunk(data, results):
    u = read(data, "u")
    write(results, "places", u, (u.shape[0], *measured.CHUNKS_OF_PLACES))
    write(results, "times", read(results, "places"), chunks_of(data, "u"))


def matmul(data, results):
    write(results, "product", read(data, "a") @ read(data, "b"), chunks_of(data, "a"))


def anomaly(data, results):
    u = read(data, "u")
    write(results, "anomaly", (u - u.mean(axis=0)) / u.std(axis=0), chunks_of(data, "u"))


def copy(data, results):
    write(results, "copy", read(data, "u"), chunks_of(data, "u"))


def small_chunks(data, results):
    write(results, "sum", read(data, "small").sum())


def group_by(data, results):
    u = read(data, "u")
    months = measured.months(len(u))
    write(results, "months", np.stack([u[months == m].mean(axis=0) for m in range(12)]))


def neighbours(data, results):
    queries, points = read(data, "queries"), read(data, "points")
    distances = (points * points).sum(axis=1) - 2 * (queries @ points.T)
    write(results, "nearest", distances.argmin(axis=1))


PROGRAMS = {
    run.__name__: run
    for run in (chain, moments, sums, quadratic_means, rechunk, matmul, anomaly, copy,
                small_chunks, group_by, neighbours)
}

if __name__ == "__main__":
    measured.main(PROGRAMS)
