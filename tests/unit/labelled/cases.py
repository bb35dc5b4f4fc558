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
    """Returns what is wrong with a line, None where nothing is; an array is put into `known`."""
    what, kind, shape, text, rest = line.split(" ", 4)
    names, code = rest.split(": ", 1)
    names = tuple(names.split(",")) if names != "-" else ()
    found = array_of(kind, shape, text)
    if what == "let":
        known[code] = xarray.DataArray(found, dims=names)
        return None
    expected = eval(code, {"np": np, "xr": xarray, **known})
    if expected.dims != names:
        return f"{code}: the names are {names}, not {expected.dims}"
    if expected.dtype != found.dtype or expected.shape != found.shape:
        return f"{code}: {found.dtype} {found.shape}, not {expected.dtype} {expected.shape}"
    right = (near_values if found.dtype.kind == "f" else same_values)(expected.values, found)
    return None if np.all(right) else f"{code}:\n{found}\nnot\n{expected.values}"


def main(program):
    known, found, compared = {}, [], 0
    run = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True)
    for line in run.stdout.splitlines():
        wrong = problem(line, known)
        found += [wrong] if wrong else []
        compared += not line.startswith("let ")
    print(*found, f"{compared} cases, {len(found)} wrong", sep="\n")
    return 1 if found or not compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
