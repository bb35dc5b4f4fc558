# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of the house that a compiler does not: what lies at the root, and the form and
length of files.

usage: style.py <source directory>
"""

import pathlib
import re
import sys

ROOT = {"CMakeLists.txt", "include", "lib", "benchmarks", "tests", "examples", "cmake", "README.md",
        "LICENSE", "CMakePresets.json"}
# Made by a build; .gitignore names them.
IGNORED = re.compile(r"(build|quickstart-).*")

MAX_LINES = {".hpp": 300, ".cpp": 400}
MAX_COLUMNS = 100
TREES = ("include", "lib", "tests", "examples", "benchmarks")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")


def root_problems(root):
    """Returns one line for each entry of the root that is missing or not allowed."""
    entries = {p.name for p in root.iterdir()
               if not p.name.startswith(".") and not IGNORED.fullmatch(p.name)}
    return ([f"{name}: missing at the root" for name in sorted(ROOT - entries)] +
            [f"{name}: does not belong at the root" for name in sorted(entries - ROOT)])


def file_problems(path, text):
    """Returns one line for each rule that a C++ file with this text breaks."""
    lines = text.splitlines()
    is_test_of_failure = "compile_fail" in path.parts
    found = []
    if len(lines) > MAX_LINES[path.suffix]:
        found.append(f"{path}:1: {len(lines)} lines, at most {MAX_LINES[path.suffix]} are allowed")
    if "// SPDX-License-Identifier: Apache-2.0" not in lines[:2]:
        found.append(f"{path}:1: the SPDX line is missing")
    if path.suffix == ".hpp" and "#pragma once" not in lines:
        found.append(f"{path}:1: #pragma once is missing")
    if path.suffix == ".hpp" and path.parts[0] == "include" and "/// \\file" not in lines:
        found.append(f"{path}:1: the header says nowhere what it is for (/// \\file)")
    is_table = False  # a table of one row a line is set by hand, and may be wider
    for number, line in enumerate(lines, 1):
        if "// clang-format" in line:
            is_table = line.endswith("off")
        if len(line) > MAX_COLUMNS and not is_test_of_failure and not is_table:
            found.append(f"{path}:{number}: {len(line)} columns, at most {MAX_COLUMNS} are allowed")
        if UNFINISHED.search(line):
            found.append(f"{path}:{number}: unfinished work belongs in the issue tracker")
    return found


def version_problems(cmake, header):
    """Returns one line unless both texts state one version."""
    stated = re.search(r"VERSION (\d+)\.(\d+)\.(\d+)", cmake)
    defined = re.findall(r"#define TESSERA_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
    if stated and list(stated.groups()) == defined:
        return []
    return ["include/tessera/version.hpp:1: CMakeLists.txt states another version"]


def readme_problems(readme, program):
    """Returns one line unless the README shows the program as it is, without its licence."""
    shown = program.split("\n", 1)[1]
    return [] if shown in readme else ["README.md:1: the program is not that of examples/hello.cpp"]


def problems(root):
    """Returns one line for each rule that the tree at `root` breaks."""
    root = pathlib.Path(root)
    found = root_problems(root)
    if len((root / "CMakeLists.txt").read_text().splitlines()) > 120:
        found.append("CMakeLists.txt:1: the root list file has at most 120 lines")
    found += version_problems((root / "CMakeLists.txt").read_text(),
                              (root / "include/tessera/version.hpp").read_text())
    found += readme_problems((root / "README.md").read_text(),
                             (root / "examples/hello.cpp").read_text())
    for tree in TREES:
        for path in sorted((root / tree).rglob("*")):
            if path.suffix in MAX_LINES:
                found += file_problems(path.relative_to(root), path.read_text())
    return found


if __name__ == "__main__":
    lines = problems(sys.argv[1])
    print("\n".join(lines) or "the tree keeps to the house style")
    sys.exit(1 if lines else 0)
