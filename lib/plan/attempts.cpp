// SPDX-License-Identifier: Apache-2.0
#include "plan/attempts.hpp"

#include "plan/build.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera {

void lose(plan_search& search, const bounded_plan::implementation& plan, std::string why) {
  search.attempts[plan.graph->origin->attempt].why_lost = std::move(why);
}

bytes excess_memory(const bounded_plan::implementation& plan) {
  const auto excess = [](bytes memory, bytes limit) {
    return memory > limit ? memory - limit : bytes{0};
  };
  const memory_bound bound = bound_of(plan);
  return excess(task_memory(plan), plan.spec.allowed_memory) + excess(bound.least(), bound.limit);
}

bool keeps_to_memory(const bounded_plan::implementation& plan) {
  return excess_memory(plan) == bytes{0};
}

std::string memory_refusal(const bounded_plan::implementation& plan) {
  if (const bytes task = task_memory(plan); task > plan.spec.allowed_memory) {
    return fmt::format("a task needs {}, and {} are allowed (spec.allowed_memory)",
                       format_short(task), format_short(plan.spec.allowed_memory));
  }
  const memory_bound bound = bound_of(plan);
  return fmt::format("the host needs {}, and {} are allowed (spec.host_memory)",
                     format_short(bound.least()), format_short(bound.limit));
}

bool has_changed(const bounded_plan::implementation& plan, bool pass_switches::*pass) {
  const std::vector<bool pass_switches::*>& changed_by = plan.graph->changed_by;
  return std::ranges::find(changed_by, pass) != changed_by.end();
}

}  // namespace tessera
