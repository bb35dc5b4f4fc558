# SPDX-License-Identifier: Apache-2.0
"""Checks that the tables of README and book are as the sources have them, and that old ones are found.

usage: tables_test.py <source directory>
"""

import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "cmake/docs"))

import tables  # noqa: E402

PAGE = "# Options\n\n<!-- table: build_options -->\n\n{}\n<!-- end of table -->\n"
OPTIONS = '''option(BUILD_SHARED_LIBS "Build shared libraries" OFF)
set(TESSERA_BLAS AUTO CACHE STRING "Products call OpenBLAS")
'''
TABLE = """| option | default | meaning |
| --- | --- | --- |
| `CMAKE_BUILD_TYPE` | `Release` at top level | Debug, Release, RelWithDebInfo or MinSizeRel |
| `BUILD_SHARED_LIBS` | off | Build shared libraries |
| `TESSERA_BLAS` | `AUTO` | Products call OpenBLAS |
"""


class Tables(unittest.TestCase):
    def test_tables_are_as_the_sources_have_them(self):
        self.assertEqual(tables.main(ROOT, "--check"), 0)

    def test_the_first_screen_has_promise_commands_program_and_picture(self):
        lines = (ROOT / "README.md").read_text().split("\n")[:60]
        parts = ("- **Bounded.**", "cmake/run.sh", "cmake/test.sh", "```cpp", "![")
        found = [next(number for number, line in enumerate(lines) if line.startswith(part)) for part in parts]
        self.assertEqual(found, sorted(found))
        picture = lines[found[-1]].partition("](")[2].rstrip(")")
        self.assertTrue((ROOT / picture).read_text().startswith("<svg "))

    def test_the_start_names_the_headers_that_the_umbrella_lacks(self):
        include, reached, unread = ROOT / "include", set(), ["tessera/tessera.hpp"]
        while unread:
            header = unread.pop()
            if header not in reached:
                reached.add(header)
                unread += re.findall(r'#include "(tessera/[^"]+)"', (include / header).read_text())
        text = (ROOT / "examples/book/start.md").read_text()
        named = re.findall(r"`((?:array|executor)/\w+\.hpp)`", text)
        self.assertGreaterEqual(len(named), 3)
        for header in named:
            self.assertTrue((include / "tessera" / header).is_file(), header)
            self.assertNotIn(f"tessera/{header}", reached)
        # Arrays are for all programs.
        arrays = {f"array/{path.name}" for path in (include / "tessera/array").glob("*.hpp")}
        lacking = {header for header in arrays if f"tessera/{header}" not in reached}
        self.assertLessEqual(lacking, set(named))

    def test_each_table_is_in_a_page_and_has_rows(self):
        text = "".join(path.read_text() for path in tables.pages(ROOT))
        found = {match[2]: match[3].count("\n") for match in tables.MARK.finditer(text)}
        self.assertEqual(found.keys(), tables.TABLES.keys())
        self.assertGreater(min(found.values()), 8)

    def test_an_old_table_is_found_and_renewed(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "cmake").mkdir()
            (root / "examples/book").mkdir(parents=True)
            (root / "cmake/tessera_options.cmake").write_text(OPTIONS)
            readme = root / "README.md"
            readme.write_text(PAGE.format("| option |\n"))
            self.assertEqual(tables.main(root, "--check"), 1)
            self.assertEqual(tables.main(root), 0)
            self.assertEqual(readme.read_text(), PAGE.format(TABLE))
            self.assertEqual(tables.main(root, "--check"), 0)


if __name__ == "__main__":
    unittest.main()
