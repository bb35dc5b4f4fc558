// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Checks of names of dimensions, and their text.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/plan/array_view.hpp"

#include <iosfwd>
#include <span>
#include <string_view>

namespace tessera::detail {

/// Checks the names of the array `opened` against the names that are asked for. An array without
/// any name passes. Throws: shape_error <- the names differ, or their order.
void require_names(const array_view& opened, const array_layout& layout,
                   std::span<const std::string_view> asked);

/// Prints the names, then the layout as `print_layout` does.
std::ostream& print_named(std::ostream& out, dtype type, const array_layout& layout);

}  // namespace tessera::detail
