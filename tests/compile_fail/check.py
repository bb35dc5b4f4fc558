# SPDX-License-Identifier: Apache-2.0
"""Checks that a wrong program is refused, and how.

The case's first line is `// <text>`. The program must not compile, the first error must contain the
text, the output must name a line of the program, and GCC must say it in at most 15 lines. The
positive twin must compile: `positive/<case>` beside it, or else the case itself with POSITIVE
defined.

usage: check.py <compiler> <file of flags> <case.cpp>
"""

import pathlib
import re
import subprocess
import sys

MAX_LINES = 15


def compile_case(compiler, flags, file, *more):
    """Returns whether `file` compiles, and the compiler's output."""
    run = subprocess.run([compiler, f"@{flags}", "-fsyntax-only", "-fdiagnostics-color=never",
                          *more, str(file)],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return run.returncode == 0, run.stdout


def expected_text(case):
    """Returns the text of the case's first line, or None where there is none."""
    first = case.read_text().split("\n", 1)[0]
    return first[3:].strip() if first.startswith("// ") else None


def refusal_problems(text, file, compiles, output, counts_lines):
    """Returns what is wrong with the way in which a case was refused."""
    if compiles:
        return ["it compiles, and must not"]
    errors = [line for line in output.splitlines() if re.search(r"\berror: ", line)]
    found = []
    if not errors or text not in errors[0]:
        found.append(f"the first error does not say '{text}'")
    if not re.search(re.escape(file.name) + r":\d+", output):
        found.append(f"the output names no line of {file.name}")
    if counts_lines and len(output.splitlines()) > MAX_LINES:
        found.append(f"the output has {len(output.splitlines())} lines, at most {MAX_LINES} are "
                     "allowed")
    return found


def main(compiler, flags, case):
    case = pathlib.Path(case)
    text = expected_text(case)
    if not text:
        print(f"{case}: the first line must be '// <expected text>'")
        return 1
    compiles, output = compile_case(compiler, flags, case)
    found = refusal_problems(text, case, compiles, output, counts_lines="clang" not in compiler)

    twin = case.parent / "positive" / case.name
    if not twin.exists() and "POSITIVE" not in case.read_text():
        found.append("it has no positive twin")
    else:
        more, twin = ([], twin) if twin.exists() else (["-DPOSITIVE"], case)
        compiles, twin_output = compile_case(compiler, flags, twin, *more)
        if not compiles:
            found.append("the positive twin does not compile")
            output += twin_output

    print(output, *(f"{case}: {problem}\n" for problem in found), sep="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
