# SPDX-License-Identifier: Apache-2.0
"""Checks that a program that visits an array by one function of every real dtype and rank compiles in few
times the time of Eigen's core alone.

Eigen's core takes 0.8 s where the bound was set, which makes it 6 s. Times are those of core_header.py.

usage: visit_time.py <compiler> <file of flags> <visit.cpp>
"""

import pathlib
import sys
import tempfile

import core_header

MOST = 7.5


def main(compiler, flags_file, source):
    """Prints the ratio; returns 1 if it is above its bound."""
    flags = core_header.release_flags(flags_file)
    with tempfile.TemporaryDirectory() as folder:
        eigen = pathlib.Path(folder) / "eigen.cpp"
        eigen.write_text(core_header.EIGEN, encoding="utf-8")
        output = ["-c", "-o", f"{folder}/program.o"]
        commands = [[compiler, *flags, *output, str(path)] for path in (eigen, source)]
        eigen_time, visit_time = core_header.least_times(
            commands, lambda eigen, visit: visit <= MOST * eigen)
    ratio = visit_time / eigen_time
    print(f"Eigen/Core: {eigen_time:.2f} s; visit: {visit_time:.2f} s, {ratio:.2f} of {MOST}")
    return ratio > MOST


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
