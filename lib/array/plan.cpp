// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/plan.hpp"

#include "tessera/executor/executors.hpp"
#include "tessera/observe/default_observers.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/task/target.hpp"
#include "tessera/zarr/zarr_destination.hpp"

namespace tessera::detail {

namespace {

/// What is between the operations of plans that expressions make is kept in Zarr arrays.
[[maybe_unused]] const bool has_storage = zarr_arrays_are_known();

}  // namespace

bounded_plan make_bounded_plan(std::vector<plan_output> outputs,
                               const std::vector<array_layout>& layouts,
                               const pass_switches& wanted, const run_with& how) {
  std::vector<const array_layout*> operands;
  for (const array_layout& layout : layouts) operands.push_back(&layout);
  const std::shared_ptr<const spec> common = common_spec("plan", operands);
  const spec limits = common ? *common : default_spec();
  const auto engine = how.executor ? how.executor : default_executor();
  const executor_traits traits = engine->traits();
  pass_switches passes = wanted;
  passes.memory_tier = wanted.memory_tier && traits.shares_memory;
  bounded_plan plan(std::move(outputs), limits, passes, workers_of(*engine));
  if (!traits.shares_memory && traits.computes) plan.check_portable();
  return plan;
}

run_with complete(const run_with& how, const run_with& made_with) {
  run_with all = how.or_else(made_with);
  if (all.observers.empty()) all.observers = default_observers();
  return all;
}

}  // namespace tessera::detail
