// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What operations read of their operands, as an explanation says it.

#include "tessera/core/element_type.hpp"
#include "tessera/core/region.hpp"
#include "tessera/plan/planned.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// Returns the bytes of the smallest boxes of `array` that hold what a window shows in all tasks;
/// 0 where that is not known.
[[nodiscard]] double needed_through(const planned_window& window, const operation& what,
                                    const planned_array& array);

/// Returns where in the domain an operation reads each of its operands.
[[nodiscard]] std::vector<operand_demand> demand_on_operands(const operation& what);

/// Returns the bytes of an array in memory that all tasks read in place through operand `i`, in
/// `where` of the domain.
[[nodiscard]] bytes read_in_place(const operation& what, std::size_t i,
                                  const std::optional<region>& where, element_type type);

}  // namespace tessera
