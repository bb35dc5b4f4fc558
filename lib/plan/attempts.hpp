// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Attempts at a plan, which the search compares.

#include "plan/api/planned.hpp"
#include "plan/graph.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tessera {

/// Makes a plan with exactly these choices, and records the attempt.
using plan_maker = std::function<bounded_plan::implementation(const plan_choices&)>;

/// States why the attempt that led to `plan` lost.
void lose(plan_search& search, const bounded_plan::implementation& plan, std::string why);

/// Tells whether the tasks and the host of `plan` keep to the memory.
[[nodiscard]] bool keeps_to_memory(const bounded_plan::implementation& plan);

/// Returns the reason for which a plan does not keep to the memory.
[[nodiscard]] std::string memory_refusal(const bounded_plan::implementation& plan);

/// Tells whether `pass` has changed `plan`, or an earlier attempt at it.
[[nodiscard]] bool has_changed(const bounded_plan::implementation& plan, bool pass_switches::*pass);

/// Returns the plan with the best (least) merit that small changes of the choices of `plan` lead
/// to, and that keeps to the memory.
[[nodiscard]] bounded_plan::implementation improve_plan(bounded_plan::implementation plan,
                                                        plan_search& search,
                                                        const plan_maker& make);

}  // namespace tessera
