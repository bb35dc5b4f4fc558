# SPDX-License-Identifier: Apache-2.0
"""Checks that the C++ files of a tree are formatted as its .clang-format says.

usage: formatted.py <clang-format> <source directory>
"""

import pathlib
import subprocess
import sys

TREES = ("include", "lib", "tests", "benchmarks", "examples")


def sources_of(root):
    """Returns the C++ files of the tree at `root`."""
    return sorted(path for tree in TREES for path in (root / tree).rglob("*")
                  if path.suffix in (".cpp", ".hpp"))


def main(clang_format, directory):
    """Returns 1, and prints the places, if a file is not formatted or no file is found."""
    sources = sources_of(pathlib.Path(directory))
    if not sources:
        print(f"{directory}: no C++ files")
        return 1
    run = subprocess.run([clang_format, "--dry-run", "-Werror", *map(str, sources)], check=False)
    return 1 if run.returncode else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
