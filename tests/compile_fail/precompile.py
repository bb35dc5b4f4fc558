# SPDX-License-Identifier: Apache-2.0
"""Precompiles a header for the cases of check.py.

usage: precompile.py <compiler> <file of flags> <header> <directory>
"""

import pathlib
import subprocess
import sys


def target(compiler, header, directory):
    """Returns the path at which the compiler looks for the header's precompiled form."""
    directory = pathlib.Path(directory)
    if "clang" in pathlib.Path(compiler).name:
        return directory / "header.pch"
    return directory / pathlib.Path(header).parent.name / (pathlib.Path(header).name + ".gch")


def main(compiler, flags, header, directory):
    output = target(compiler, header, directory)
    output.parent.mkdir(parents=True, exist_ok=True)
    # A header that is compiled by itself makes GCC warn of #pragma once.
    return subprocess.run([compiler, f"@{flags}", "-w", "-x", "c++-header", header, "-o",
                           str(output)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
