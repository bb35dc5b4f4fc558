// SPDX-License-Identifier: Apache-2.0
/// \file
/// Parts of what is made are those of the whole, whatever of it is not made.

#include "property/samples.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace {

using namespace samples;

RC_GTEST_PROP(Parts, AreThoseOfTheWhole, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(2, 14);
  const auto x = pick_sample(shape, spec);
  const index_t first = pick(0, shape[0] - 1);
  const index_t last = pick(first, shape[0] - 1);
  const bool is_backwards = *rc::gen::arbitrary<bool>();
  const index_t step = pick(1, 3);
  std::vector<index_t> rows;
  for (index_t i = first; i <= last; i += step) rows.push_back(i);
  const index_t final_row = rows.back();
  if (is_backwards) std::reverse(rows.begin(), rows.end());
  const ts::slice some = is_backwards && first > 0 ? ts::slice(final_row, first - 1, -step)
                         : is_backwards            ? ts::slice(final_row, ts::none, -step)
                                                   : ts::slice(first, last + 1, step);
  const auto count = static_cast<index_t>(rows.size());
  const auto row = [&](const position& at) { return rows[static_cast<std::size_t>(at[0])]; };

  const dense sums = reference::fold(x.values, {false, true}, sum_of);
  expect_equal(compute(ts::sum(x.array, ts::axis<1>)(some), spec),
               reference::make({count}, [&](const position& at) { return sums({row(at)}); }));

  const auto below = [&](const position& at) {
    double sum = 0;
    for (index_t j = 0; j <= at[1]; ++j) sum += x.values({at[0], j});
    return sum;
  };
  expect_equal(compute(ts::cumulative_sum(x.array, ts::axis<1>)(some) * 2.0, spec),
               reference::make({count, shape[1]}, [&](const position& at) {
                 return 2 * below({row(at), at[1]});
               }));

  // Folds of scans, of which two readers see parts.
  const ts::array<double, 2> scanned = ts::cumulative_sum(x.array, ts::axis<1>);
  const dense all = reference::make(x.values.shape, below);
  const dense most = reference::fold(all, {false, true}, [](const std::vector<double>& line) {
    return *std::max_element(line.begin(), line.end());
  });
  expect_equal(compute(ts::max(scanned, ts::axis<1>)(some) + scanned(some, 0), spec),
               reference::make({count}, [&](const position& at) {
                 return most({row(at)}) + all({row(at), 0});
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
