// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random chains of views and assemblies against functions from indices to indices, with random
/// chunks, placements and passes.

#include "property/samples.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <utility>
#include <vector>

namespace {

using namespace samples;

/// A lazy matrix, and the expected element at each index.
struct matrix {
  ts::array<double, 2> array;
  std::function<double(index_t, index_t)> at;

  [[nodiscard]] index_t rows() const { return array.shape()[0]; }
  [[nodiscard]] index_t columns() const { return array.shape()[1]; }
};

matrix pick_matrix(const std::array<index_t, 2>& shape, const ts::spec& spec) {
  const auto sample = pick_sample<2>(shape, spec);
  return {sample.array, [values = sample.values](index_t i, index_t j) { return values({i, j}); }};
}

/// The index of an axis of `n` elements that `i`, which may lie beyond it, stands for.
index_t within(ts::boundary beyond, index_t i, index_t n) {
  switch (beyond) {
    case ts::boundary::edge:
      return std::clamp<index_t>(i, 0, n - 1);
    case ts::boundary::reflect:
      return i < 0 ? -i : i < n ? i : 2 * (n - 1) - i;
    case ts::boundary::symmetric:
      return i < 0 ? -1 - i : i < n ? i : 2 * n - 1 - i;
    case ts::boundary::wrap:
      return (i + n) % n;
    case ts::boundary::constant:
      break;
  }
  return 0 <= i && i < n ? i : -1;
}

matrix padded(const matrix& x) {
  const auto beyond =
      *rc::gen::element(ts::boundary::constant, ts::boundary::edge, ts::boundary::reflect,
                        ts::boundary::symmetric, ts::boundary::wrap);
  const auto width = [&](index_t n) { return pick(0, std::min<index_t>(n - 1, 4)); };
  const index_t top = width(x.rows());
  const index_t margin = width(x.columns());
  const ts::index_t widths[2][2] = {{top, width(x.rows())}, {margin, width(x.columns())}};
  return {ts::pad(x.array, widths, beyond, 7.0), [=](index_t i, index_t j) {
            const index_t row = within(beyond, i - top, x.rows());
            const index_t column = within(beyond, j - margin, x.columns());
            return row < 0 || column < 0 ? 7.0 : x.at(row, column);
          }};
}

matrix rolled(const matrix& x) {
  const std::array<index_t, 2> by{pick(-9, 9), pick(-9, 9)};
  const index_t m = x.rows();
  const index_t n = x.columns();
  return {ts::roll(x.array, by, ts::axis<0, 1>), [=](index_t i, index_t j) {
            return x.at(((i - by[0]) % m + m) % m, ((j - by[1]) % n + n) % n);
          }};
}

matrix joined(const matrix& x, const ts::spec& spec) {
  const matrix y = pick_matrix({pick(1, 7), x.columns()}, spec);
  const index_t m = x.rows();
  return {ts::concat(x.array, y.array * 2.0, x.array, ts::axis<0>), [=](index_t i, index_t j) {
            if (i < m) return x.at(i, j);
            return i < m + y.rows() ? 2 * y.at(i - m, j) : x.at(i - m - y.rows(), j);
          }};
}

/// Differences of neighbours, which read two views of the same.
matrix stencilled(const matrix& x) {
  const index_t by = pick(0, std::min<index_t>(3, x.rows() - 1));
  const auto behind = x.array(ts::slice(by, ts::none));
  const auto before = x.array(ts::slice(ts::none, x.rows() - by));
  return {behind - 2.0 * before,
          [=](index_t i, index_t j) { return x.at(i + by, j) - 2 * x.at(i, j); }};
}

matrix turned(const matrix& x) {
  if (pick(0, 1) == 0) {
    return {ts::permute_dims(x.array, ts::axis<1, 0>),
            [=](index_t i, index_t j) { return x.at(j, i); }};
  }
  const index_t step = pick(1, 3);
  return {ts::flip(x.array, ts::axis<1>)(ts::whole, ts::slice(0, ts::none, step)),
          [=](index_t i, index_t j) { return x.at(i, x.columns() - 1 - step * j); }};
}

matrix summed_in_windows(const matrix& x) {
  const index_t length = pick(1, std::min<index_t>(5, x.rows()));
  return {ts::sum(ts::sliding_window_view(x.array, length, ts::axis<0>), ts::axis<-1>),
          [=](index_t i, index_t j) {
            double sum = 0;
            for (index_t w = 0; w < length; ++w) sum += x.at(i + w, j);
            return sum;
          }};
}

matrix filtered(const matrix& x) {
  const index_t rows = pick(1, std::min<index_t>(3, x.rows()));
  const index_t columns = pick(1, std::min<index_t>(4, x.columns()));
  const auto windows = ts::sliding_window_view(x.array, std::array{rows, columns}, ts::axis<0, 1>);
  return {ts::sum(windows, ts::axis<-2, -1>), [=](index_t i, index_t j) {
            double sum = 0;
            for (index_t a = 0; a < rows; ++a) {
              for (index_t b = 0; b < columns; ++b) sum += x.at(i + a, j + b);
            }
            return sum;
          }};
}

matrix scanned(const matrix& x) {
  if (pick(0, 1) == 0) {
    return {ts::cumulative_sum(x.array, ts::axis<0>), [=](index_t i, index_t j) {
              double sum = 0;
              for (index_t k = 0; k <= i; ++k) sum += x.at(k, j);
              return sum;
            }};
  }
  return {ts::cumulative_max(x.array, ts::axis<1>), [=](index_t i, index_t j) {
            double greatest = x.at(i, 0);
            for (index_t k = 1; k <= j; ++k) greatest = std::max(greatest, x.at(i, k));
            return greatest;
          }};
}

matrix coarsened(const matrix& x) {
  const index_t rows = pick(1, std::min<index_t>(3, x.rows()));
  const index_t columns = pick(1, std::min<index_t>(3, x.columns()));
  const auto whole_blocks =
      x.array(ts::slice(0, x.rows() / rows * rows), ts::slice(0, x.columns() / columns * columns));
  return {ts::coarsen(ts::op::sum{}, whole_blocks, {rows, columns}), [=](index_t i, index_t j) {
            double sum = 0;
            for (index_t a = 0; a < rows; ++a) {
              for (index_t b = 0; b < columns; ++b) sum += x.at(rows * i + a, columns * j + b);
            }
            return sum;
          }};
}

matrix changed(const matrix& x, const ts::spec& spec) {
  switch (*rc::gen::inRange(0, 9)) {
    case 0:
      return padded(x);
    case 1:
      return rolled(x);
    case 2:
      return joined(x, spec);
    case 3:
      return stencilled(x);
    case 4:
      return turned(x);
    case 5:
      return summed_in_windows(x);
    case 6:
      return filtered(x);
    case 7:
      return scanned(x);
    default:
      return coarsened(x);
  }
}

RC_GTEST_PROP(Access, ChainsOfViewsAndAssembliesShowWhatTheyShould, ()) {
  const ts::spec spec = pick_spec();
  matrix x = pick_matrix(pick_extents<2>(1, 14), spec);
  const index_t length = pick(1, 3);
  for (index_t i = 0; i < length; ++i) x = changed(x, spec);
  const dense expected = reference::make({x.rows(), x.columns()},
                                         [&](const position& at) { return x.at(at[0], at[1]); });
  expect_equal(compute(x.array, spec), expected);
  const auto sums = reference::fold(expected, {true, false}, sum_of);
  expect_equal(compute(ts::sum(x.array, ts::axis<0>), spec), sums);
  expect_equal(compute(ts::sum(x.array, ts::axis<1>), spec),
               reference::fold(expected, {false, true}, sum_of));
  const auto total = reference::fold(expected, {true, true}, sum_of);
  expect_equal(compute(ts::sum(x.array), spec), total);
  const index_t least = std::min(x.rows(), x.columns());
  const auto diagonal =
      reference::make({least}, [&](const position& at) { return 3 * x.at(at[0], at[0]); });
  expect_equal(compute(3.0 * ts::diagonal(x.array), spec), diagonal);
}

}  // namespace
