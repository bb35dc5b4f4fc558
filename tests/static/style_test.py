# SPDX-License-Identifier: Apache-2.0
"""Breaks each rule of style.py once and expects it to be found."""

import pathlib
import tempfile
import unittest

import style

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n\n/// \\file\n/// A header.\n"


class Style(unittest.TestCase):
    def assert_bad(self, path, text, reason):
        found = style.file_problems(pathlib.Path(path), text)
        self.assertEqual(len(found), 1, found)
        self.assertIn(reason, found[0])

    def test_a_good_header_and_a_good_source_pass(self):
        self.assertEqual(style.file_problems(pathlib.Path("include/a.hpp"), HEADER), [])
        self.assertEqual(style.file_problems(pathlib.Path("lib/a.cpp"), SPDX), [])

    def test_headers_end_at_300_lines_and_sources_at_400(self):
        self.assert_bad("include/a.hpp", HEADER + "\n" * 296, "301 lines")
        self.assertEqual(style.file_problems(pathlib.Path("include/a.hpp"), HEADER + "\n" * 295), [])
        self.assert_bad("lib/a.cpp", SPDX + "\n" * 400, "401 lines")

    def test_lines_end_at_column_100(self):
        self.assert_bad("lib/a.cpp", SPDX + "x" * 101, "101 columns")
        table = SPDX + "// clang-format off\n" + "x" * 101 + "\n// clang-format on\n"
        self.assertEqual(style.file_problems(pathlib.Path("lib/a.cpp"), table), [])
        self.assert_bad("lib/a.cpp", table + "x" * 101, "101 columns")

    def test_headers_say_what_they_are_for(self):
        self.assert_bad("include/a.hpp", SPDX + "#pragma once\n", "what it is for")
        self.assert_bad("lib/a.hpp", SPDX, "#pragma once")

    def test_the_license_is_named(self):
        self.assert_bad("lib/a.cpp", "\n", "SPDX")

    def test_unfinished_work_is_found(self):
        self.assert_bad("lib/a.cpp", SPDX + "// TO" + "DO: later", "unfinished")

    def test_the_version_is_the_same_in_cmake_and_in_the_header(self):
        header = ("#define TESSERA_VERSION_MAJOR 1\n#define TESSERA_VERSION_MINOR 2\n"
                  "#define TESSERA_VERSION_PATCH 3\n")
        self.assertEqual(style.version_problems("project(x VERSION 1.2.3)", header), [])
        self.assertEqual(len(style.version_problems("project(x VERSION 1.2.4)", header)), 1)

    def test_the_readme_shows_a_program_that_is_compiled(self):
        program = SPDX + "int main() {}\n"
        self.assertEqual(style.readme_problems("```\nint main() {}\n```", program), [])
        self.assertEqual(len(style.readme_problems("```\nint main()\n```", program)), 1)

    def test_the_root_holds_what_was_laid_down_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            for name in style.ROOT - {"README.md"}:
                (root / name).mkdir()
            (root / ".clang-format").touch()
            (root / "build").mkdir()
            (root / "notes.txt").touch()
            self.assertEqual(style.root_problems(root), [
                "README.md: missing at the root", "notes.txt: does not belong at the root"])


if __name__ == "__main__":
    unittest.main()
