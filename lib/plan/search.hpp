// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The search among plans.

#include "tessera/plan/passes.hpp"

#include "plan/api/planned.hpp"
#include "plan/graph.hpp"

#include <functional>

namespace tessera {

/// Makes a plan with exactly these choices, and records the attempt.
using plan_maker = std::function<bounded_plan::implementation(const plan_choices&)>;

/// Returns the plan of the least merit that the search finds with some of `passes`, among the plans
/// that keep to the memory. Returns the plan with all `passes` if no plan keeps to the memory.
[[nodiscard]] bounded_plan::implementation find_best_plan(const pass_switches& passes,
                                                          plan_search& search,
                                                          const plan_maker& make);

}  // namespace tessera
