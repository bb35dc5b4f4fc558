// SPDX-License-Identifier: Apache-2.0
#include "tessera/task/execution.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/scheduler/process_group.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "plan/api/host_bound.hpp"
#include "plan/api/planned.hpp"
#include "task/api/target.hpp"
#include "task/ended_tasks.hpp"
#include "task/plan_workload.hpp"
#include "task/prediction.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tessera {

namespace {

std::shared_ptr<executor> choose_executor(const run_with& settings) {
  return settings.executor != nullptr ? settings.executor : default_executor();
}

/// Returns the workers of a run of `plan` on `engine`, with the memory that the processes hold now.
plan_workers workers_now(const bounded_plan& plan, const executor& engine) {
  const executor_traits traits = engine.traits();
  plan_workers workers = traits.computes ? plan.inside().workers : workers_of(engine);
  workers.process = std::max(workers.process, memory_with_code());
  workers.worker_process = std::max(workers.worker_process, traits.worker_memory);
  return workers;
}

/// Throws memory_error if the processes have grown since `plan` was made, and leave no room for one
/// task.
void check_growth(const bounded_plan& plan, const memory_bound& now) {
  const memory_bound planned = plan.bound();
  if (now.least() <= now.limit || planned.least() > planned.limit) return;
  throw memory_error(fmt::format(
      "run: the processes hold {} before any task, {} when the plan was made; with them the plan "
      "needs more than the host memory of {}; take a host memory of at least {}, or free memory "
      "before the run",
      format_short(now.reserved), format_short(planned.reserved), format(now.limit),
      format(now.least())));
}

run_options make_run_options(plan_workload& work, const bounded_plan& plan, const executor& engine,
                             const run_with& settings) {
  const plan_workers workers = workers_now(plan, engine);
  const memory_bound bound = host_bound(plan.inside(), workers);
  if (engine.traits().computes && engine.traits().shares_host) check_growth(plan, bound);
  run_options options;
  options.how_to_continue = work.how_to_continue();
  options.baseline = std::max(workers.process, plan.spec().reserved_memory);
  // Measured once for the run: the limit counts the same.
  options.worker_memory = workers.are_processes ? workers.worker_process : bytes{};
  // A simulated run holds no array: a plan for more workers may need more than these may have.
  const bool is_simulated = !engine.traits().computes && !plan.spec().host_memory;
  options.host_memory = is_simulated ? std::max(bound.limit, bound.least()) : bound.limit;
  options.allowed_memory = plan.spec().allowed_memory;
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

/// Returns the options of a run of `plan`, and puts its workload into `work`. Processes of a group
/// measure their memory one by one: if one of them refuses the plan, all do, and no process waits
/// for the tasks of another one.
run_options begin_run(std::optional<plan_workload>& work, const bounded_plan& plan,
                      executor& engine, const run_with& settings) {
  return receive_together(engine, [&] {
    plan.check_memory();
    check_target(plan, engine);
    work.emplace(plan, settings.resume);
    work->tell_continuation_to(settings.observers);
    // Of a group of processes, the one that schedules claims the results.
    if (engine.traits().computes && engine.group() == nullptr) work->prepare_claims();
    return make_run_options(*work, plan, engine, settings);
  });
}

/// Runs the tasks of `work`. The error of a run that stops tells how many of them run again.
void run_tasks(plan_workload& work, executor& engine, run_options& options) {
  const auto ended = std::make_shared<ended_tasks>(work.operations().size());
  options.observers.push_back(ended);
  try {
    run(work, engine, options);
  } catch (const interrupted_error& stopped) {
    throw interrupted_error(fmt::format("{}{}", stopped.what(), work.loss_of(*ended)));
  } catch (const task_error& failed) {
    const std::string message = fmt::format("{}{}", failed.what(), work.loss_of(*ended));
    try {
      std::rethrow_if_nested(failed);
    } catch (...) {
      std::throw_with_nested(task_error(message));
    }
    throw task_error(message);
  }
}

/// Removes the notes of a run, without which all ranks open its results alike.
void finish_together(executor& engine, plan_workload& work) {
  receive_together(engine, [&work] {
    work.finish();
    return true;
  });
}

}  // namespace

std::vector<computed_output> execute(const bounded_plan& plan, const run_with& settings) {
  const std::shared_ptr<executor> engine = choose_executor(settings);
  std::optional<plan_workload> work;
  run_options options = begin_run(work, plan, *engine, settings);
  // The sum includes results that tasks have put into memory.
  const memory_bound bound = plan.bound();
  if (bound.reading > bytes{0}) options.afterwards = bound.results + bound.reading;
  if (!engine->traits().computes) throw_prediction(*work, *engine, options);
  run_tasks(*work, *engine, options);
  auto outputs = receive_together(*engine, [&work] {
    work->commit();
    return work->results();
  });
  finish_together(*engine, *work);
  return outputs;
}

void run(const bounded_plan& plan, const run_with& settings) {
  const std::shared_ptr<executor> engine = choose_executor(settings);
  std::optional<plan_workload> work;
  run_options options = begin_run(work, plan, *engine, settings);
  run_tasks(*work, *engine, options);
  receive_together(*engine, [&work] {
    work->commit();
    return true;
  });
  finish_together(*engine, *work);
}

}  // namespace tessera
