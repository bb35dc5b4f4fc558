# SPDX-License-Identifier: Apache-2.0
"""Checks that messages.py finds missing and wrong messages."""

import pathlib
import tempfile
import unittest

import messages

HEADER = '''template <class X> void f(const X&) {
  static_assert(is_good<X>(sizeof(X)), "tessera::f(x): requires "
                "good elements");
  static_assert(sizeof(X) > 0);
}
'''
OUTPUT = '''headers/f.hpp: In instantiation of 'void f()':
mistakes.cpp:4:6:   required from here
headers/f.hpp:2:17: error: static assertion failed: tessera::f(x): requires good elements
headers/f.hpp:2:17: note: 'false' evaluates to false
'''


class Messages(unittest.TestCase):
    def test_literals_are_joined(self):
        self.assertEqual(list(messages.messages_of(HEADER)),
                         ["tessera::f(x): requires good elements"])

    def test_a_message_without_a_case_is_found(self):
        with tempfile.TemporaryDirectory() as directory:
            pathlib.Path(directory, "f.hpp").write_text(HEADER)
            self.assertEqual(messages.without_case(directory, ["tessera::f(x): requires"]), [])
            self.assertEqual(len(messages.without_case(directory, ["tessera::g(x)"])), 1)

    def test_errors_belong_to_the_line_that_they_come_of(self):
        self.assertEqual(messages.errors_by_line(OUTPUT, "mistakes.cpp"),
                         {4: ["tessera::f(x): requires good elements"]})

    def test_a_mistake_is_told_by_its_message_alone(self):
        mistakes = {4: ("f(x)", "a message")}
        self.assertEqual(messages.wrong_mistakes(mistakes, {4: ["a message"]}), [])
        self.assertEqual(len(messages.wrong_mistakes(mistakes, {})), 1)
        self.assertEqual(len(messages.wrong_mistakes(mistakes, {4: ["another"]})), 1)
        self.assertEqual(len(messages.wrong_mistakes(mistakes, {4: ["a message", "more"]})), 1)

    def test_an_error_of_no_mistake_is_found(self):
        self.assertEqual(len(messages.wrong_mistakes({}, {7: ["an error"]})), 1)


if __name__ == "__main__":
    unittest.main()
