# SPDX-License-Identifier: Apache-2.0
"""Prints the largest difference of a program's results from those of another run.

usage: agreement.py PROGRAM DATA RESULTS REFERENCE
"""

import sys
from pathlib import Path

import numpy as np
import zarr

# The tolerances, relative to the largest element: exact where elements are only moved, else those
# of sums in float32 that add in another order.
TOLERANCES = {
    "chain": 1e-6,
    "moments": 1e-4,
    "sums": 1e-4,
    "quadratic_means": 1e-4,
    "rechunk": 0,
    "matmul": 1e-5,
    "anomaly": 1e-4,
    "copy": 0,
    "small_chunks": 1e-4,
    "group_by": 1e-4,
    "neighbours": 1e-5,
}


def elements(path):
    return np.asarray(zarr.open_array(path, mode="r")[...])


def distances(data, numbers):
    """The distances of the chosen points from their queries: ties may be broken either way."""
    queries, points = elements(data / "queries"), elements(data / "points")
    return np.linalg.norm(queries.astype("f8") - points[numbers.reshape(-1)], axis=1)


def difference(result, reference):
    """The largest difference, relative to the largest element; infinite for another shape."""
    if result.size != reference.size or result.dtype.kind != reference.dtype.kind:
        return np.inf
    change = np.abs(np.subtract(result.reshape(reference.shape), reference, dtype="f8"))
    worst = change.max() / max(np.abs(reference).max(), np.finfo("f8").tiny)
    return np.inf if np.isnan(worst) else float(worst)


def largest_difference(program, data, results, reference):
    """The largest difference of all results; infinite where the reference has none."""
    paths = sorted(reference.iterdir())
    if not paths:
        return np.inf
    worst = 0.0
    for path in paths:
        pair = [elements(folder / path.name) for folder in (results, reference)]
        if program == "neighbours":
            pair = [distances(data, numbers) for numbers in pair]
        worst = max(worst, difference(*pair))
    return worst


if __name__ == "__main__":
    print(largest_difference(sys.argv[1], *map(Path, sys.argv[2:])))
