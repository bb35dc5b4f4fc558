# SPDX-License-Identifier: Apache-2.0
"""Plants tables and expects array_api.py to find what is wrong with them."""

import unittest

import array_api

HEADERS = "auto sort(const X& x); auto argsort(const X& x);"


class Table(unittest.TestCase):
    def problems_of(self, there, other, headers=HEADERS):
        found = array_api.problems({"sorting": (there, other)}, headers)
        return [line for line in found if not line.startswith("no line")]

    def test_a_whole_line_is_right(self):
        self.assertEqual(self.problems_of("`sort argsort`", ""), [])

    def test_what_is_absent_has_a_reason(self):
        self.assertEqual(self.problems_of("`sort`", "`argsort`: `order` says more"), [])

    def test_what_is_left_out_is_found(self):
        self.assertEqual(self.problems_of("`sort`", ""), ["sorting: argsort is not named"])

    def test_what_no_header_has_is_found(self):
        self.assertEqual(self.problems_of("`sort argsort`", "", "auto sort(x);"),
                         ["sorting: argsort is in no public header"])

    def test_names_that_are_none_are_found(self):
        self.assertEqual(self.problems_of("`sort argsort resort`", "", HEADERS + "resort()"),
                         ["sorting: resort is not in the standard"])

    def test_names_that_stand_twice_are_found(self):
        self.assertEqual(self.problems_of("`sort argsort`", "`sort`: not here"),
                         ["sorting: sort is named twice"])

    def test_lines_are_read_from_the_page(self):
        text = ("## The Python Array API standard\n\n| sorting | `sort argsort` |  |\n"
                "\n## Next\n\n| sets | `unique_all` |  |\n")
        self.assertEqual(array_api.rows(text), {"sorting": ("`sort argsort`", "")})

    def test_a_chapter_that_is_missing_is_found(self):
        self.assertIn("no line for sets", array_api.problems({}, HEADERS))


if __name__ == "__main__":
    unittest.main()
