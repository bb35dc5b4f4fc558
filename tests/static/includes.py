# SPDX-License-Identifier: Apache-2.0
"""Checks that each source of lib/ includes a header for each name that it uses.

Builds that unite the sources of a room, or that precompile headers of the standard library, compile a
source whose headers a neighbour includes. Compiling each source alone takes minutes; this takes
a second or two. A name counts if it is used as a type or called, and if headers that the source's room may
include declare it at the beginning of a line. It is included if any header of the source, directly
or not, has the word. So the check finds no misuse of a name, and reports no name that compiles.

usage: includes.py <source directory>
"""

import pathlib
import re
import sys

from layers import LAYERS

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'',
                   re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")

# Declarations in a namespace, which begin a line.
TYPE = re.compile(r"^(?:template <[^;{]*>\s*)?(?:requires [^;{]*\s)?"
                  r"(?:struct|class|enum class|enum|concept|using(?= \w+ =))\s+(\w+)\b(?!::)", re.MULTILINE)
FUNCTION = re.compile(r"^(?:\[\[\w+\]\] )?(?:inline |constexpr |extern |static )*"
                      r"[A-Za-z_][\w:<>,&* ]*?[ &*>](\w+)\(", re.MULTILINE)
# Functions of the system that have the name of one of ours.
OF_THE_SYSTEM = {"open"}

QUALIFIER = r"(?<![.\w>:])(?:tessera::|detail::)?"
# name::member, name& argument, name value =, <name>.
USED_AS_TYPE = (QUALIFIER + r"{0}(?:::\w|(?:<[\w:, ]*>)?[&*]* [a-z_]\w*(?: ?[;={{,)]| :)|[&*]+[,)>])"
                r"|<(?:const )?{0}[,>*]")
CALLED = QUALIFIER + r"{0}\("
# A variable, a parameter or a function of the name; a word before it that is no type.
DECLARED_HERE = r"[\w&*>\]]\s+[&*]*{0}\b\s*(?:[=({{;,)]|\[)"
NO_TYPE = re.compile(r"\b(return|throw|else|case|new|and|or|not)\b")

# Names of the standard library in precompiled headers, by header.
STANDARD = {
    "algorithm": "all_of any_of clamp copy_n count_if fill find find_if for_each lower_bound "
                 "max_element none_of reverse sort transform upper_bound",
    "array": "array",
    "atomic": "atomic",
    "bit": "bit_cast bit_ceil bit_width countr_zero endian has_single_bit popcount",
    "charconv": "from_chars to_chars",
    "cmath": "ceil floor isfinite isnan llround log2 pow sqrt",
    "complex": "complex",
    "cstring": "memcmp memcpy memmove memset strerror strlen",
    "exception": "current_exception exception_ptr",
    "functional": "function hash",
    "limits": "numeric_limits",
    "map": "map multimap",
    "memory": "make_shared make_unique shared_ptr unique_ptr",
    "mutex": "lock_guard mutex unique_lock",
    "numeric": "accumulate gcd iota lcm",
    "optional": "nullopt optional",
    "set": "multiset set",
    "span": "as_bytes span",
    "string": "string to_string",
    "string_view": "string_view",
    "tuple": "tie tuple",
    "variant": "get_if holds_alternative monostate variant visit",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in STANDARD.items() for name in names.split()}
STANDARD_NAME = re.compile(r"\b(?:std|ranges)::(\w+)")


class File:
    """A file: the files that it includes, its code without texts and comments, and its words."""

    def __init__(self, text):
        self.included = [_path_of(ours) if ours else f"<{other}>"
                         for ours, other in INCLUDE.findall(text)]
        self.code = TOKEN.sub(lambda match: " " if match.group().startswith("/") else '""',
                              INCLUDE.sub("", text))
        self.words = set(WORD.findall(self.code))


def _path_of(name):
    return f"include/{name}" if name.startswith("tessera/") else f"lib/{name}"


def room_of(path):
    """Returns the room of a file: of include/tessera/plan/a.hpp and lib/plan/a.cpp "plan"."""
    parts = path.split("/")
    if parts[0] == "lib":
        return parts[1]
    return parts[2] if len(parts) > 3 else "root"


def below(path, files):
    """Returns the files that `path` includes, directly or not."""
    seen = set()
    waiting = list(files[path].included)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += files[name].included if name in files else []
    return seen


def declarations(files, pattern):
    """Returns the headers that declare each name that `pattern` finds."""
    headers = {}
    for path, file in files.items():
        if path.endswith(".hpp"):
            for name in pattern.findall(file.code):
                headers.setdefault(name, set()).add(path)
    return headers


def missing(path, files, declared, used):
    """Yields each name used in a source, by the pattern `used`, that no header below it has."""
    file = files[path]
    words = set().union(*(files[name].words for name in below(path, files) if name in files))
    rooms = LAYERS.get(room_of(path), set()) | {room_of(path)}
    code = NO_TYPE.sub("=", file.code)
    for name in sorted((file.words & declared.keys()) - words):
        headers = sorted(header for header in declared[name] if room_of(header) in rooms)
        if (headers and re.search(used.format(name), file.code)
                and not re.search(rf"\b(?:struct|class|enum|concept|using) {name}\b", code)
                and not re.search(DECLARED_HERE.format(name), code)):
            yield name, headers[0]


def problems(root):
    """Returns one line for each name of which a source includes no header."""
    root = pathlib.Path(root)
    files = {str(path.relative_to(root)): File(path.read_text())
             for tree in ("include/tessera", "lib") for path in sorted((root / tree).rglob("*"))
             if path.suffix in (".hpp", ".cpp")}
    types = declarations(files, TYPE)
    functions = declarations(files, FUNCTION)
    for name in OF_THE_SYSTEM:
        functions.pop(name, None)
    found = []
    for path, file in files.items():
        if not path.endswith(".cpp"):
            continue
        for declared, used in ((types, USED_AS_TYPE), (functions, CALLED)):
            found += [f'{path}: {name}: include a header that declares it, as "{header}"'
                      for name, header in missing(path, files, declared, used)]
        included = below(path, files)
        names = sorted(set(STANDARD_NAME.findall(file.code)) & HEADER_OF.keys())
        found += [f"{path}: std::{name}: include <{HEADER_OF[name]}>"
                  for name in names if f"<{HEADER_OF[name]}>" not in included]
    return found


if __name__ == "__main__":
    lines = problems(sys.argv[1])
    print("\n".join(lines) or "every source includes what it uses")
    sys.exit(1 if lines else 0)
