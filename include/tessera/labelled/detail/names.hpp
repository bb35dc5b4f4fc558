// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What names of dimensions are checked against, and how they are printed.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/layout.hpp"

#include <iosfwd>
#include <span>
#include <string_view>

namespace tessera::detail {

/// Throws shape_error where the array `name` has other names, or in another order, than are asked
/// for; one that has none at all may be asked for under any.
void require_names(std::string_view name, const array_layout& layout,
                   std::span<const std::string_view> asked);

/// Prints the names, and what `print_layout` does.
std::ostream& print_named(std::ostream& out, dtype type, const array_layout& layout);

}  // namespace tessera::detail
