# SPDX-License-Identifier: Apache-2.0
"""Compares what print_reductions.cpp prints with what NumPy makes of the same arrays: each line has
the Python that is to give the same.

usage: reductions.py <program>...
"""

import sys
import warnings

import numpy as np

import printed

warnings.simplefilter("ignore")


def wide(x):
    """Returns an array in a type with negligible rounding."""
    kinds = {"f": np.float64, "c": np.complex128}
    return x.astype(kinds[x.dtype.kind]) if x.dtype.kind in kinds else x


def nanarg(function, x, axis):
    """Returns NumPy's, and -1 if it raises, as all are NaN."""
    empty = np.isnan(x).all(axis=axis) if x.dtype.kind == "f" else np.zeros((), bool)
    filled = np.where(np.isnan(x).all(axis=axis, keepdims=True), 0, x) if empty.any() else x
    return np.where(empty, -1, function(filled, axis=axis))


def in_order(x, k, axis):
    """Returns the indices of the elements in the order of topk; of equals the first come first."""
    if k < 0:
        return np.argsort(x, axis=axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - backwards, axis)


def argtopk(x, k, axis):
    return np.take(in_order(x, k, axis), range(abs(k)), axis=axis)


def topk(x, k, axis):
    return np.take_along_axis(x, argtopk(x, k, axis), axis)


def extreme(function, x, axis, mask):
    """Returns the extreme of the elements that count: NaN if none does, or 0 of integers."""
    missing = np.nan if x.dtype.kind == "f" else 0
    return along(lambda v, m: function(v[m]) if m.any() else missing, x, mask, axis).astype(x.dtype)


def least(x, axis, mask):
    return extreme(np.min, x, axis, mask)


def greatest(x, axis, mask):
    return extreme(np.max, x, axis, mask)


def where_arg(function, x, axis, mask):
    return along(lambda v, m: np.flatnonzero(m)[function(v[m])] if m.any() else -1, x, mask, axis)


def along(function, x, mask, axis):
    """Calls a function of the elements, and of the mask, of each line along an axis."""
    lines = np.moveaxis(x, axis, -1), np.moveaxis(mask, axis, -1)
    results = np.empty(lines[0].shape[:-1], object)
    for at in np.ndindex(results.shape):
        results[at] = function(lines[0][at], lines[1][at])
    return np.array(results.tolist())


def standardised(x, axis, power):
    x = wide(x).astype(np.float64)
    d = x - x.mean(axis=axis, keepdims=True)
    variance = (d ** 2).mean(axis=axis)
    rounded = (np.finfo(np.float64).eps * x.mean(axis=axis)) ** 2
    return np.where(variance > rounded, (d ** power).mean(axis=axis) / variance ** (power / 2), np.nan)


def skew(x, axis):
    return standardised(x, axis, 3)


def kurtosis(x, axis):
    return standardised(x, axis, 4) - 3


def moment(x, order, axis):
    x = wide(x)
    return ((x - x.mean(axis=axis, keepdims=True)) ** order).mean(axis=axis)


def count(x, axis):
    return (x == x).sum(axis=axis)


def of_nothing(function, x):
    """Returns the result of a reduction of nothing."""
    try:
        return function(np.zeros((0,), x.dtype), axis=0)
    except (ValueError, IndexError):
        return {"f": np.nan, "c": complex(np.nan, np.nan)}.get(x.dtype.kind, 0)


def group(function, x, labels, n, axis):
    """Reduces the elements of each group along an axis, in the place of which the groups are."""
    parts = []
    for g in range(n):
        part = np.compress(labels == g, x, axis=axis)
        if part.shape[axis] == 0:
            shape = np.delete(x.shape, axis)
            parts.append(np.full(shape, of_nothing(function, x)))
        else:
            parts.append(function(part, axis=axis))
    return np.stack(parts, axis=axis)


def group_arg(function, x, labels, n, axis):
    parts = []
    for g in range(n):
        where = np.flatnonzero(labels == g)
        if len(where) == 0:
            parts.append(np.full(np.delete(x.shape, axis), -1))
        else:
            parts.append(where[function(np.take(x, where, axis=axis), axis=axis)])
    return np.stack(parts, axis=axis)


def group_all(function, x, labels, n):
    return group(function, x.ravel(), labels.ravel(), n, 0)


def group_two(function, x, a, b, n, m):
    inside = (a >= 0) & (a < n) & (b >= 0) & (b < m)
    combined = np.where(inside, a.astype(int) * m + b, -1)
    return group_all(function, x, combined, n * m).reshape(n, m)


def group_planes(x, labels, n):
    return np.stack([np.where(labels == g, x, x.dtype.type(0)).sum(axis=0) if x.dtype.kind != "f" else
                     np.sum(x, axis=0, where=labels == g) for g in range(n)])


def clean(x):
    return x[~np.isnan(x)]


def hist2d(x, y):
    ok = ~(np.isnan(x) | np.isnan(y)).ravel()
    return np.histogram2d(x.ravel()[ok].astype(float), y.ravel()[ok].astype(float),
                          bins=[np.array([-2.5, -1.0, 0.0, 0.25, 2.0, 4.5]),
                                np.linspace(-1, 2, 4)])[0]


def problem(python, expected, actual):
    """Returns the fault of a result, or None."""
    expected = np.asarray(expected)
    if expected.shape != actual.shape:
        return f"{python}: shape {actual.shape}, not {expected.shape}"
    if actual.dtype.kind in "biu" or actual.dtype.kind == expected.dtype.kind == "b":
        same = np.asarray(expected == actual)
    else:
        unit = {"float16": 2e-3, "float32": 1e-6, "complex64": 1e-6}.get(actual.dtype.name, 1e-12)
        kind = np.complex128 if actual.dtype.kind == "c" else np.float64
        e, f = expected.astype(actual.dtype).astype(kind), actual.astype(kind)
        same = (np.abs(e - f) <= unit * (1 + np.abs(e))) | (np.isnan(e) & np.isnan(f)) | (e == f)
    if same.all():
        return None
    at = tuple(np.argwhere(~same)[0])
    return f"{python}: at {at} {actual[at]!r}, not {expected[at]!r}; {(~same).sum()} differ"


def main(*programs):
    compared, failures = 0, []
    for program in programs:
        names = dict(globals())
        for _, text, array in printed.results(program, names):
            compared += 1
            # Sums of narrow floats are compared with sums of wide ones.
            floats = {name: wide(value) for name, value in names.items()
                      if isinstance(value, np.ndarray)}
            wrong = problem(f"{names['x'].dtype} {text}", eval(text, {**names, **floats}), array)
            failures += [wrong] if wrong else []
    print("\n".join(failures))
    print(f"{compared} results, {len(failures)} wrong")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
