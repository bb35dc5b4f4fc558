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

std::shared_ptr<executor> choose_executor(const run_with& settings) {
  return settings.executor != nullptr ? settings.executor : default_executor();
}

/// Returns the memory limit of a run if the spec sets none: the allowed memory of each worker, or
/// the memory that `need` names if that is more, and the results.
bytes default_memory_limit(const spec& limits, std::size_t num_workers, const memory_bound& need) {
  const bytes allowed = std::min(limits.allowed_memory, host_memory());
  const bytes reserved = std::min(limits.reserved_memory, allowed);
  const bytes tasks = std::max(std::max(allowed - reserved, need.task) * num_workers,
                               need.task + need.intermediates);
  return tasks + need.results + need.reading;
}

run_options make_run_options(plan_workload& work, const bounded_plan& plan, const executor& engine,
                             const run_with& settings) {
  const spec& limits = plan.spec();
  run_options options;
  options.how_to_continue = work.how_to_continue();
  const bytes planned = plan.inside().workers.process;
  options.baseline = std::max({memory_with_code(), limits.reserved_memory, planned});
  options.host_memory = limits.host_memory;
  options.room = default_memory_limit(limits, engine.num_workers(), plan.bound());
  options.retry.max_attempts = settings.max_attempts.value_or(options.retry.max_attempts);
  options.backups.is_on = settings.backups.value_or(options.backups.is_on);
  options.task_timeout = settings.task_timeout;
  options.observers = settings.observers;
  return options;
}

/// Returns the result of `receive` when all processes of the group have called it: one process must
/// not remove files that another one reads. If one throws, all throw.
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

std::vector<computed_output> execute(const bounded_plan& plan, const run_with& settings) {
  const std::shared_ptr<executor> engine = choose_executor(settings);
  plan.check_memory();
  check_target(plan, *engine);
  plan_workload work(plan, settings.resume);
  run_options options = make_run_options(work, plan, *engine, settings);
  // The sum includes results that tasks have put into memory.
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

void run(const bounded_plan& plan, const run_with& settings) {
  const std::shared_ptr<executor> engine = choose_executor(settings);
  plan.check_memory();
  check_target(plan, *engine);
  plan_workload work(plan, settings.resume);
  run(work, *engine, make_run_options(work, plan, *engine, settings));
  receive_together(*engine, [&work] {
    work.commit();
    return true;
  });
  work.finish();
}

}  // namespace tessera
