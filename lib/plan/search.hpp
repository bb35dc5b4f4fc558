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

/// Returns the best plan that `make` makes with some of `passes`: one that keeps to the memory, and
/// whose merit is the least that the search finds. Returns the plan with all `passes` if no plan
/// keeps to the memory.
[[nodiscard]] bounded_plan::implementation find_best_plan(const pass_switches& passes,
                                                          plan_search& search,
                                                          const plan_maker& make);

}  // namespace tessera
