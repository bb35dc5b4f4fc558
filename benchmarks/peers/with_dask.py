# SPDX-License-Identifier: Apache-2.0
"""The programs with Dask, on its threads."""

import dask
import dask.array as da
import flox
import measured
import zarr

dask.config.set(scheduler="threads", num_workers=measured.THREADS)
zarr.config.set({"threading.max_workers": measured.THREADS})


def read(data, name):
    return da.from_zarr(str(data / name))


def store(results, **arrays):
    """Computes arrays together and stores each."""
    targets = [measured.target(results / name, x, x.chunksize) for name, x in arrays.items()]
    da.store(list(arrays.values()), targets, lock=False)


def chain(data, results):
    u, v = read(data, "u"), read(data, "v")
    store(results, chain=da.sqrt(u * u + v * v) - 0.5 * u)


def moments(data, results):
    u = read(data, "u")
    store(results, mean=u.mean(), std=u.std())


def sums(data, results):
    u = read(data, "u")
    store(results, over_times=u.sum(axis=0), over_columns=u.sum(axis=2))


def means_of_products(u, v):
    return {"uu": (u * u).mean(axis=0), "vv": (v * v).mean(axis=0), "uv": (u * v).mean(axis=0)}


def quadratic_means(data, results):
    store(results, **means_of_products(read(data, "u"), read(data, "v")))


def rechunk(data, results):
    u = read(data, "u")
    store(results, places=u.rechunk((u.shape[0], *measured.CHUNKS_OF_PLACES)))
    store(results, times=read(results, "places").rechunk(u.chunksize))


def matmul(data, results):
    store(results, product=read(data, "a") @ read(data, "b"))


def anomaly(data, results):
    u = read(data, "u")
    store(results, anomaly=(u - u.mean(axis=0)) / u.std(axis=0))


def copy(data, results):
    store(results, copy=read(data, "u"))


def small_chunks(data, results):
    store(results, sum=read(data, "small").sum())


def planning(data, results):
    arrays = means_of_products(read(data, "large_u"), read(data, "large_v"))
    for array in dask.optimize(*arrays.values()):
        dict(array.__dask_graph__())


def group_by(data, results):
    u = read(data, "u")
    months = measured.months(len(u))
    means, _ = flox.groupby_reduce(u.transpose(1, 2, 0), months, func="mean")
    store(results, months=means.transpose(2, 0, 1))


def neighbours(data, results):
    queries, points = read(data, "queries"), read(data, "points")
    distances = (points * points).sum(axis=1) - 2 * (queries @ points.T)
    store(results, nearest=distances.argmin(axis=1))


PROGRAMS = {
    run.__name__: run
    for run in (chain, moments, sums, quadratic_means, rechunk, matmul, anomaly, copy,
                small_chunks, planning, group_by, neighbours)
}

if __name__ == "__main__":
    measured.main(PROGRAMS)
