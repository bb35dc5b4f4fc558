# SPDX-License-Identifier: Apache-2.0
"""Checks the architecture page against the code.

The arrows of its first diagram equal the table of layers.py, and none runs back. The passes of its
second diagram equal the planner's table, in order. A table names the code of each box of its third
diagram. Files, folders and identifiers in backticks
exist, in the guide for contributors as well. The README names every room and links the page.

usage: architecture.py <source directory>
"""

import pathlib
import re
import sys

from layers import LAYERS

PAGE = ".github/ARCHITECTURE.md"
GUIDE = ".github/CONTRIBUTING.md"
PASSES = "lib/plan/passes"

ARROW = re.compile(r"^\s*(\w+) --> (\w+(?: & \w+)*)$")
BOX = re.compile(r'(\w+) ?\["')
TWO_BOXES = re.compile(r"\| (\w+) \| `[^|]+` \| (\w+) \| `[^|]+` \|$")
PASS_NODE = re.compile(r'^\s*p\d+\["(\w+):')
COMMENT = re.compile(r"//.*")
CODE_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
TICKED = re.compile(r"`([^`\n]+)`")
# A path, perhaps with a placeholder: lib/plan/<name>.cpp. A folder has a slash, a file an ending.
PATH = re.compile(r"[\w.<>-]+(?:/[\w.<>-]+)+/?|[\w<>-]+\.(?:cpp|hpp|py|md|txt|cmake|sh)")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*(?:\(\))?")
# Folders that a path in backticks may be relative to.
BASES = ("", "include", "include/tessera", "lib", "tests", ".github")


def section(text, title):
    """Returns the section below the heading `title`, or ""."""
    match = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", text,
                      re.MULTILINE | re.DOTALL)
    return match.group(1) if match else ""


def diagram(text, title):
    """Returns the lines of the first mermaid diagram of a section."""
    match = re.search(r"^```mermaid\n(.*?)^```$", section(text, title), re.MULTILINE | re.DOTALL)
    return match.group(1).splitlines() if match else []


def arrows(lines):
    """Returns the rooms that each room points at; an arrow to a subgraph points at its rooms."""
    targets = {}
    groups = {}
    group = None
    for line in lines:
        words = line.split()
        if words[:1] == ["subgraph"]:
            group = words[1]
            groups[group] = set()
        elif words == ["end"]:
            group = None
        elif match := ARROW.match(line):
            names = set(match.group(2).split(" & "))
            targets.setdefault(match.group(1), set()).update(names)
            if group:
                groups[group] |= {match.group(1)} | names
    return {room: set().union(*(groups.get(name, {name}) for name in names))
            for room, names in targets.items()}


def room_problems(text, layers):
    """Returns one line for each arrow of the diagram or the table that the other lacks."""
    drawn = arrows(diagram(text, "Rooms and arrows"))
    found = []
    for room in sorted(drawn.keys() | layers.keys()):
        shown, allowed = drawn.get(room, set()), layers.get(room, set())
        found += [f"{PAGE}: {room} --> {name}: not in the table of layers.py"
                  for name in sorted(shown - allowed)]
        found += [f"{PAGE}: {room} --> {name}: missing in the diagram"
                  for name in sorted(allowed - shown)]
    return found


def cycle_problems(layers):
    """Returns one line unless each room can be put above all rooms that it may include."""
    left = dict(layers)
    while lowest := [room for room, below in left.items() if not below & left.keys()]:
        for room in lowest:
            del left[room]
    return [f"layers.py: arrows run back among {', '.join(sorted(left))}"] if left else []


def table_of_passes(headers):
    """Returns the names of the passes in their order, from the text of the planner's headers.

    An entry states the name of its pass, or is a constant that does."""
    constants = dict(re.findall(r'named_pass (\w+)\{\s*"(\w+)"', headers))
    match = re.search(r"\ball_passes\b[^;{]*\{(.*?)^\};", headers, re.MULTILINE | re.DOTALL)
    if not match:
        return []
    entries = re.findall(r'"(\w+)"|^\s*(\w+),$', match.group(1), re.MULTILINE)
    return [name or constants.get(constant, constant) for name, constant in entries]


def pass_problems(text, table):
    """Returns one line unless the diagram shows the passes of the table in their order."""
    drawn = [match.group(1) for line in diagram(text, "The life of a plan")
             if (match := PASS_NODE.match(line))]
    if not table:
        return [f"{PASSES}: has no table of passes"]
    if drawn == table:
        return []
    return [f"{PAGE}: the passes are {', '.join(table)}; the diagram shows {', '.join(drawn)}"]


def task_problems(text):
    """Returns one line for each box of the third diagram without a row, and for each row without a box.

    A row has the names of two boxes, each followed by identifiers of the code."""
    title = "The life of a task"
    boxes = {name for line in diagram(text, title) for name in BOX.findall(line)}
    rows = {name for cells in map(TWO_BOXES.match, section(text, title).splitlines()) if cells
            for name in cells.groups()}
    return ([f"{PAGE}: {name}: no row names the code of this box" for name in sorted(boxes - rows)] +
            [f"{PAGE}: {name}: the diagram has no such box" for name in sorted(rows - boxes)])


def ticked(text):
    """Returns the texts in backticks, outside of code blocks."""
    return TICKED.findall(CODE_BLOCK.sub("", text))


def path_exists(root, path):
    """Tells whether a file or a folder exists: up to the first placeholder, if there is one."""
    known = path.split("<")[0]
    if "<" in path:
        known = known.rpartition("/")[0]
    return any((root / base / known).exists() for base in BASES)


def path_problems(root, page, text):
    """Returns one line for each file or folder that a page names and that is missing."""
    return [f"{page}: {path}: does not exist" for path in sorted(set(ticked(text)))
            if PATH.fullmatch(path) and not path_exists(root, path)]


def identifier_problems(page, text, words):
    """Returns one line for each identifier in backticks of which a part is not among `words`."""
    return [f"{page}: {name}: no such identifier in include or lib"
            for name in sorted(set(ticked(text)))
            if IDENTIFIER.fullmatch(name) and not PATH.fullmatch(name)
            and not set(re.findall(r"\w+", name)) <= words]


def readme_problems(readme, rooms):
    """Returns one line for each room that the README's tree does not name, and for the link."""
    tree = section(readme, "The tree")
    named = set(re.findall(r"[\w-]+", " ".join(ticked(tree))))
    found = [f"README.md: its tree does not name {room}/" for room in sorted(rooms - named)]
    if f"({PAGE})" not in readme:
        found.append(f"README.md: does not link {PAGE}")
    return found


def words_of(root):
    """Returns the words of code, comments left out, and the rooms of the tree at `root`."""
    words = set()
    for tree in ("include", "lib"):
        for path in (root / tree).rglob("*"):
            if path.suffix in (".hpp", ".cpp"):
                words |= set(re.findall(r"\w+", COMMENT.sub("", path.read_text())))
    return words | set(LAYERS) | {"include", "lib"}


def problems(root):
    """Returns one line for each statement of the pages that is not true of the tree at `root`."""
    root = pathlib.Path(root)
    page, guide = (root / PAGE).read_text(), (root / GUIDE).read_text()
    headers = "\n".join(path.read_text() for path in sorted((root / PASSES).glob("*.hpp")))
    words = words_of(root)
    found = cycle_problems(LAYERS) + room_problems(page, LAYERS)
    found += pass_problems(page, table_of_passes(headers)) + task_problems(page)
    for name, text in ((PAGE, page), (GUIDE, guide)):
        found += path_problems(root, name, text) + identifier_problems(name, text, words)
    return found + readme_problems((root / "README.md").read_text(), set(LAYERS) - {"root"})


if __name__ == "__main__":
    lines = problems(sys.argv[1])
    print("\n".join(lines) or "the architecture page is true of the code")
    sys.exit(1 if lines else 0)
