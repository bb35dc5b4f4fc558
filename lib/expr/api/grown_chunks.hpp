// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Results with chunks larger than the chunks of the operands.
///
/// The chunks of an outer product of vectors in chunks of 20,000 would have 4e8 elements, the
/// chunks of 365 means of maps of a million elements 3.65e8. A task writes whole chunks, so such
/// chunks are shortened. The limit depends on the program alone: chunks determine the order of
/// sums.

#include "tessera/expr/layout.hpp"

#include "core/api/element_count.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

namespace tessera {

/// A chunk of more elements is shortened unless a chunk of an operand has as many.
inline constexpr double most_elements_of_grown_chunk = 1 << 22;

/// The limit of block functions, which are called with whole chunks.
inline constexpr double no_limit_of_elements = std::numeric_limits<double>::infinity();

/// Returns the number of elements of the largest chunk of `operands`, which may have nulls; at
/// least one.
[[nodiscard]] inline double elements_of_largest_chunk(operand_layouts operands) {
  double largest = 1;
  for (const array_layout* operand : operands) {
    if (operand != nullptr) largest = std::max(largest, element_count(operand->chunks));
  }
  return largest;
}

/// Returns the layout of a result that is broadcast from `operands`. Chunks of up to
/// `least_elements` stay. Throws: shape_error, value_error <- as `broadcast_layout` of two
/// arguments.
[[nodiscard]] array_layout broadcast_layout(std::string_view function, operand_layouts operands,
                                            double least_elements);

}  // namespace tessera
