// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/plan.hpp"

#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/executor.hpp"

namespace tessera::detail {

bounded_plan make_bounded_plan(std::vector<plan_output> outputs,
                               const std::vector<array_layout>& layouts,
                               const pass_switches& wanted) {
  std::vector<const array_layout*> operands;
  for (const array_layout& layout : layouts) operands.push_back(&layout);
  const std::shared_ptr<const spec> common = common_spec("plan", operands);
  const spec limits = common ? *common : default_spec();
  const auto engine = limits.executor ? limits.executor : default_executor();
  const executor_traits traits = engine->traits();
  pass_switches passes = wanted;
  passes.memory_tier = wanted.memory_tier && traits.shares_memory;
  const plan_workers workers{.count = traits.shares_host ? engine->num_workers() : 0,
                             .are_processes = !traits.shares_memory,
                             .num_receivers = traits.computes ? traits.num_receivers : 0};
  bounded_plan plan(std::move(outputs), limits, passes, workers);
  if (!traits.shares_memory && traits.computes) plan.check_portable();
  return plan;
}

}  // namespace tessera::detail
