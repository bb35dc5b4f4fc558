# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of README and book that the sources know, between marks.

usage: tables.py <source directory> [--check]

With --check nothing is written, and each table that is old is named.
"""

import pathlib
import re
import sys

MARK = re.compile(r"(<!-- table: (\w+) -->\n\n)(.*?)(\n<!-- end of table -->)", re.DOTALL)
OPTION = re.compile(r'^option\((\w+) +"([^"]*)"\s+([^)]+)\)', re.MULTILINE)
SETTING = re.compile(r'^set\((\w+) +("[^"]*"|\w+) +CACHE +STRING\s+"([^"]*)"\)', re.MULTILINE)
RUNTIME_OPTION = re.compile(r'\{"([\w-]+)", "([^"]+)",\s*"(?:[^"\\]|\\.)*",\s*"([^"]+)",\s*\[\]')


def table(head, rows):
    """Returns a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def build_options(root, _):
    """Returns the options of a build, with their defaults and their help."""
    text = (root / "cmake/tessera_options.cmake").read_text()
    defaults = {"OFF": "off", "ON": "on", "${PROJECT_IS_TOP_LEVEL}": "on at top level", '""': ""}
    found = [(match.start(), match[1], match[3].strip(), match[2]) for match in OPTION.finditer(text)]
    found += [(match.start(), match[1], match[2], match[3]) for match in SETTING.finditer(text)]
    rows = [["`CMAKE_BUILD_TYPE`", "`Release` at top level", "Debug, Release, RelWithDebInfo or MinSizeRel"]]
    rows += [[f"`{name}`", defaults.get(default, f"`{default}`"), re.sub(r"'([\w,]+)'", r"`\1`", help_text)]
             for _, name, default, help_text in sorted(found)]
    return table(["option", "default", "meaning"], rows)


def runtime_options(root, _):
    """Returns the options of a program with a runtime, and the variables that stand for them."""
    text = (root / "lib/runtime/runtime.cpp").read_text()
    sources = "".join(path.read_text() for path in sorted((root / "lib").rglob("*.cpp")))
    rows = []
    for name, values, meaning in RUNTIME_OPTION.findall(text):
        variable = "TESSERA_" + name.upper().replace("-", "_")
        shown = f"`{variable}`" if f'"{variable}"' in sources else ""
        rows.append([f"`--tessera-{name}={values}`".replace("|", "\\|"), shown, meaning])
    return table(["option", "environment", "meaning"], rows)


def array_api(root, before):
    """Returns the functions of the Python Array API standard by chapters: those of public headers are
    there; reasons for the rest are kept from the table `before`."""
    sys.path.insert(0, str(root / "tests/static"))
    import array_api as checks
    headers = checks.public_headers(root)
    rows = []
    for chapter, names in checks.STANDARD.items():
        _, reasons = checks.rows_of(before).get(chapter, ("", ""))
        absent = checks.absent_names(reasons)
        there = [name for name in names.split()
                 if name not in absent and checks.is_declared(name, headers)]
        rows.append([chapter, f"`{' '.join(there)}`" if there else "", reasons])
    return table(["chapter", "there", "not there, and why"], rows)


TABLES = {"build_options": build_options, "runtime_options": runtime_options, "array_api": array_api}


def renewed(root, text):
    """Returns a page with its tables as the sources have them now."""
    return MARK.sub(lambda match: match[1] + TABLES[match[2]](root, match[3]) + match[4], text)


def pages(root):
    return [root / "README.md", *sorted((root / "examples/book").glob("*.md"))]


def main(source, *arguments):
    root = pathlib.Path(source)
    old = [path for path in pages(root) if renewed(root, path.read_text()) != path.read_text()]
    if "--check" not in arguments:
        for path in old:
            path.write_text(renewed(root, path.read_text()))
        return 0
    print("\n".join(f"{path}: a table is old; cmake/docs.sh --readme renews it" for path in old)
          or "all tables are as the sources have them")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
