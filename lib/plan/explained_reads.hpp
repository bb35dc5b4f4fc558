// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The bytes that operations read and need of their operands, for explanations.

#include "tessera/core/element_type.hpp"
#include "tessera/core/region.hpp"
#include "tessera/primitive/primitive.hpp"

#include "plan/api/planned.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// Returns the bytes of the box of `array` that all tasks need through a window, or 0 if that is
/// not known, as behind a gather.
[[nodiscard]] double needed_through(const planned_window& window, const operation& op,
                                    const planned_array& array);

/// Returns the demand of an operation on each of its operands.
[[nodiscard]] std::vector<operand_demand> demand_on_operands(const operation& op);

/// Returns the bytes of an array in memory that all tasks read in place through operand `i`, in the
/// part `where` of the domain.
[[nodiscard]] bytes read_in_place(const operation& op, std::size_t i,
                                  const std::optional<region>& where, element_type type);

}  // namespace tessera
