# SPDX-License-Identifier: Apache-2.0
"""Compares what a program prints of arrays whose axes have names with what xarray computes of the
same arrays: values, dtype, and the names in their order.

A line is `<what> <dtype> <shape> <elements> <names>: <expression of xarray>`, as print_cases.hpp
prints it.

usage: cases.py <program>
"""

import pathlib
import subprocess
import sys

import numpy as np
import xarray

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "array"))
from cases import array_of, near_values, same_values  # noqa: E402


def problem(line, known):
    """Returns the fault of a line, or None; an array is put into `known`."""
    relation, kind, shape, text, rest = line.split(" ", 4)
    names, code = rest.split(": ", 1)
    names = tuple(names.split(",")) if names != "-" else ()
    actual = array_of(kind, shape, text)
    if relation == "let":
        known[code] = xarray.DataArray(actual, dims=names)
        return None
    expected = eval(code, {"np": np, "xr": xarray, **known})
    if expected.dims != names:
        return f"{code}: the names are {names}, not {expected.dims}"
    if expected.dtype != actual.dtype or expected.shape != actual.shape:
        return f"{code}: {actual.dtype} {actual.shape}, not {expected.dtype} {expected.shape}"
    right = (near_values if actual.dtype.kind == "f" else same_values)(expected.values, actual)
    return None if np.all(right) else f"{code}:\n{actual}\nnot\n{expected.values}"


def main(program):
    known, failures, compared = {}, [], 0
    run = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True)
    for line in run.stdout.splitlines():
        wrong = problem(line, known)
        failures += [wrong] if wrong else []
        compared += not line.startswith("let ")
    print(*failures, f"{compared} cases, {len(failures)} wrong", sep="\n")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
