# SPDX-License-Identifier: Apache-2.0
"""Checks gdb's output for arrays, expressions, plans and indices.

usage: gdb_test.py <gdb> <cmake/gdb.py> <arrays>
"""

import subprocess
import sys

EXPECTED = {
    "indices": "(4, 6)",
    "list": "index({3, 1, 1})",
    "matrix": "ndarray<double, 2> of shape (2, 3) = {elements = {{1, 0.5, 2}, {0, 1, 3}}}",
    "nothing": "ndarray<int, 1> of shape (0,)",
    "lazy": "array<float, 2> of float, shape (4, 6), chunks (2, 3)",
    "twice": "add(multiply(array<float, 2>, 2), array<float, 2>) of float, shape (4, 6), "
             "chunks (2, 3)",
    "means": "mean(add(multiply(array<float, 2>, 2), array<float, 2>)) of float, shape (6,), "
             "chunks (3,)",
    "program": "plan of mean(add(multiply(array<float, 2>, _), array<float, 2>)), "
               "stored<float, 2>",
}


def main(debugger, printers, program):
    commands = [f"source {printers}", "set print frame-arguments none", "set debuginfod enabled off",
                "break stop_here", "run", "up", *(f"print {name}" for name in EXPECTED)]
    run = subprocess.run([debugger, "-batch", "-nx", *(part for command in commands
                                                       for part in ("-ex", command)), program],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    lines = run.stdout.splitlines()
    missing = [f"{name}: '{text}' is not printed"
               for number, (name, text) in enumerate(EXPECTED.items(), 1)
               if f"${number} = {text}" not in lines]
    print(*missing, run.stdout if missing else "all is printed", sep="\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
