# SPDX-License-Identifier: Apache-2.0
"""Checks that each message of a static_assert in the headers has a case: a file of check.py, or a
line of messages*.cpp, whose mistake must be told by that message and by no other error.

A line of mistakes is `<code>  // <message>`. What stands before the first of them must compile.

usage: messages.py <compiler> <file of flags> <messages.cpp> <directory of headers>
                   [<directory of precompile.py>]
"""

import pathlib
import re
import sys
import tempfile

from check import compile_case, expected_text, precompiled_flags

ASSERTION = re.compile(r"\bstatic_assert\s*\(")
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
MISTAKE = re.compile(r"^ *(?P<code>\S.*?)  // (?P<message>tessera\b.*)$")
ERROR = re.compile(r"error: static assertion failed: (?P<message>.*)|error: (?P<other>.*)")


def end_of_call(text, start):
    """Returns the position of the parenthesis that closes the one opened before `start`."""
    depth, is_quoted = 1, False
    for at in range(start, len(text)):
        if text[at] == '"' and text[at - 1] != "\\":
            is_quoted = not is_quoted
        elif not is_quoted:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def messages_of(text):
    """Returns the messages of the static_asserts in a header, their literals joined."""
    for match in ASSERTION.finditer(text):
        call = text[match.end():end_of_call(text, match.end())]
        message = "".join(LITERAL.findall(call))
        if message.startswith("tessera"):
            yield message


def without_case(headers, texts):
    """Returns one line for each message that none of `texts`, whole or its beginning, is about."""
    problems = []
    for path in sorted(pathlib.Path(headers).rglob("*.hpp")):
        for message in dict.fromkeys(messages_of(path.read_text())):
            if not any(text in message for text in texts):
                problems.append(f"{path.name}: no case has the message '{message}'")
    return problems


def errors_by_line(output, name):
    """Returns the errors of each line of the program, in order."""
    line, errors = 0, {}
    for text in output.splitlines():
        place = re.search(re.escape(name) + r":(\d+):\d+:", text)
        if place:
            line = int(place[1])
        error = ERROR.search(text)
        if error:
            errors.setdefault(line, []).append(error["message"] or error["other"])
    return errors


def wrong_mistakes(mistakes, errors):
    """Returns one line for each mistake that is told otherwise than by its message alone."""
    problems = [f"line {line}: an error of no mistake: {errors[line][0]}"
                for line in sorted(errors.keys() - mistakes.keys())]
    for line, (code, message) in mistakes.items():
        told = errors.get(line, [])
        if told != [message]:
            problems.append(f"line {line}: {code}: expected '{message}', "
                            f"found {told or 'no error'}")
    return problems


def mistakes_in(program):
    """Returns the lines of a program, and the code and the message of each mistake, by number."""
    lines = program.read_text().splitlines()
    matches = {number: MISTAKE.match(line) for number, line in enumerate(lines, 1)}
    return lines, {n: (match["code"], match["message"]) for n, match in matches.items() if match}


def problems_of(program, compiler, flags, options):
    """Returns one line for each mistake of a program that is told otherwise, and each failure."""
    lines, mistakes = mistakes_in(program)
    _, output = compile_case(compiler, flags, program, *options)
    problems = wrong_mistakes(mistakes, errors_by_line(output, program.name))
    with tempfile.TemporaryDirectory() as directory:
        prelude = pathlib.Path(directory, "prelude.cpp")
        prelude.write_text("\n".join(line for n, line in enumerate(lines, 1) if n not in mistakes))
        compiles, output = compile_case(compiler, flags, prelude, *options)
        problems += [] if compiles else [f"without its mistakes it does not compile:\n{output}"]
    return [f"{program.name}: {line}" for line in problems]


def main(compiler, flags, program, headers, precompiled=""):
    """Goes through the program and the files beside it with names that begin as its does."""
    first = pathlib.Path(program)
    programs = sorted(first.parent.glob(first.stem + "*.cpp"))
    told = [message for path in programs for _, message in mistakes_in(path)[1].values()]
    texts = [text for text in map(expected_text, first.parent.glob("*.cpp")) if text]
    problems = without_case(headers, texts + told)
    options = precompiled_flags(compiler, precompiled)
    for path in programs:
        problems += problems_of(path, compiler, flags, options)
    print(*problems, f"{len(told)} mistakes, {len(problems)} problems", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
