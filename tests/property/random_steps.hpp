// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Random functions of matrices, of every family. A drawn function may be applied several times.

#include "tessera/array/array.hpp"
#include "tessera/core/index.hpp"

#include <functional>
#include <string>

namespace random_steps {

using matrix = tessera::array<double, 2>;
using tessera::index_t;

/// Returns a number in [low, high].
using draw = std::function<index_t(index_t low, index_t high)>;

/// The shape of the operands of a step.
struct extents {
  index_t rows;
  index_t columns;
};

/// A function of two matrices of one shape, perhaps the same matrix.
struct step {
  std::string text;
  std::function<matrix(const matrix& x, const matrix& y)> apply;
};

/// Draws a function of elements, a view or a list of elements.
[[nodiscard]] step draw_map(const draw& pick, extents of);

/// Draws a fold, a scan or a histogram.
[[nodiscard]] step draw_fold(const draw& pick, extents of);

/// Draws a function of lines. The libraries of transforms have buffers of several MB.
[[nodiscard]] step draw_line(const draw& pick, bool has_libraries);

/// Draws a function of blocks: a function of a user; products and factors of matrices are of
/// libraries.
[[nodiscard]] step draw_block(const draw& pick, extents of, bool has_libraries);

}  // namespace random_steps
