# SPDX-License-Identifier: Apache-2.0
"""Checks that a program with tessera/core.hpp compiles in few times the time of Eigen's core alone, with
the header precompiled in fewer.

The program is the example hello, with the header replaced, and the flags are those of programs that use
the package. Times are processor times, the least of several that are taken in turn, so that the ratios
depend neither on the machine nor on its load.

usage: core_header.py <compiler> <file of flags> <hello.cpp>
"""

import pathlib
import resource
import subprocess
import sys
import tempfile

MOST = 3.0
MOST_PRECOMPILED = 1.75
EIGEN = "#include <Eigen/Core>\nint main() {}\n"
MOST_ROUNDS = 12


def compile_time(command):
    """Returns the processor time of a compilation, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def least_times(commands, are_within_bounds):
    """Returns the least time of each command over rounds, which end once the times are within bounds."""
    least = [float("inf")] * len(commands)
    for _ in range(MOST_ROUNDS):
        least = [min(time, compile_time(command)) for time, command in zip(least, commands)]
        if are_within_bounds(*least):
            break
    return least


def release_flags(flags_file):
    """Returns the flags of a program that uses the package, compiled for release."""
    flags = pathlib.Path(flags_file).read_text(encoding="utf-8").split("\n")
    flags = [flag for flag in flags if flag and flag != "-Werror"]
    return [*flags, "-O3", "-DNDEBUG", "-march=native"]


def make_commands(compiler, flags, hello, folder):
    """Returns the compilations of Eigen's core, of the program, and of the program with the header
    precompiled, which it precompiles."""
    header = folder / "precompiled.hpp"
    sources = {"eigen.cpp": EIGEN, "hello.cpp": hello, header.name: "#include <tessera/core.hpp>\n"}
    for name, text in sources.items():
        (folder / name).write_text(text, encoding="utf-8")
    compiling = [compiler, *flags]
    subprocess.run([*compiling, "-x", "c++-header", str(header), "-o", f"{header}.gch"], check=True)
    output = ["-c", "-o", str(folder / "program.o")]
    return [[*compiling, *output, str(folder / "eigen.cpp")],
            [*compiling, *output, str(folder / "hello.cpp")],
            [*compiling, *output, "-Winvalid-pch", "-include", str(header), str(folder / "hello.cpp")]]


def are_within_bounds(eigen, program, precompiled):
    return program <= MOST * eigen and precompiled <= MOST_PRECOMPILED * eigen


def main(compiler, flags_file, hello):
    """Prints the ratios; returns 1 if one is above its bound."""
    text = pathlib.Path(hello).read_text(encoding="utf-8")
    assert "tessera/tessera.hpp" in text
    text = text.replace("tessera/tessera.hpp", "tessera/core.hpp")
    with tempfile.TemporaryDirectory() as folder:
        commands = make_commands(compiler, release_flags(flags_file), text, pathlib.Path(folder))
        eigen, program, precompiled = least_times(commands, are_within_bounds)
    print(f"Eigen/Core: {eigen:.2f} s; hello: {program:.2f} s, {program / eigen:.2f} of {MOST}; "
          f"precompiled: {precompiled:.2f} s, {precompiled / eigen:.2f} of {MOST_PRECOMPILED}")
    return not are_within_bounds(eigen, program, precompiled)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
