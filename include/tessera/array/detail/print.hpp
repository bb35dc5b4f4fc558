// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The parts of `ndarray` that are not templates: checks and printing.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

namespace tessera {

struct array_layout;

namespace detail {

/// Throws: shape_error <- `shape` does not have `num_values` elements.
void check_num_values(std::span<const index_t> shape, std::size_t num_values);

/// Throws: shape_error <- an index is not in [0, extent).
void check_index(std::span<const index_t> shape, std::span<const index_t> indices);

/// Returns the text of NumPy's `str` for an array of `elements` in row-major order.
///
/// Source: numpy.array2string with its default print options (precision 8, 1000 elements, 75
/// columns).
[[nodiscard]] std::string format_array(dtype type, const std::byte* elements,
                                       std::span<const index_t> shape);

/// Prints the text of `format_array`.
std::ostream& print_array(std::ostream& out, dtype type, const std::byte* elements,
                          std::span<const index_t> shape);

/// Prints dtype and layout of a lazy array.
std::ostream& print_layout(std::ostream& out, dtype type, const array_layout& layout);

}  // namespace detail
}  // namespace tessera
