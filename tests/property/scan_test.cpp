// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random scans and rolling windows, in one walk or cut into parts, against plain loops.

#include "property/samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <vector>

namespace {

using namespace samples;
using elements = std::vector<double>;

/// Returns the elements of the line of `x` along `axis` through `at`, from `first` to `last`.
elements line_of(const dense& x, position at, std::size_t axis, index_t first, index_t last) {
  elements line;
  for (index_t k = first; k <= last; ++k) {
    at[axis] = k;
    line.push_back(x(at));
  }
  return line;
}

/// Returns `f` of each element and all before it along an axis.
dense scanned(const dense& x, std::size_t axis, const std::function<double(const elements&)>& f) {
  return reference::make(x.shape,
                         [&](const position& at) { return f(line_of(x, at, axis, 0, at[axis])); });
}

/// Returns `f` of each window of `length` elements along an axis.
dense rolled(const dense& x, std::size_t axis, index_t length,
             const std::function<double(const elements&)>& f) {
  auto shape = x.shape;
  shape[axis] -= length - 1;
  return reference::make(shape, [&](const position& at) {
    return f(line_of(x, at, axis, at[axis], at[axis] + length - 1));
  });
}

double greatest_of(const elements& x) { return *std::max_element(x.begin(), x.end()); }
double least_of(const elements& x) { return *std::min_element(x.begin(), x.end()); }

RC_GTEST_PROP(Program, ScansTakeWhatIsBeforeThem, ()) {
  const ts::spec spec = pick_spec();
  const auto a = pick_sample(pick_extents<3>(1, 11), spec);
  const auto axis = static_cast<std::size_t>(pick(0, 2));
  const auto along = ts::axis_at(static_cast<int>(axis));
  const dense tripled =
      reference::make(a.values.shape, [&](const position& at) { return 3 * a.values(at) - 1; });
  expect_equal(compute(ts::cumulative_sum(3.0 * a.array - 1.0, along) * 2.0, spec),
               scanned(tripled, axis, [](const elements& x) { return 2 * sum_of(x); }));
  expect_equal(compute(ts::cumulative_max(a.array, along), spec),
               scanned(a.values, axis, greatest_of));
  expect_equal(compute(ts::cumulative_min(a.array, along), spec),
               scanned(a.values, axis, least_of));
  // Signs have exact products.
  expect_equal(compute(ts::cumulative_prod(ts::where(a.array < 0.0, -1.0, 1.0), along), spec),
               scanned(a.values, axis, [](const elements& x) {
                 return std::count_if(x.begin(), x.end(), [](double v) { return v < 0; }) % 2 == 0
                            ? 1.0
                            : -1.0;
               }));
  auto longer = a.values.shape;
  ++longer[axis];
  expect_equal(compute(ts::cumulative_sum(a.array, along, {.include_initial = true}), spec),
               reference::make(longer, [&](const position& at) {
                 return sum_of(line_of(a.values, at, axis, 0, at[axis] - 1));
               }));
}

RC_GTEST_PROP(Program, HolesAreFilledFromTheNextElement, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 14);
  const auto a = pick_sample(shape, spec);
  const double bound = static_cast<double>(pick(-9, 9));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto holes = ts::where(a.array < bound, nan, a.array);
  const auto last_valid = [&](const elements& x) {
    const auto nearest = std::find_if(x.rbegin(), x.rend(), [&](double v) { return v >= bound; });
    return nearest == x.rend() ? nan : *nearest;
  };
  expect_equal(compute(ts::ffill(holes, ts::axis<0>), spec), scanned(a.values, 0, last_valid));
  expect_equal(compute(ts::bfill(holes, ts::axis<1>), spec),
               reference::make(a.values.shape, [&](const position& at) {
                 auto line = line_of(a.values, at, 1, at[1], shape[1] - 1);
                 std::reverse(line.begin(), line.end());
                 return last_valid(line);
               }));
  expect_equal(compute(ts::nancumsum(holes, ts::axis<1>), spec),
               scanned(a.values, 1, [&](const elements& x) {
                 double sum = 0;
                 for (const double v : x) sum += v >= bound ? v : 0;
                 return sum;
               }));
}

RC_GTEST_PROP(Program, WindowsRollOverTheirLines, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 11);
  const auto a = pick_sample(shape, spec);
  const auto axis = static_cast<std::size_t>(pick(0, 2));
  const auto along = ts::axis_at(static_cast<int>(axis));
  const index_t length = pick(1, shape[axis]);
  expect_equal(compute(ts::rolling_sum(2.0 * a.array, length, along), spec),
               rolled(a.values, axis, length, [](const elements& x) { return 2 * sum_of(x); }));
  expect_equal(compute(ts::rolling_mean(a.array, length, along) + 1.0, spec),
               rolled(a.values, axis, length, [](const elements& x) { return mean_of(x) + 1; }));
  expect_equal(
      compute(ts::rolling_max(a.array, length, along) - ts::rolling_min(a.array, length, along),
              spec),
      rolled(a.values, axis, length,
             [](const elements& x) { return greatest_of(x) - least_of(x); }));
  const auto squares = compute(ts::square(ts::rolling_stddev(a.array, length, along)), spec);
  expect_equal(squares, rolled(a.values, axis, length, var_of));
}

}  // namespace
