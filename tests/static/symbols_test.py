# SPDX-License-Identifier: Apache-2.0
"""Checks symbols.py with small tables of symbols."""

import unittest

import symbols

ABI = {symbols.ABI: symbols.ABI}
PRINT = ABI | {"_print": "tessera::print(tessera::float16)"}


class Symbols(unittest.TestCase):
    def problems_of(self, library, undefined, defined=None):
        return symbols.problems(library, {"a program": (undefined, defined or {})})

    def test_a_program_may_need_symbols_of_the_library(self):
        self.assertEqual(self.problems_of(PRINT, PRINT), [])

    def test_a_type_of_the_program_alone_is_found(self):
        other = {"_print2": "tessera::print(eigen_of_the_program::half)"}
        found = "\n".join(self.problems_of(PRINT, PRINT | other))
        self.assertIn("which the library does not define", found)

    def test_a_foreign_type_is_found_in_an_undefined_symbol(self):
        alike = PRINT | {"_sum": "tessera::sum(Eigen::Map<double> const&)"}
        found = self.problems_of(alike, alike)
        self.assertEqual(len(found), 1, found)
        self.assertIn("a type that is not tessera's", found[0])

    def test_a_foreign_type_is_found_in_a_symbol_that_both_define(self):
        twice = {"_run": "void tessera::run<_Float16>(std::byte*)"}
        found = self.problems_of(PRINT | twice, PRINT, twice)
        self.assertEqual(len(found), 1, found)
        self.assertIn("a type that is not tessera's", found[0])

    def test_a_symbol_of_the_library_alone_may_have_a_foreign_type(self):
        inside = {"_gemm": "tessera_library_eigen::internal::gebp_kernel::run()"}
        self.assertEqual(self.problems_of(PRINT | inside, PRINT), [])

    def test_float16_must_be_shared(self):
        count = ABI | {"_count": "tessera::count(long)"}
        found = self.problems_of(count, count)
        self.assertEqual(found, ["a program: shares no symbol of tessera::float16"])

    def test_programs_refer_to_the_version_of_their_headers(self):
        other = {"_print": PRINT["_print"]}
        self.assertEqual(self.problems_of(PRINT, other),
                         ["a program: does not refer to tessera_abi_0_1"])

    def test_programs_need_the_same_symbols(self):
        library = PRINT | {"_sum": "tessera::sum(long)"}
        found = symbols.problems(library, {"one": (PRINT, {}), "other": (library, {})})
        self.assertEqual(found, ["one and other: only one of them needs _sum"])

    def test_a_program_for_wider_vectors_has_folds_of_its_own(self):
        fold = {"_fold": "fold const& tessera::detail::known_fold<tessera::op::sum>()"}
        library = PRINT | fold
        found = symbols.problems(library, {"one": (library, {}), "other": (PRINT, fold)})
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
