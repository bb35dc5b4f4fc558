// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A sum of windows for random programs, and the boundaries of windows.

#include "tessera/tessera.hpp"

#include "property/program_values.hpp"

#include <optional>
#include <vector>

namespace random_program {

/// The sum of a window, each element weighed by its position.
struct window_sum {
  index_t rows = 1;
  index_t columns = 1;

  static double weight(index_t k, index_t l) { return static_cast<double>(1 + 3 * k + 7 * l); }
  void operator()(ts::block_view<const double, 2> x, ts::block_view<double, 2> y) const {
    for (index_t i = 0; i < y.shape()[0]; ++i) {
      for (index_t j = 0; j < y.shape()[1]; ++j) {
        y(i, j) = 0;
        for (index_t k = 0; k < rows; ++k) {
          for (index_t l = 0; l < columns; ++l) y(i, j) += weight(k, l) * x(i + k, j + l);
        }
      }
    }
  }
};

/// Returns the index in [0, n) that numpy.pad shows at `i`, or nothing for its zeros.
inline std::optional<index_t> mirrored(index_t i, index_t n, ts::boundary beyond) {
  if (0 <= i && i < n) return i;
  switch (beyond) {
    case ts::boundary::edge:
      return i < 0 ? 0 : n - 1;
    case ts::boundary::reflect:
      return i < 0 ? -i : 2 * (n - 1) - i;
    case ts::boundary::symmetric:
      return i < 0 ? -i - 1 : 2 * n - 1 - i;
    case ts::boundary::wrap:
      return (i + n) % n;
    default:
      return std::nullopt;
  }
}

/// Windows of rows: each row with some rows `before` and `after`. Beyond the ends are zeros, or the
/// rows of numpy.pad.
struct row_windows {
  index_t before = 0;
  index_t after = 0;
  ts::boundary beyond = ts::boundary::constant;

  [[nodiscard]] index_t length() const { return before + 1 + after; }

  /// Returns the sums of the windows of `x`, each row weighed by its place.
  [[nodiscard]] ts::array<double, 2> sums(const ts::array<double, 2>& x) const {
    std::vector<double> weights;
    for (index_t k = 0; k < length(); ++k) weights.push_back(window_sum::weight(k, 0));
    const auto padded = ts::pad(x, {{before, after}, {0, 0}}, beyond);
    const auto windows = ts::sliding_window_view(padded, length(), ts::axis<0>);
    return ts::sum(windows * ts::asarray(weights), ts::axis<-1>);
  }

  /// Returns the sum at `element` of `values`.
  [[nodiscard]] double sum_at(const dense& values, const position& element) const {
    double sum = 0;
    for (index_t k = 0; k < length(); ++k) {
      const auto i = mirrored(element[0] + k - before, values.shape[0], beyond);
      if (i) sum += window_sum::weight(k, 0) * values({*i, element[1]});
    }
    return sum;
  }
};

}  // namespace random_program
