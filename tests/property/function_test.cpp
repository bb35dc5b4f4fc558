// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random views, edits, differences and choices against plain loops.

#include "property/samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <tuple>
#include <vector>

namespace {

using namespace samples;

/// Returns the elements at `from(position)` of an array.
dense moved(const dense& x, const std::vector<index_t>& shape,
            const std::function<position(const position&)>& from) {
  return reference::make(shape, [&](const position& at) { return x(from(at)); });
}

RC_GTEST_PROP(Program, AxesMoveWithTheirElements, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<3>(1, 9);
  const auto a = pick_sample(shape, spec);
  const auto [l, m, n] = shape;
  expect_equal(compute(ts::moveaxis(a.array, ts::axis<0>, ts::axis<2>) * 2.0, spec),
               reference::make({m, n, l}, [&](const position& at) {
                 return 2 * a.values({at[2], at[0], at[1]});
               }));
  expect_equal(compute(ts::swapaxes(a.array, ts::axis<0>, ts::axis<-1>), spec),
               moved(a.values, {n, m, l}, [](const position& at) {
                 return position{at[2], at[1], at[0]};
               }));
  const index_t turns = pick(-5, 5);
  dense turned = a.values;
  for (index_t k = 0; k < ((turns % 4) + 4) % 4; ++k) {
    const dense before = turned;
    turned = moved(before, {before.shape[1], before.shape[0], n}, [&](const position& at) {
      return position{at[1], before.shape[1] - 1 - at[0], at[2]};
    });
  }
  expect_equal(compute(ts::rot90(a.array, turns), spec), turned);
}

RC_GTEST_PROP(Program, WhatIsTakenApartIsJoinedAgain, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 12);
  const auto a = pick_sample(shape, spec);
  const index_t at = pick(0, shape[0]);
  const auto parts = ts::split(a.array * 2.0, {at}, ts::axis<0>);
  expect_equal(compute(ts::concat(parts[1], parts[0], ts::axis<0>), spec),
               reference::make(a.values.shape, [&](const position& i) {
                 return 2 * a.values({(i[0] + at) % shape[0], i[1]});
               }));
  const auto columns = ts::unstack(a.array, ts::axis<1>);
  expect_equal(compute(ts::stack(columns, ts::axis<0>), spec),
               moved(a.values, {shape[1], shape[0]}, [](const position& i) {
                 return position{i[1], i[0]};
               }));
  const index_t block = pick(0, (shape[1] + a.array.chunks()[1] - 1) / a.array.chunks()[1] - 1);
  const index_t first = block * a.array.chunks()[1];
  expect_equal(compute(a.array.blocks(ts::whole, block) + 1.0, spec),
               reference::make({shape[0], std::min(a.array.chunks()[1], shape[1] - first)},
                               [&](const position& i) {
                                 return a.values({i[0], first + i[1]}) + 1;
                               }));
}

RC_GTEST_PROP(Program, EditsChangeTheirPartAlone, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 10);
  const auto a = pick_sample(shape, spec);
  const position start{pick(0, shape[0]), pick(0, shape[1])};
  const position stop{pick(start[0], shape[0]), pick(start[1], shape[1])};
  const auto b = pick_sample<2>({stop[0] - start[0], stop[1] - start[1]}, spec);
  const auto part = ts::at(ts::slice(start[0], stop[0]), ts::slice(start[1], stop[1]));
  expect_equal(compute(ts::with(a.array, part, b.array) * 3.0, spec),
               reference::make(a.values.shape, [&](const position& i) {
                 const bool is_in =
                     i[0] >= start[0] && i[0] < stop[0] && i[1] >= start[1] && i[1] < stop[1];
                 return 3 * (is_in ? b.values({i[0] - start[0], i[1] - start[1]}) : a.values(i));
               }));
  expect_equal(compute(ts::erase(a.array, ts::slice(start[1], stop[1]), ts::axis<1>), spec),
               reference::make({shape[0], shape[1] - (stop[1] - start[1])}, [&](const position& i) {
                 const index_t skipped = i[1] < start[1] ? 0 : stop[1] - start[1];
                 return a.values({i[0], i[1] + skipped});
               }));
  expect_equal(compute(ts::insert(a.array, start[0], 7.0), spec),
               reference::make({shape[0] + 1, shape[1]}, [&](const position& i) {
                 if (i[0] == start[0]) return 7.0;
                 return a.values({i[0] - (i[0] > start[0] ? 1 : 0), i[1]});
               }));
}

RC_GTEST_PROP(Program, TrianglesAndDifferencesFollowPositions, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 11);
  const auto a = pick_sample(shape, spec);
  const index_t k = pick(-12, 12);
  expect_equal(compute(ts::tril(a.array, k) - ts::triu(a.array, k + 1), spec),
               reference::make(a.values.shape, [&](const position& i) {
                 return i[1] <= i[0] + k ? a.values(i) : -a.values(i);
               }));
  const auto [row, column] = ts::indices({shape[0], shape[1]});
  expect_equal(compute(a.array + 100 * row - column, spec),
               reference::make(a.values.shape, [&](const position& i) {
                 return a.values(i) + 100.0 * static_cast<double>(i[0]) - static_cast<double>(i[1]);
               }));
  const auto difference = [](const dense& x, std::size_t axis) {
    auto shorter = x.shape;
    shorter[axis] = std::max<index_t>(shorter[axis] - 1, 0);
    return reference::make(shorter, [&](const position& i) {
      position next = i;
      ++next[axis];
      return x(next) - x(i);
    });
  };
  expect_equal(compute(ts::diff(a.array, ts::axis<0>), spec), difference(a.values, 0));
  expect_equal(compute(ts::diff(a.array * 2.0, 2, ts::axis<1>) / 2.0, spec),
               difference(difference(a.values, 1), 1));
}

RC_GTEST_PROP(Program, GradientsAreThoseOfParabolas, ()) {
  const ts::spec spec = pick_spec();
  const index_t rows = pick(3, 12);
  const index_t columns = pick(1, 5);
  const auto a = pick_sample<2>({rows, columns}, spec);
  std::vector<double> positions;
  for (index_t i = 0; i < rows; ++i) {
    positions.push_back(static_cast<double>(i) + (i % 3 == 1 ? 0.25 : 0.0));
  }
  const auto x = ts::asarray(ts::ndarray<double, 1>({rows}, positions));
  // The derivative at `t` of Lagrange's parabola through the elements from `first` on.
  const auto slope = [&](index_t first, index_t t, index_t column) {
    double sum = 0;
    for (index_t i = first; i < first + 3; ++i) {
      double product = 1;
      double derivative = 0;
      const auto position = [&](index_t at) { return positions[static_cast<std::size_t>(at)]; };
      for (index_t j = first; j < first + 3; ++j) {
        if (j == i) continue;
        product *= position(i) - position(j);
        derivative += position(t) - position(j);
      }
      sum += a.values({i, column}) * derivative / product;
    }
    return sum;
  };
  expect_equal(compute(ts::gradient(a.array, x, ts::axis<0>, ts::edge_order<2>), spec),
               reference::make({rows, columns}, [&](const position& at) {
                 const index_t first = std::clamp<index_t>(at[0] - 1, 0, rows - 3);
                 return slope(first, at[0], at[1]);
               }));
}

RC_GTEST_PROP(Program, ChoicesTakeTheRightElements, ()) {
  const ts::spec spec = pick_spec();
  const auto shape = pick_extents<2>(1, 9);
  const auto a = pick_sample(shape, spec);
  const auto b = pick_sample(shape, spec);
  const double bound = static_cast<double>(pick(-9, 9));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  expect_equal(
      compute(ts::select(a.array < bound, b.array, a.array == b.array, 50.0, a.array), spec),
      reference::make(a.values.shape, [&](const position& i) {
        if (a.values(i) < bound) return b.values(i);
        return a.values(i) == b.values(i) ? 50.0 : a.values(i);
      }));
  const auto holes = ts::where(a.array < bound, nan, a.array);
  expect_equal(compute(ts::fillna(holes, b.array) + ts::nan_to_num(holes, {.nan = 100}), spec),
               reference::make(a.values.shape, [&](const position& i) {
                 return a.values(i) < bound ? b.values(i) + 100 : 2 * a.values(i);
               }));
  expect_equal(compute(ts::fmax(holes, b.array) - ts::clip(b.array, ts::none, bound), spec),
               reference::make(a.values.shape, [&](const position& i) {
                 const double x =
                     a.values(i) < bound ? b.values(i) : std::max(a.values(i), b.values(i));
                 return x - std::min(b.values(i), bound);
               }));
  expect_equal(compute(ts::isclose(a.array, b.array, {.rtol = 0, .atol = 2}), spec),
               reference::make(a.values.shape, [&](const position& i) {
                 return std::abs(a.values(i) - b.values(i)) <= 2 ? 1.0 : 0.0;
               }));
}

}  // namespace
