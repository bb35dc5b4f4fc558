// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The text of elements as NumPy prints them: each alone, or many with a common width.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// Returns the texts of the elements at `positions`, which have one width and one notation.
///
/// Source: numpy.core.arrayprint: FloatingFormat, IntegerFormat and BoolFormat, with precision 8.
[[nodiscard]] std::vector<std::string> format_elements(dtype type, const std::byte* elements,
                                                       std::span<const index_t> positions);

/// Returns the text of one element, as NumPy prints a scalar.
[[nodiscard]] std::string format_scalar(dtype type, const std::byte* element);

}  // namespace tessera
