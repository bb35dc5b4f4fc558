# SPDX-License-Identifier: Apache-2.0
"""The programs with Cubed, on its threads; intermediate arrays beside the results."""

import cubed
import cubed.array_api as xp
import flox
import measured
import zarr

zarr.config.set({"threading.max_workers": measured.THREADS})


def spec(results):
    return cubed.Spec(
        work_dir=str(results / "work"), allowed_mem=measured.ALLOWED_MEMORY,
        executor_name="threads", executor_options={"max_workers": measured.THREADS},
        zarr_compressor={"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1})


def read(data, name, limits):
    return cubed.from_zarr(str(data / name), spec=limits)


def store(results, **arrays):
    """Computes arrays together and stores each."""
    targets = [measured.target(results / name, x, x.chunksize) for name, x in arrays.items()]
    cubed.store(list(arrays.values()), targets)


def chain(data, results):
    limits = spec(results)
    u, v = read(data, "u", limits), read(data, "v", limits)
    store(results, chain=xp.sqrt(u * u + v * v) - 0.5 * u)


def moments(data, results):
    u = read(data, "u", spec(results))
    store(results, mean=xp.mean(u), std=xp.std(u))


def sums(data, results):
    u = read(data, "u", spec(results))
    store(results, over_times=xp.sum(u, axis=0), over_columns=xp.sum(u, axis=2))


def means_of_products(u, v):
    return {"uu": xp.mean(u * u, axis=0), "vv": xp.mean(v * v, axis=0),
            "uv": xp.mean(u * v, axis=0)}


def quadratic_means(data, results):
    limits = spec(results)
    store(results, **means_of_products(read(data, "u", limits), read(data, "v", limits)))


def rechunk(data, results):
    limits = spec(results)
    u = read(data, "u", limits)
    store(results, places=u.rechunk((u.shape[0], *measured.CHUNKS_OF_PLACES)))
    store(results, times=read(results, "places", limits).rechunk(u.chunksize))


def matmul(data, results):
    limits = spec(results)
    store(results, product=xp.matmul(read(data, "a", limits), read(data, "b", limits)))


def anomaly(data, results):
    u = read(data, "u", spec(results))
    mean, deviation = xp.mean(u, axis=0, keepdims=True), xp.std(u, axis=0, keepdims=True)
    store(results, anomaly=(u - mean) / deviation)


def copy(data, results):
    store(results, copy=read(data, "u", spec(results)))


def small_chunks(data, results):
    store(results, sum=xp.sum(read(data, "small", spec(results))))


def planning(data, results):
    limits = spec(results)
    u, v = read(data, "large_u", limits), read(data, "large_v", limits)
    cubed.plan(*means_of_products(u, v).values())


def group_by(data, results):
    u = read(data, "u", spec(results))
    months = measured.months(u.shape[0])
    means, _ = flox.groupby_reduce(xp.permute_dims(u, (1, 2, 0)), months, func="mean",
                                   expected_groups=range(12))
    store(results, months=xp.permute_dims(means, (2, 0, 1)))


def neighbours(data, results):
    limits = spec(results)
    queries, points = read(data, "queries", limits), read(data, "points", limits)
    products = xp.matmul(queries, xp.matrix_transpose(points))
    store(results, nearest=xp.argmin(xp.sum(points * points, axis=1) - 2 * products, axis=1))


PROGRAMS = {
    run.__name__: run
    for run in (chain, moments, sums, quadratic_means, rechunk, matmul, anomaly, copy,
                small_chunks, planning, group_by, neighbours)
}

if __name__ == "__main__":
    measured.main(PROGRAMS)
