# SPDX-License-Identifier: Apache-2.0
"""The errors of the compiler, explained: each wrong program of tests/compile_fail with its sentence, and
the right program where the test has one."""

import re

INTRODUCTION = """# Errors of the compiler

A wrong call is told in one sentence, the first line of the compiler's output. It names the rule, and mostly the
remedy. The tests compile each program of this page with GCC and Clang, and compare the sentence.

"""
CASE = re.compile(r"((?://.*\n)+)(?s:.*?)#ifdef POSITIVE\n((?s:.*?))#else\n((?s:.*?))#endif")
LINE = re.compile(r"(?m)^  (?:use\((.*)\)|(\S.*?));  // (tessera.*)$")


def code_of(lines):
    """Returns the calls of a few lines, without their casts to void."""
    text = " ".join(line.strip() for line in lines.strip().split("\n"))
    return re.sub(r"static_cast<void>\((.*)\);", r"\1", text).removesuffix(";")


def cell(code):
    """Returns code as a cell of a table."""
    return f"`{code}`".replace("|", "\\|") if code else ""


def cases_of(folder):
    """Returns sentence, wrong and right code of each test."""
    cases = []
    for path in sorted(folder.glob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        match = CASE.match(text)
        if match:
            comment = match[1].split("// SPDX")[0]
            sentence = " ".join(line.removeprefix("//").strip() for line in comment.strip().split("\n"))
            cases.append((sentence, code_of(match[3]), code_of(match[2])))
        else:
            cases += [(sentence, call or statement, "") for call, statement, sentence in LINE.findall(text)]
    return cases


def table_of(cases):
    """Returns the table of a function; the right programs have a column if there are any."""
    has_right = any(right for _, _, right in cases)
    rows = [["wrong", "the sentence", "right"], ["---"] * 3]
    rows += [[cell(wrong), sentence.replace("|", "\\|"), cell(right)] for sentence, wrong, right in cases]
    return "".join(f"| {' | '.join(row if has_right else row[:2])} |\n" for row in rows)


def markdown_of(folder):
    """Returns the page: a table for each function whose calls are told."""
    cases_of_function = {}
    for case in cases_of(folder):
        function = re.match(r"tessera::((?:\w+::)*\w+)", case[0])
        heading = function[1] if function else "operators, indices and members"
        cases_of_function.setdefault(heading, []).append(case)
    order = sorted(cases_of_function, key=lambda heading: (" " in heading, heading))
    return INTRODUCTION + "".join(f"## {heading}\n\n{table_of(cases_of_function[heading])}\n"
                                  for heading in order)
