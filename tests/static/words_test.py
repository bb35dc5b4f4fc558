# SPDX-License-Identifier: Apache-2.0
"""Plants comments and names in an otherwise empty tree and expects words.py to count them."""

import pathlib
import tempfile
import unittest

import words


class Words(unittest.TestCase):
    def counts_of(self, text, path="lib/plan/a.cpp"):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory, path)
            file.parent.mkdir(parents=True)
            file.write_text(text)
            rooms = words.counts_of(pathlib.Path(directory))
        self.assertEqual(len(rooms), 1)
        return next(iter(rooms.items()))

    def test_words_of_comments_are_counted(self):
        room, counts = self.counts_of("/// Returns what is there, where it is.\nint f();  // Others.\n")
        self.assertEqual(room, "plan")
        self.assertEqual(counts.words, 8)
        self.assertEqual(counts.lines, 1)
        self.assertEqual([counts.found[word] for word in ("what", "where", "others")], [1, 1, 1])

    def test_comments_that_begin_with_a_relative_are_counted(self):
        text = "/// How it is stored.\n// Which of\n// them. Why not.\n/// However.\nint a;  // Whose\n"
        room, counts = self.counts_of(text)
        self.assertEqual(counts.found["beginnings"], 3)
        ceilings = {room: (1000, 1000, 1000, 0)}
        self.assertEqual(words.problems({room: counts}, ceilings), [])
        counts.found["beginnings"] = words.MOST_BEGINNINGS + 1
        self.assertEqual(len(words.problems({room: counts}, ceilings)), 1)

    def test_identifiers_are_counted_in_code_alone(self):
        _, counts = self.counts_of('int what = both_;  // made\nauto s = "each"; int made_of = 1;\n')
        self.assertEqual(counts.found["identifiers"], 2)

    def test_the_text_of_an_exception_has_its_name(self):
        _, counts = self.counts_of("f(failure.what(), pointer->what());\nint what(); what.x();\n")
        self.assertEqual(counts.found["identifiers"], 2)

    def test_licences_and_includes_do_not_count(self):
        _, counts = self.counts_of('// SPDX-License-Identifier: Apache-2.0\n#include "all.hpp"\n')
        self.assertEqual((counts.words, counts.found["identifiers"]), (0, 0))

    def test_rooms_of_both_trees_are_one(self):
        for path, room in (("include/tessera/plan/a.hpp", "plan"),
                           ("include/tessera/tessera.hpp", "tessera"),
                           ("lib/executor/mpi/a.cpp", "executor"), ("tests/unit/a.cpp", "tests")):
            self.assertEqual(self.counts_of("int x;\n", path)[0], room)

    def test_a_figure_above_its_ceiling_is_a_problem(self):
        counts = words.Counts()
        counts.add("// " + "what " * 40 + "\n")
        self.assertEqual(counts.figures(), (20, 0, 20, 0))
        found = words.problems({"plan": counts}, {"plan": (19.9, 0, 20, 0)})
        self.assertEqual(len(found), 1, found)
        self.assertIn("plan: 20.0 'what'", found[0])
        self.assertEqual(words.problems({"plan": counts}, {"plan": (20, 0, 20, 0)}), [])
        self.assertEqual(len(words.problems({"plan": counts}, {})), 1)


if __name__ == "__main__":
    unittest.main()
