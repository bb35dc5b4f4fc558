# SPDX-License-Identifier: Apache-2.0
"""Compares what programs print by print_cases.hpp with what NumPy computes of the same arrays.

usage: cases.py <program>...
"""

import subprocess
import sys
import warnings

import numpy as np

MAX_ULPS = 8

warnings.simplefilter("ignore")


def array_of(kind, shape, text):
    """Returns the array that a line holds."""
    held = b"" if text == "-" else bytes.fromhex(text)
    shape = [int(extent) for extent in shape.strip("()").split(",") if extent]
    return np.frombuffer(held, dtype=kind).reshape(shape)


def same_values(expected, actual):
    """Tells of each element whether it is the same, NaN for NaN."""
    if actual.dtype.kind == "c":
        return same_values(expected.real, actual.real) & same_values(expected.imag, actual.imag)
    return (expected == actual) | ((expected != expected) & (actual != actual))


def near_values(expected, actual):
    """Tells of each element whether it is within a few roundings of the largest ones."""
    part = actual.real.dtype
    finite = np.abs(expected[np.isfinite(expected)])
    largest = np.maximum(np.abs(expected), np.median(finite) if finite.size else 0)
    close = np.abs(expected - actual) <= MAX_ULPS * np.finfo(part).eps * largest
    return close | same_values(expected, actual)


def near_as_a_whole(expected, actual):
    """Tells of each element whether it is within a few roundings of the largest one."""
    largest = np.abs(expected).max(initial=0)
    return np.abs(expected - actual) <= MAX_ULPS * np.finfo(actual.real.dtype).eps * largest


def near_as_solved(expected, actual):
    """Tells of each element whether it is within some roundings of the largest one."""
    largest = np.abs(expected).max(initial=0)
    return np.abs(expected - actual) <= 1000 * np.finfo(actual.real.dtype).eps * largest


KINDS = {"same": same_values, "near": near_values, "whole": near_as_a_whole, "solved": near_as_solved}


def setitem(x, index, y):
    """Returns a copy after `x[index] = y`."""
    result = x.copy()
    result[index] = y
    return result


def backwards(x, axis):
    """Returns the indices of elements in descending order; equals in order, NaN at the end."""
    is_nan = np.isnan(x) if x.dtype.kind == "f" else np.zeros(x.shape, bool)
    _, ranks = np.unique(np.where(is_nan, 0, x), return_inverse=True)
    keys = np.where(is_nan, x.size, -ranks.reshape(x.shape))
    return np.argsort(keys, axis=axis, kind="stable")


def mode(x, axis):
    """Returns the most frequent element that is no NaN, the least of several."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    lines = np.moveaxis(x, axes, range(-len(axes), 0))
    lines = lines.reshape(lines.shape[:x.ndim - len(axes)] + (-1,))
    modes = np.empty(lines.shape[:-1], x.dtype)
    for at in np.ndindex(modes.shape):
        line = lines[at][lines[at] == lines[at]]
        values, counts = np.unique(line, return_counts=True)
        modes[at] = values[counts.argmax()] if values.size else np.nan
    return modes


numpy_quantile = np.quantile


def closest_observation(line, q):
    """Returns Hyndman and Fan's quantile of definition 3: at a tie the observation of even number."""
    if np.isnan(line).any():
        return np.nan
    product = len(line) * q - 0.5
    below = int(np.floor(product))
    number = below if product == below and below % 2 == 0 else below + 1
    return np.sort(line)[min(max(number, 1), len(line)) - 1]


def quantile(array, q, axis=None, method="linear", **options):
    """Is np.quantile, which took the odd one of two at a tie before NumPy 2."""
    if method != "closest_observation":
        return numpy_quantile(array, q, axis=axis, method=method, **options)
    places = np.atleast_1d(q)
    lines = np.apply_along_axis(
        lambda line: [closest_observation(line, place) for place in places], axis, array)
    moved = np.moveaxis(lines, axis, 0).astype(array.dtype)
    return moved if np.ndim(q) else moved[0]


np.quantile = quantile
HELPERS = {"np": np, "setitem": setitem, "backwards": backwards, "mode": mode}


def problem(line, names):
    """Returns the fault of a line, or None; a name is put into `names`."""
    relation, kind, shape, text, code = line.split(" ", 4)
    actual = array_of(kind, shape, text)
    if relation == "let":
        names[code] = actual
        return None
    with np.errstate(all="ignore"):
        expected = np.asarray(eval(code, {**HELPERS, **names}))
    if expected.dtype != actual.dtype or expected.shape != actual.shape:
        return f"{code}: {actual.dtype} {actual.shape}, not {expected.dtype} {expected.shape}"
    with np.errstate(all="ignore"):
        right = KINDS[relation](expected, actual)
    if np.all(right):
        return None
    return f"{code}: {np.sum(~right)} of {right.size} differ:\n{actual}\nnot\n{expected}"


def main(*programs):
    failures, compared = [], 0
    for program in programs:
        names = {}
        run = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True)
        for line in run.stdout.splitlines():
            wrong = problem(line, names)
            failures += [wrong] if wrong else []
            compared += not line.startswith("let ")
    print(*failures, f"{compared} cases, {len(failures)} wrong", sep="\n")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
