# SPDX-License-Identifier: Apache-2.0
"""Counts words that make comments hard to read, and identifiers that name nothing.

A comment names an object before it speaks about it, so that "what", "where", "those", "others",
"whose", "nobody" are rare. An identifier is a noun or a verb with its object; pronouns, adverbs and
lone participles are none. Each room has ceilings, which only fall: lower them when a room is below.
A comment begins with a noun or a verb, not with a relative: "How it is stored" is "The encoding".

usage: words.py <source directory>
       words.py <source directory> --ceilings   prints the table as the tree has it
"""

import collections
import math
import pathlib
import re
import sys

from words_ceilings import CEILINGS

RELATIVES = ("what", "where", "those", "others", "whose", "nobody")
VAGUE = ("what how one each both two made found seen taken left its own all more other").split()
# A comment that begins so; at most so many are in the whole tree.
BEGINNING = re.compile(r"///?\s+(How|Why|What|Where|Who|Whose|Which|Whatever|Whichever|Those)\b")
MOST_BEGINNINGS = 10
# Figures of a room: per 1,000 words of comments, and per 1,000 lines of code.
FIGURES = ("what", "where", "relatives", "identifiers")
# A small room gets this much, whatever its figures would be: one word of ten is 100 of 1,000.
LEAST_WORDS = 2000
LEAST_LINES = 1000

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'',
                   re.DOTALL)
WORD = re.compile(r"[A-Za-z]+")
# The text of an exception has the standard's name, and the function `all` that of NumPy.
IDENTIFIER = re.compile(r"\b(?!(?<=[.>])what\(\)|(?<=ts::)all\b)(?:" + "|".join(VAGUE) + r")_?\b")


class Counts:
    """What a room has: words of comments, lines of code, and the ones that are counted."""

    def __init__(self):
        self.words = 0
        self.lines = 0
        self.found = collections.Counter()

    def add(self, text):
        """Counts a C++ file."""
        comments = []

        def take(match):
            if match.group().startswith("/"):
                comments.append(match.group())
                return " "
            return '""'

        code = TOKEN.sub(take, text)
        for comment in comments:
            if "SPDX-License-Identifier" in comment:
                continue
            self.found["beginnings"] += BEGINNING.match(comment) is not None
            words = [word.lower() for word in WORD.findall(comment)]
            self.words += len(words)
            self.found.update(word for word in words if word in RELATIVES)
        code_lines = [line for line in code.splitlines() if line.strip()]
        self.lines += len(code_lines)
        for line in code_lines:
            if not line.lstrip().startswith("#include"):
                self.found["identifiers"] += len(IDENTIFIER.findall(line))

    def figures(self):
        """Returns the figures in the order of FIGURES."""
        per_word = 1000 / max(self.words, LEAST_WORDS)
        relatives = sum(self.found[word] for word in RELATIVES)
        return (self.found["what"] * per_word, self.found["where"] * per_word,
                relatives * per_word,
                self.found["identifiers"] * 1000 / max(self.lines, LEAST_LINES))


def room_of(path):
    """Returns the room of a file: of include/tessera/plan/a.hpp and lib/plan/a.cpp "plan"."""
    parts = path.parts
    if parts[0] == "include":
        return parts[2] if len(parts) > 3 else "tessera"
    return parts[1] if parts[0] == "lib" and len(parts) > 2 else parts[0]


def counts_of(root):
    """Returns the counts of each room of the tree at `root`."""
    rooms = collections.defaultdict(Counts)
    for tree in ("include", "lib", "tests", "benchmarks", "examples"):
        for path in sorted((root / tree).rglob("*")):
            if path.suffix in (".hpp", ".cpp") and "compile_fail" not in path.parts:
                rooms[room_of(path.relative_to(root))].add(path.read_text())
    return rooms


def problems(rooms, ceilings):
    """Returns one line for each figure that is above its ceiling."""
    found = []
    for room, counts in sorted(rooms.items()):
        if room not in ceilings:
            found.append(f"{room}: has no ceilings in words_ceilings.py")
            continue
        for name, figure, ceiling in zip(FIGURES, counts.figures(), ceilings[room]):
            if figure > ceiling:
                unit = "lines of code" if name == "identifiers" else "words of comments"
                found.append(f"{room}: {figure:.1f} '{name}' per 1,000 {unit}, at most {ceiling} "
                             "are allowed; name the objects")
    beginnings = sum(counts.found["beginnings"] for counts in rooms.values())
    if beginnings > MOST_BEGINNINGS:
        found.append(f"{beginnings} comments begin with How, Which or another relative, at most "
                     f"{MOST_BEGINNINGS} may; begin with a noun")
    return found


def table(rooms):
    """Returns the ceilings of the rooms as they are now, as a line of Python each."""
    return [f'    "{room}": ({", ".join(f"{math.ceil(x * 10) / 10}" for x in counts.figures())}),'
            for room, counts in sorted(rooms.items())]


def main(directory, *options):
    """Checks or prints."""
    rooms = counts_of(pathlib.Path(directory))
    if "--ceilings" in options:
        print("\n".join(table(rooms)))
        return 0
    lines = problems(rooms, CEILINGS)
    print("\n".join(lines) or "no room is above its ceilings")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
