// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Matrices and results of random programs, each with its expected values.

#include "tessera/tessera.hpp"

#include "property/reference.hpp"

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace random_program {

namespace ts = tessera;
using reference::dense;
using reference::position;
using ts::index_t;

/// Returns a number in [low, high].
using draw = std::function<index_t(index_t low, index_t high)>;

/// A matrix as an expression and as values, with the functions that compute it.
struct matrix {
  ts::array<double, 2> array;
  dense values;
  std::string text;

  [[nodiscard]] index_t rows() const { return values.shape[0]; }
  [[nodiscard]] index_t columns() const { return values.shape[1]; }
};

/// A result of a program and its expected values.
struct result {
  std::vector<index_t> shape;
  std::vector<double> computed;
  dense expected;
  std::string text;
};

/// Returns a sentence that names the elements that differ; nothing if the result is right.
inline std::optional<std::string> difference(const result& r) {
  if (r.shape != r.expected.shape) return r.text + ": the shape is wrong";
  for (std::size_t i = 0; i < r.computed.size(); ++i) {
    const double expected = r.expected.values[i];
    if (std::abs(r.computed[i] - expected) <= 1e-9 * (1 + std::abs(expected))) continue;
    return r.text + ": element " + std::to_string(i) + " is " + std::to_string(r.computed[i]) +
           ", expected " + std::to_string(expected);
  }
  return std::nullopt;
}

/// Returns `v` with `f` applied to each column.
inline dense columns_of(const dense& v,
                        const std::function<std::vector<double>(std::vector<double>)>& f) {
  std::vector<std::vector<double>> columns;
  for (index_t j = 0; j < v.shape[1]; ++j) {
    std::vector<double> column;
    for (index_t i = 0; i < v.shape[0]; ++i) column.push_back(v({i, j}));
    columns.push_back(f(std::move(column)));
  }
  return reference::make(v.shape, [&](const position& element) {
    return columns[static_cast<std::size_t>(element[1])][static_cast<std::size_t>(element[0])];
  });
}

}  // namespace random_program
