// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/plan.hpp"

#include "tessera/executor/executors.hpp"
#include "tessera/observe/default_observers.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/task/target.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include <numeric>
#include <utility>

namespace tessera::detail {

namespace {

/// What is between the operations of plans that expressions make is kept in Zarr arrays.
[[maybe_unused]] const bool has_storage = zarr_arrays_are_known();

}  // namespace

questions::questions() = default;
questions::~questions() = default;

void questions::add(plan_output output, const array_layout& layout) {
  outputs_.push_back(std::move(output));
  layouts_.push_back(layout);
}

void questions::end_argument() {
  counts_.push_back(layouts_.size() - num_ended_);
  num_ended_ = layouts_.size();
}

std::shared_ptr<const asked_plan> questions::plan(const pass_switches& passes,
                                                  const run_with* how) {
  const run_with made_with = how != nullptr ? *how : run_with{};
  bounded_plan bounded = make_bounded_plan(std::move(outputs_), layouts_, passes, made_with);
  return std::make_shared<const asked_plan>(
      asked_plan{std::move(layouts_), std::move(counts_), made_with, std::move(bounded)});
}

answers::answers(const asked_plan& asked, const run_with& how)
    : asked_(asked), outputs_(tessera::execute(asked.bounded, complete(how, asked.made_with))) {}
answers::~answers() = default;

const computed_output* answers::outputs(std::size_t argument) const {
  return outputs_.data() + first(argument);
}

const array_layout* answers::layouts(std::size_t argument) const {
  return asked_.layouts.data() + first(argument);
}

std::size_t answers::first(std::size_t argument) const {
  const auto begin = asked_.counts.begin();
  return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(argument), std::size_t{0});
}

computed_output compute_one(const plan_output& output, const array_layout& layout,
                            const run_with& how) {
  const bounded_plan plan = make_bounded_plan({output}, {layout}, {}, how);
  return std::move(tessera::execute(plan, complete(how)).front());
}

std::shared_ptr<const asked_plan> unasked(bounded_plan plan) {
  return std::make_shared<const asked_plan>(asked_plan{{}, {}, {}, std::move(plan)});
}

void execute(const asked_plan& asked, const run_with& how) {
  run(asked.bounded, complete(how, asked.made_with));
}

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
  passes.memory_tier = wanted.memory_tier && (traits.shares_memory || traits.maps_memory);
  plan_workers workers = workers_of(*engine);
  if (limits.host_memory) add_processes(workers, *engine);
  bounded_plan plan(std::move(outputs), limits, passes, workers);
  if (!traits.shares_memory && traits.computes) plan.check_portable();
  return plan;
}

run_with complete(const run_with& how, const run_with& made_with) {
  run_with all = how.or_else(made_with);
  if (all.observers.empty()) all.observers = default_observers();
  return all;
}

}  // namespace tessera::detail
