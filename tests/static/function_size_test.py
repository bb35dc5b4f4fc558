# SPDX-License-Identifier: Apache-2.0
"""Plants functions in an otherwise empty tree and expects function_size.py to find the long ones.

usage: function_size_test.py <clang-tidy>
"""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import function_size

CLANG_TIDY = sys.argv.pop(1)
CONFIGURATION = ("Checks: readability-function-size\n"
                 "CheckOptions:\n"
                 "  - {key: readability-function-size.LineThreshold, value: 5}\n")


def lines_of(head, count, last="}"):
    """Returns a block whose closing brace is `count` lines below its opening brace."""
    return f"{head} {{\n" + ";\n" * (count - 1) + last + "\n"


class FunctionSize(unittest.TestCase):
    def check(self, text, name="a.cpp", clang_tidy=CLANG_TIDY):
        """Returns the status and the output for a tree with one file."""
        with tempfile.TemporaryDirectory() as directory:
            root = pathlib.Path(directory)
            (root / ".clang-tidy").write_text(CONFIGURATION)
            (root / "flags").write_text("-std=c++20 -Wall -Werror\n")
            (root / "lib").mkdir()
            (root / "lib" / name).write_text(text)
            with contextlib.redirect_stdout(io.StringIO()) as output:
                status = function_size.main(clang_tidy, str(root / "flags"), directory)
            return status, output.getvalue()

    def test_a_function_at_the_limit_passes_and_one_above_it_is_found(self):
        self.assertEqual(self.check(lines_of("void f()", 5))[0], 0)
        status, output = self.check(lines_of("void f()", 6))
        self.assertEqual(status, 1)
        self.assertIn("'f'", output)

    def test_headers_are_read(self):
        self.assertEqual(self.check("#pragma once\n" + lines_of("inline void f()", 6), "a.hpp")[0], 1)
        self.assertEqual(self.check("#pragma once\n" + lines_of("inline void f()", 5), "a.hpp")[0], 0)

    def test_long_classes_namespaces_and_tables_pass(self):
        self.assertEqual(self.check(lines_of("namespace n", 9) + lines_of("class c", 9, "};"))[0], 0)
        self.assertEqual(self.check("int table[] = {\n" + "1,\n" * 9 + "};\n")[0], 0)

    def test_methods_templates_and_lambdas_count(self):
        method = "struct s {\n" + lines_of("void f()", 6) + "};\n"
        template = lines_of("template <class T>\nvoid f(T)", 6)
        within = "void f() {\n" + lines_of("auto g = []", 4, "};") + "g();\n}\n"
        for text in (method, template, within):
            self.assertEqual(self.check(text)[0], 1, text)

    def test_braces_in_comments_and_literals_do_not_count(self):
        text = "// {\nconst char* a = \"{\";\nchar b = '{';\nint c = 1'000;\n" + lines_of("void f()", 6)
        self.assertEqual(function_size.longest_block(text), 6)

    def test_a_missing_clang_tidy_is_named_with_its_remedy(self):
        status, output = self.check("", clang_tidy="TESSERA_CLANG_TIDY-NOTFOUND")
        self.assertEqual(status, 1)
        self.assertIn("cmake/install-dependencies.sh tests installs it", output)


if __name__ == "__main__":
    unittest.main()
