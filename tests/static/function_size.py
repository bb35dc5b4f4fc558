# SPDX-License-Identifier: Apache-2.0
"""Checks that no function is longer than .clang-tidy allows.

clang-tidy takes seconds for a file, and most files have no block that is long enough. So only files
with such a block are given to it: text in braces that is no namespace and no class.

usage: function_size.py <clang-tidy> <file of flags> <source directory>
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

TREES = ("include", "lib", "examples", "benchmarks")
CHECK = "readability-function-size"
THRESHOLD = re.compile(CHECK + r"\.LineThreshold, value: (\d+)")
# Comments and literals, whose braces do not count.
TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
                  r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])'", re.DOTALL)
# The head of a block that is no function: no parenthesis follows the keyword.
NO_FUNCTION = re.compile(r"\b(namespace|class|struct|union|enum)\b[^()]*$")


def longest_block(text):
    """Returns the most lines from the opening to the closing brace of a block that may be a function."""
    code = TEXT.sub(lambda match: "\n" * match.group().count("\n"), text)
    longest, line, head, opened = 0, 0, 0, []
    for position, character in enumerate(code):
        if character == "\n":
            line += 1
        elif character == "{":
            opened.append((line, NO_FUNCTION.search(code[head:position]) is None))
        elif character == "}" and opened:
            first, may_be_function = opened.pop()
            if may_be_function:
                longest = max(longest, line - first)
        if character in "{};":
            head = position + 1
    return longest


def candidates(root):
    """Returns the files of the tree at `root` with a block that is longer than a function may be."""
    most = int(THRESHOLD.search((root / ".clang-tidy").read_text()).group(1))
    return [path for tree in TREES for path in sorted((root / tree).rglob("*"))
            if path.suffix in (".hpp", ".cpp") and longest_block(path.read_text()) > most]


def problems_of(clang_tidy, flags, path):
    """Returns the output of clang-tidy for one file, empty if all functions are short enough."""
    command = [clang_tidy, "-quiet", f"-checks=-*,{CHECK}", "-warnings-as-errors=*", str(path), "--",
               "-xc++", *flags, "-w", "-Wno-error"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return run.stdout or (run.stderr if run.returncode else "")


def main(clang_tidy, flags_file, directory):
    """Checks the tree at `directory`."""
    if clang_tidy.endswith("NOTFOUND"):
        print("clang-tidy is missing, which measures functions: "
              "cmake/install-dependencies.sh tests installs it")
        return 1
    flags = pathlib.Path(flags_file).read_text().split()
    files = candidates(pathlib.Path(directory))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        bad = [text for text in pool.map(lambda path: problems_of(clang_tidy, flags, path), files)
               if text]
    print("".join(bad) or f"no function is too long; clang-tidy read {len(files)} files with long blocks")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
