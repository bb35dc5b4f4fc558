# SPDX-License-Identifier: Apache-2.0
"""Gives check.py cases that break one rule each.

usage: check_test.py <compiler> <file of flags>
"""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import check

COMPILER, FLAGS = sys.argv[1:3]
GOOD = """// f(x): requires two
#ifdef POSITIVE
static_assert(2 == 2, "f(x): requires two");
#else
static_assert(1 == 2, "f(x): requires two");
#endif
"""


class CompileFail(unittest.TestCase):
    def verdict(self, text, twin=None):
        with tempfile.TemporaryDirectory() as directory:
            case = pathlib.Path(directory, "case.cpp")
            case.write_text(text)
            if twin is not None:
                (case.parent / "positive").mkdir()
                (case.parent / "positive" / "case.cpp").write_text(twin)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                code = check.main(COMPILER, FLAGS, case)
            return code, out.getvalue()

    def assert_bad(self, reason, *arguments):
        code, output = self.verdict(*arguments)
        self.assertEqual(code, 1)
        self.assertIn(reason, output)

    def test_a_good_case_passes(self):
        self.assertEqual(self.verdict(GOOD)[0], 0)

    def test_a_twin_beside_the_case_passes(self):
        wrong = '// no\nstatic_assert(false, "no");\n'
        self.assertEqual(self.verdict(wrong, "int x = 1;\n")[0], 0)

    def test_a_case_that_compiles_is_found(self):
        self.assert_bad("it compiles", GOOD.replace("1 == 2", "2 == 2"))

    def test_another_message_is_found(self):
        self.assert_bad("does not say", GOOD.replace("// f(x)", "// g(x)"))

    def test_a_second_error_with_the_text_is_not_enough(self):
        self.assert_bad("does not say", GOOD.replace("#else", "#else\nint y = z;"))

    def test_a_twin_that_does_not_compile_is_found(self):
        self.assert_bad("twin does not compile", GOOD.replace("2 == 2", "2 == 3"))

    def test_a_case_without_a_twin_is_found(self):
        self.assert_bad("no positive twin", '// no\nstatic_assert(false, "no");\n')

    def test_a_case_without_a_text_is_found(self):
        self.assert_bad("the first line must be", "int x = 1;\n")

    def test_a_note_of_the_first_error_with_the_text_is_enough(self):
        declared = "void f() = delete;  // f(x): requires two\n"
        self.assertEqual(self.verdict("// f(x): requires two\n" + declared +
                                      "#ifndef POSITIVE\nint main() { f(); }\n#endif\n")[0], 0)

    def test_a_long_output_is_found(self):
        self.assert_bad("at most 13", GOOD.replace("#else", "#else\n").replace(
            '"f(x): requires two");\n#endif', '"f(x): requires two");\n' + "int y = z;\n" * 5 +
            "#endif"))

    def test_headers_on_the_way_and_counts_of_errors_are_not_lines(self):
        gcc = ("In file included from a/b.hpp:84,\n                 from case.cpp:3:\n"
               "a/c.hpp: In instantiation of 'f':\ncase.cpp:12:29:   required from here\n"
               "a/c.hpp:33:1: error: static assertion failed: no\n   33 | from x:1\n")
        clang = ("In file included from case.cpp:3:\nIn file included from a/b.hpp:84:\n"
                 "a/c.hpp:33:94: error: static_assert failed \"no\"\n2 errors generated.\n")
        self.assertEqual(check.num_lines(gcc), 4)
        self.assertEqual(check.num_lines(clang), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
