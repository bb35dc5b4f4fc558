# SPDX-License-Identifier: Apache-2.0
"""Checks that a program with tessera/core.hpp compiles in few times the time of Eigen's core alone.

The program is the example hello, with the header replaced. Times are processor times, the least of
two each, so that the ratio depends neither on the machine nor on its load.

usage: core_header.py <compiler> <file of flags> <hello.cpp>
"""

import pathlib
import resource
import subprocess
import sys
import tempfile

MOST = 4.5
EIGEN = "#include <Eigen/Core>\nint main() {}\n"


def compile_time(compiler, flags, text):
    """Returns the processor time of compiling a program, in seconds, the least of two."""
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory, "program.cpp")
        source.write_text(text, encoding="utf-8")
        times = []
        for _ in range(2):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            subprocess.run([compiler, *flags, "-O0", "-c", str(source), "-o", str(source) + ".o"],
                           check=True)
            times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
        return min(times)


def main(compiler, flags_file, hello):
    """Prints the ratio; returns 1 if it is above the bound."""
    flags = pathlib.Path(flags_file).read_text(encoding="utf-8").split("\n")
    flags = [flag for flag in flags if flag and flag != "-Werror"]
    text = pathlib.Path(hello).read_text(encoding="utf-8")
    assert "tessera/tessera.hpp" in text
    program = compile_time(compiler, flags, text.replace("tessera/tessera.hpp", "tessera/core.hpp"))
    eigen = compile_time(compiler, flags, EIGEN)
    print(f"hello: {program:.2f} s, Eigen/Core: {eigen:.2f} s, ratio {program / eigen:.2f} of {MOST}")
    return program > MOST * eigen


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
