# SPDX-License-Identifier: Apache-2.0
"""Checks that a wrong program is refused, and how.

The case's first line is `// <text>`. The program must not compile, the first error or its notes must
contain the text, the output must name a line of the program, and all must be said in a few lines:
lines that name the headers on the way, and Clang's count of its errors, do not count.
The positive twin must compile: `positive/<case>` beside it, or else the case itself with POSITIVE
defined.

usage: check.py <compiler> <file of flags> <case.cpp> [<lines> [<directory of precompile.py>]]
"""

import pathlib
import re
import subprocess
import sys

MAX_LINES = 13
ERROR = re.compile(r"\berror: ")
ASIDE = re.compile(r"In file included from |\s+from \S+:\d+|\d+ errors? generated\.")


def compile_case(compiler, flags, file, *options):
    """Returns whether `file` compiles, and the compiler's output."""
    run = subprocess.run([compiler, *options, f"@{flags}", "-fsyntax-only",
                          "-fdiagnostics-color=never", str(file)],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return run.returncode == 0, run.stdout


def expected_text(case):
    """Returns the text of the case's first line, or None if there is none."""
    first = case.read_text().split("\n", 1)[0]
    return first[3:].strip() if first.startswith("// ") else None


def first_diagnostic(output):
    """Returns the first error and its notes: all before the second error."""
    errors = [match.start() for match in ERROR.finditer(output)]
    return output[errors[0]:(errors + [len(output)])[1]] if errors else ""


def num_lines(output):
    """Returns how many lines the compiler's errors and notes have."""
    return sum(ASIDE.match(line) is None for line in output.splitlines())


def refusal_problems(text, file, compiles, output, max_lines):
    """Returns the faults of the way in which a case was refused."""
    if compiles:
        return ["it compiles, and must not"]
    problems = []
    if text not in first_diagnostic(output):
        problems.append(f"the first error does not say '{text}'")
    if not re.search(re.escape(file.name) + r":\d+:\d+", output):
        problems.append(f"the output names no line of {file.name}")
    lines = num_lines(output)
    if lines > max_lines:
        problems.append(f"the output has {lines} lines, at most {max_lines} are allowed")
    return problems


def precompiled_flags(compiler, directory):
    """Returns the flags for the precompiled header in `directory`."""
    if not directory:
        return []
    if "clang" in pathlib.Path(compiler).name:
        return ["-include-pch", f"{directory}/header.pch"]
    return [f"-I{directory}"]


def main(compiler, flags, case, max_lines=MAX_LINES, precompiled=""):
    case = pathlib.Path(case)
    text = expected_text(case)
    if not text:
        print(f"{case}: the first line must be '// <expected text>'")
        return 1
    options = precompiled_flags(compiler, precompiled)
    compiles, output = compile_case(compiler, flags, case, *options)
    problems = refusal_problems(text, case, compiles, output, int(max_lines))

    twin = case.parent / "positive" / case.name
    if not twin.exists() and "POSITIVE" not in case.read_text():
        problems.append("it has no positive twin")
    else:
        definitions, twin = ([], twin) if twin.exists() else (["-DPOSITIVE"], case)
        compiles, twin_output = compile_case(compiler, flags, twin, *options, *definitions)
        if not compiles:
            problems.append("the positive twin does not compile")
            output += twin_output

    print(output, *(f"{case}: {problem}\n" for problem in problems), sep="")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
