// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/execution.hpp"

#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/executor/scheduler.hpp"

#include "executor/copy_workload.hpp"
#include "executor/plan_workload.hpp"
#include "executor/simulated/prediction.hpp"

#include <exception>
#include <optional>
#include <utility>

namespace tessera {

namespace {

std::shared_ptr<executor> executor_of(const spec& limits) {
  return limits.executor != nullptr ? limits.executor : default_executor();
}

run_options options_of(const spec& limits, std::vector<std::shared_ptr<observer>> watchers) {
  run_options options;
  options.host_memory = limits.host_memory;
  options.baseline = resident_memory();
  options.retry.max_attempts = limits.max_attempts;
  options.backups.is_on = limits.backups;
  options.task_timeout = limits.task_timeout;
  options.observers = std::move(watchers);
  return options;
}

run_options options_of(plan_workload& work, const spec& limits,
                       std::vector<std::shared_ptr<observer>> watchers) {
  run_options options = options_of(limits, std::move(watchers));
  options.how_to_continue = work.how_to_continue();
  return options;
}

/// Returns what `receive` returns, once all processes that run the program together are through
/// with it: what one removes, the others may still read. What it throws in one of them all throw.
template <class Receive>
auto receive_together(executor& engine, Receive receive) {
  std::optional<decltype(receive())> received;
  std::exception_ptr failure;
  try {
    received.emplace(receive());
  } catch (...) {
    failure = std::current_exception();
  }
  engine.meet(failure);
  return *std::move(received);
}

}  // namespace

std::vector<computed_output> execute(const bounded_plan& plan,
                                     std::vector<std::shared_ptr<observer>> watchers) {
  plan.check_memory();
  plan_workload work(plan);
  const std::shared_ptr<executor> engine = executor_of(plan.spec());
  const run_options options = options_of(work, plan.spec(), std::move(watchers));
  if (!engine->traits().computes) throw_prediction(work, *engine, options);
  run(work, *engine, options);
  auto outputs = receive_together(*engine, [&work] { return work.results(); });
  work.finish();
  return outputs;
}

void run(const bounded_plan& plan, std::vector<std::shared_ptr<observer>> watchers) {
  run(plan, *executor_of(plan.spec()), std::move(watchers));
}

void run(const bounded_plan& plan, executor& engine,
         std::vector<std::shared_ptr<observer>> watchers) {
  plan.check_memory();
  plan_workload work(plan);
  run(work, engine, options_of(work, plan.spec(), std::move(watchers)));
  engine.meet(nullptr);
  work.finish();
}

zarr_array copy_elements(const zarr_array& from, zarr_destination to, const spec& limits,
                         std::vector<std::shared_ptr<observer>> watchers) {
  copy_workload work(from, std::move(to), limits);
  const std::shared_ptr<executor> engine = executor_of(limits);
  const run_options options = options_of(limits, std::move(watchers));
  if (!engine->traits().computes) throw_prediction(work, *engine, options);
  run(work, *engine, options);
  return receive_together(*engine, [&work] { return work.result().with({}); });
}

}  // namespace tessera
