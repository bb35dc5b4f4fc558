# SPDX-License-Identifier: Apache-2.0
"""Compiles files one by one, without code generation, and prints what the compiler says.

usage: compile_each.py <compiler> <file of flags>
                       (<file> | <directory of headers> | @<list> | -<file that is left out>
                       | +<header that clang reads once for all of them>)...
"""

import concurrent.futures
import os
import pathlib
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
    """Returns the options that let clang take `headers` as read."""
    if not headers:
        return []
    precompiled = os.path.join(folder, "headers.pch")
    source = "".join(f"#include <{header}>\n" for header in headers)
    subprocess.run([compiler, f"@{flags}", "-x", "c++-header", "-", "-o", precompiled],
                   input=source, text=True, check=True)
    return ["-include-pch", precompiled]


def compile_alone(compiler, flags, precompiled, file):
    """Returns the compiler's output for one file, empty where it is content."""
    # A header is included rather than compiled: #pragma once in a main file is a warning.
    source = f'#include "{file}"\n' if file.endswith(".hpp") else None
    what = ["-x", "c++", "-"] if source else [file]
    run = subprocess.run([compiler, f"@{flags}", "-fsyntax-only", *precompiled, *what], input=source or "",
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return run.stdout + (f"{file}: failed\n" if run.returncode and not run.stdout else "")


def main(compiler, flags, *arguments):
    left_out = {argument[1:] for argument in arguments if argument.startswith("-")}
    headers = [argument[1:] for argument in arguments if argument.startswith("+")]
    files = [file for argument in arguments if argument[0] not in "-+"
             for file in files_of(argument) if file and file not in left_out]
    with (tempfile.TemporaryDirectory() as folder,
          concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool):
        precompiled = precompile(compiler, flags, headers, folder)
        outputs = pool.map(lambda file: compile_alone(compiler, flags, precompiled, file), files)
        bad = [output for output in outputs if output]
    print("".join(bad) or f"{len(files)} files compile without a word")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
