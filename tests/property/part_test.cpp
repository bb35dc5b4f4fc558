// SPDX-License-Identifier: Apache-2.0
/// \file
/// Parts of an array are equal to the parts of the whole, even if the rest of it is not computed.

#include "property/samples.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace {

using namespace samples;

/// Some rows of a matrix, and the slice that selects them; `first` is the least of them.
struct row_selection {
  index_t first;
  std::vector<index_t> rows;
  ts::slice slice;
};

row_selection pick_rows(index_t extent) {
  const index_t first = pick(0, extent - 1);
  const index_t last = pick(first, extent - 1);
  const bool is_backwards = *rc::gen::arbitrary<bool>();
  const index_t step = pick(1, 3);
  std::vector<index_t> rows;
  for (index_t i = first; i <= last; i += step) rows.push_back(i);
  const index_t final_row = rows.back();
  if (is_backwards) std::reverse(rows.begin(), rows.end());
  return {first, rows,
          is_backwards && first > 0 ? ts::slice(final_row, first - 1, -step)
          : is_backwards            ? ts::slice(final_row, ts::none, -step)
                                    : ts::slice(first, last + 1, step)};
}

/// Returns the sum of row `at[0]` of `x` from its begin to column `at[1]`.
double sum_before(const dense& x, const position& at) {
  double sum = 0;
  for (index_t j = 0; j <= at[1]; ++j) sum += x({at[0], j});
  return sum;
}

RC_GTEST_PROP(Parts, AreThoseOfTheWhole, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(2, 14);
  const auto x = pick_sample(shape, spec);
  const row_selection selection = pick_rows(shape[0]);
  const index_t first = selection.first;
  const std::vector<index_t>& rows = selection.rows;
  const ts::slice some = selection.slice;
  const auto count = static_cast<index_t>(rows.size());
  const auto row = [&](const position& at) { return rows[static_cast<std::size_t>(at[0])]; };

  const dense sums = reference::fold(x.values, {false, true}, sum_of);
  expect_equal(compute(ts::sum(x.array, ts::axis<1>)(some), spec),
               reference::make({count}, [&](const position& at) { return sums({row(at)}); }));

  const auto below = [&](const position& at) { return sum_before(x.values, at); };
  expect_equal(compute(ts::cumulative_sum(x.array, ts::axis<1>)(some) * 2.0, spec),
               reference::make({count, shape[1]}, [&](const position& at) {
                 return 2 * below({row(at), at[1]});
               }));

  // Folds of scans, of which two readers see parts.
  const ts::array<double, 2> scanned = ts::cumulative_sum(x.array, ts::axis<1>);
  const dense sums_before = reference::make(x.values.shape, below);
  const dense most = reference::fold(
      sums_before, {false, true},
      [](const std::vector<double>& line) { return *std::max_element(line.begin(), line.end()); });
  expect_equal(compute(ts::max(scanned, ts::axis<1>)(some) + scanned(some, 0), spec),
               reference::make({count}, [&](const position& at) {
                 return most({row(at)}) + sums_before({row(at), 0});
               }));

  const auto product = ts::matmul(x.array, ts::matrix_transpose(x.array))(some, ts::slice(first));
  expect_equal(compute(product, spec), reference::make({count, first}, [&](const position& at) {
                 double sum = 0;
                 for (index_t k = 0; k < shape[1]; ++k) {
                   sum += x.values({row(at), k}) * x.values({at[1], k});
                 }
                 return sum;
               }));
}

}  // namespace
