# SPDX-License-Identifier: Apache-2.0
"""Plants headers and a source in an otherwise empty tree and expects includes.py to find what the
source lacks."""

import pathlib
import tempfile
import unittest

import includes

HEADER = """namespace tessera {
/// A box.
struct region {
  int stop = 0;
};
[[nodiscard]] region intersect(const region& a, const region& b);
}
"""


class Includes(unittest.TestCase):
    def problems_of(self, source, path="lib/plan/a.cpp", **headers):
        files = {"include/tessera/core/region.hpp": HEADER, path: source,
                 "include/tessera/core/grid.hpp": '#include "tessera/core/region.hpp"\n', **headers}
        with tempfile.TemporaryDirectory() as directory:
            for name, text in files.items():
                file = pathlib.Path(directory, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            return includes.problems(directory)

    def test_a_type_needs_a_header(self):
        self.assertEqual(self.problems_of("void f(const region& box) { g(box); }\n"),
                         ['lib/plan/a.cpp: region: include a header that declares it, as '
                          '"include/tessera/core/region.hpp"'])
        self.assertEqual(len(self.problems_of("std::list<region> boxes;\n")), 1)
        self.assertEqual(len(self.problems_of("region whole = {};\n")), 1)

    def test_a_call_needs_a_header(self):
        found = self.problems_of("const auto common = intersect(a, b);\n")
        self.assertEqual(len(found), 1, found)
        self.assertIn("a.cpp: intersect: include", found[0])

    def test_a_header_of_a_header_is_enough(self):
        for name in ("region", "grid"):
            self.assertEqual(self.problems_of(f'#include "tessera/core/{name}.hpp"\n'
                                              "region f() { return intersect(a, b); }\n"), [])

    def test_other_uses_of_a_name_are_no_uses(self):
        self.assertEqual(self.problems_of("// region box\nint a = x.intersect(1) + y->intersect(2);\n"), [])
        self.assertEqual(self.problems_of("int f(int region) { return region; }\n"), [])
        self.assertEqual(self.problems_of("void intersect(int a) {}\nvoid f() { intersect(1); }\n"), [])
        self.assertEqual(self.problems_of("struct region {};\nregion whole;\n"), [])

    def test_names_of_rooms_that_are_not_visible_are_others(self):
        self.assertEqual(self.problems_of("void f(const region& box);\n", path="lib/core/a.cpp",
                                          **{"include/tessera/core/region.hpp": "",
                                             "include/tessera/plan/region.hpp": HEADER}), [])

    def test_a_name_of_the_standard_library_needs_its_header(self):
        self.assertEqual(self.problems_of("std::vector<int> x;\n"),
                         ["lib/plan/a.cpp: std::vector: include <vector>"])
        self.assertEqual(self.problems_of("#include <vector>\nstd::vector<int> x;\n"), [])
        self.assertEqual(self.problems_of('#include "tessera/core/grid.hpp"\nstd::vector<int> x;\n',
                                          **{"include/tessera/core/region.hpp": "#include <vector>\n"}),
                         [])


if __name__ == "__main__":
    unittest.main()
