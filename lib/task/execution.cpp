// SPDX-License-Identifier: Apache-2.0
#include "tessera/task/execution.hpp"

#include "tessera/core/host_memory.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/plan/planned.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/scheduler/team.hpp"
#include "tessera/task/target.hpp"

#include "task/plan_workload.hpp"
#include "task/prediction.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace tessera {

namespace {

std::shared_ptr<executor> executor_of(const run_with& how) {
  return how.executor != nullptr ? how.executor : default_executor();
}

/// Returns what a run may hold where the spec sets no limit: the allowed memory of each worker, or
/// what `need` names where that is more, and the results.
bytes default_room(const spec& limits, std::size_t num_workers, const memory_bound& need) {
  const bytes allowed = std::min(limits.allowed_memory, host_memory());
  const bytes reserved = std::min(limits.reserved_memory, allowed);
  const bytes tasks = std::max(std::max(allowed - reserved, need.task) * num_workers,
                               need.task + need.intermediates);
  return tasks + need.results + need.reading;
}

run_options options_of(plan_workload& work, const bounded_plan& plan, const executor& engine,
                       const run_with& how) {
  const spec& limits = plan.spec();
  run_options options;
  options.how_to_continue = work.how_to_continue();
  const bytes planned = plan.inside().workers.process;
  options.baseline = std::max({memory_with_code(), limits.reserved_memory, planned});
  options.host_memory = limits.host_memory;
  options.room = default_room(limits, engine.num_workers(), plan.bound());
  options.retry.max_attempts = how.max_attempts.value_or(options.retry.max_attempts);
  options.backups.is_on = how.backups.value_or(options.backups.is_on);
  options.task_timeout = how.task_timeout;
  options.observers = how.observers;
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
  meet(engine, failure);
  return *std::move(received);
}

}  // namespace

std::vector<computed_output> execute(const bounded_plan& plan, const run_with& how) {
  const std::shared_ptr<executor> engine = executor_of(how);
  plan.check_memory();
  check_target(plan, *engine);
  plan_workload work(plan, how.resume);
  run_options options = options_of(work, plan, *engine, how);
  // Results that tasks make in memory are among what these hold.
  const memory_bound bound = plan.bound();
  if (bound.reading > bytes{0}) options.afterwards = bound.results + bound.reading;
  if (!engine->traits().computes) throw_prediction(work, *engine, options);
  run(work, *engine, options);
  auto outputs = receive_together(*engine, [&work] {
    work.commit();
    return work.results();
  });
  work.finish();
  return outputs;
}

void run(const bounded_plan& plan, const run_with& how) {
  const std::shared_ptr<executor> engine = executor_of(how);
  plan.check_memory();
  check_target(plan, *engine);
  plan_workload work(plan, how.resume);
  run(work, *engine, options_of(work, plan, *engine, how));
  receive_together(*engine, [&work] {
    work.commit();
    return true;
  });
  work.finish();
}

}  // namespace tessera
