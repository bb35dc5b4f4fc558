# SPDX-License-Identifier: Apache-2.0
"""Compiles files one by one, without code generation, and prints what the compiler says.

usage: compile_each.py <compiler> <file of flags>
                       (<file> | <directory of headers> | @<list> | -<file that is left out>
                       | +<header that is read once for all files>
                       | =<header that is read once for the headers that include it anyway>)...

Most of the time goes into the same headers, so that they are precompiled. A header that includes a
precompiled one itself is as much alone with it as without.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def files_of(argument):
    """Returns the files that an argument stands for."""
    if argument.startswith("@"):
        return pathlib.Path(argument[1:]).read_text().split("\n")
    if os.path.isdir(argument):
        return sorted(str(path) for path in pathlib.Path(argument).rglob("*.hpp"))
    return [argument]


def precompile(compiler, flags, headers, folder):
    """Returns the options that let a compiler take `headers` as read."""
    if not headers:
        return []
    header = os.path.join(folder, f"{len(os.listdir(folder))}.hpp")
    pathlib.Path(header).write_text("".join(f"#include <{name}>\n" for name in headers))
    # GCC and clang look for it beside the header.
    subprocess.run([compiler, f"@{flags}", "-x", "c++-header", "-Wno-pragma-once-outside-header",
                    header, "-o", f"{header}.gch"], check=True)
    return ["-include", header]


class IncludeGraph:
    """The headers below a folder that others of them include, directly or not."""

    def __init__(self, root):
        self.root = root
        self.found = {}

    def below(self, name):
        if name not in self.found:
            self.found[name] = set()
            path = self.root / name
            text = path.read_text() if path.is_file() else ""
            for other in re.findall(r'^#include ["<](.+)[">]', text, re.MULTILINE):
                self.found[name] |= {other} | self.below(other)
        return self.found[name]

    def greatest_of(self, bases, file):
        """Returns the base with the most headers that `file` includes, or None."""
        included = self.below(os.path.relpath(file, self.root))
        return max((base for base in bases if base in included),
                   key=lambda base: len(self.below(base)), default=None)


def compile_alone(compiler, flags, precompiled, file):
    """Returns the compiler's output for one file, empty where it is content."""
    # A header is included rather than compiled: #pragma once in a main file is a warning.
    source = f'#include "{file}"\n' if file.endswith(".hpp") else None
    what = ["-x", "c++", "-"] if source else [file]
    run = subprocess.run([compiler, f"@{flags}", "-fsyntax-only", *precompiled, *what], input=source or "",
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return run.stdout + (f"{file}: failed\n" if run.returncode and not run.stdout else "")


def main(compiler, flags, *arguments):
    def starting_with(sign):
        return [argument[1:] for argument in arguments if argument.startswith(sign)]

    files = [file for argument in arguments if argument[0] not in "-+="
             for file in files_of(argument) if file and file not in starting_with("-")]
    folders = [argument for argument in arguments if os.path.isdir(argument)]
    graph = IncludeGraph(pathlib.Path(folders[0]).parent if folders else pathlib.Path())
    with (tempfile.TemporaryDirectory() as folder,
          concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool):
        precompiled = {None: precompile(compiler, flags, starting_with("+"), folder)}
        for base in starting_with("="):
            precompiled[base] = precompile(compiler, flags, [base], folder)
        # Before the pool: a set that another thread still fills would be taken for whole.
        options = [precompiled[graph.greatest_of(starting_with("="), file)] for file in files]
        outputs = pool.map(lambda option, file: compile_alone(compiler, flags, option, file),
                           options, files)
        bad = [output for output in outputs if output]
    print("".join(bad) or f"{len(files)} files compile without a word")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
