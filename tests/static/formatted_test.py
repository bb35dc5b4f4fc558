# SPDX-License-Identifier: Apache-2.0
"""Expects formatted.py to find a file that is not formatted, and a tree without files.

usage: formatted_test.py <clang-format>
"""

import pathlib
import sys
import tempfile
import unittest

import formatted

CLANG_FORMAT = sys.argv.pop(1)


class Formatted(unittest.TestCase):
    def status_of(self, text):
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / ".clang-format").write_text("BasedOnStyle: Google\n")
            (root / "lib" / "room").mkdir(parents=True)
            if text is not None:
                (root / "lib" / "room" / "a.cpp").write_text(text)
            return formatted.main(CLANG_FORMAT, directory)

    def test_a_formatted_file_passes(self):
        self.assertEqual(self.status_of("int x = 1;\n"), 0)

    def test_another_file_is_found(self):
        self.assertEqual(self.status_of("int  x = 1;\n"), 1)

    def test_a_tree_without_files_is_found(self):
        self.assertEqual(self.status_of(None), 1)


if __name__ == "__main__":
    unittest.main()
