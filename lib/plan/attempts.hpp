// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Attempts at a plan, which the search compares.

#include "plan/api/planned.hpp"
#include "plan/graph.hpp"

#include <string>

namespace tessera {

/// States why the attempt that led to `plan` lost.
void lose(plan_search& search, const bounded_plan::implementation& plan, std::string why);

/// Returns the memory by which the tasks and the host of `plan` exceed their limits.
[[nodiscard]] bytes excess_memory(const bounded_plan::implementation& plan);

/// Tells whether the tasks and the host of `plan` keep to the memory.
[[nodiscard]] bool keeps_to_memory(const bounded_plan::implementation& plan);

/// Returns the reason for which a plan does not keep to the memory.
[[nodiscard]] std::string memory_refusal(const bounded_plan::implementation& plan);

/// Tells whether `pass` has changed `plan`, or an earlier attempt at it.
[[nodiscard]] bool has_changed(const bounded_plan::implementation& plan, bool pass_switches::*pass);

}  // namespace tessera
