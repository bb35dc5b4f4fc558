// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/scheduler.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/hosted_executor.hpp"
#include "tessera/scheduler/interrupt.hpp"
#include "tessera/scheduler/process_group.hpp"

#include "core/api/host_memory.hpp"
#include "scheduler/dry_run_workload.hpp"
#include "scheduler/scheduling.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tessera {

namespace {

using namespace std::chrono_literals;

/// The period of the checks for an interrupt while nothing runs and retries pause.
constexpr session_time interrupt_poll = 100ms;

/// Workers on other hosts use no memory of this host and have no limit here.
memory_admission::limits limits_of(const executor_traits& traits, const executor& engine,
                                   const run_options& options) {
  const std::size_t n = engine.num_workers();
  if (!traits.shares_host) return {bytes{std::numeric_limits<std::uint64_t>::max() / 2}, {}, {}, n};
  const bytes used = options.baseline + options.worker_memory.value_or(traits.worker_memory) * n;
  return {options.host_memory.value_or(host_memory()), used, options.afterwards, n};
}

}  // namespace

// Two batches for each worker are in flight, so that a worker finds its next batch at once.
scheduling::scheduling(workload& work, executor& engine, const run_options& options)
    : work_(work),
      engine_(engine),
      options_(options),
      operations_(work.operations()),
      traits_(engine.traits()),
      order_(operations_),
      admission_(operations_, order_, limits_of(traits_, engine, options)),
      retries_(options.retry),
      watchdog_(operations_, options),
      in_flight_(traits_.max_batches != 0 ? traits_.max_batches : 2 * engine.num_workers()),
      ready_(work, order_, engine.num_workers(), traits_.cost_per_batch),
      progress_(operations_.size()) {
  for (const workload_operation& operation : operations_) num_tasks_ += operation.num_tasks;
}

void scheduling::run() {
  session_ = engine_.start(work_);
  notify(
      &observer::on_computation_begin,
      computation_event{operations_, engine_.name(), engine_.num_workers(),
                        options_.task_timeout && !traits_.stops_tasks, !traits_.computes,
                        traits_.costs.value_or(costs{}), options_.allowed_memory, session_->now()});
  try {
    run_all();
  } catch (const interrupted_error&) {
    finish(computation_outcome::interrupted);
    throw;
  } catch (...) {
    finish(computation_outcome::failed);
    throw;
  }
  finish(computation_outcome::completed);
}

void scheduling::run_all() {
  while (num_ended_ < operations_.size() && !failure_ && !is_stopping()) {
    submit_ready();
    tell_idle_reason();
    if (num_ended_ < operations_.size()) wait_for_completion();
  }
  if (num_ended_ == operations_.size()) return;
  drain();
  if (failure_) throw_task_error();
  throw_interrupted();
}

bool scheduling::is_stopping() const {
  return interrupt_requested() || options_.cancellation.stop_requested();
}

void scheduling::submit_ready() {
  while (const auto task = retries_.take_due(session_->now())) ready_.put_back(*task);
  ready_.restart();
  lacks_memory_ = false;
  while (!in_flight_.full()) {
    const std::optional<std::size_t> operation = ready_.next();
    if (!operation) return;
    submit_from(*operation);
  }
}

/// Submits tasks of an operation while there are tickets and memory.
void scheduling::submit_from(std::size_t operation) {
  if (ready_.num_left(operation) == 0) {
    (void)begin_if_allowed(operation);
    return;
  }
  while (!in_flight_.full()) {
    const std::optional<task_batch> batch = ready_.take(operation);
    if (!batch) return;
    if (!begin_if_allowed(operation) || !admission_.may_run(operation)) {
      lacks_memory_ = true;
      return ready_.give_back(*batch);
    }
    submit(*batch);
  }
}

/// An operation that begins before its sources are done must not take memory from their tasks.
bool scheduling::begin_if_allowed(std::size_t operation) {
  progress& state = progress_[operation];
  if (state.has_begun) return true;
  if (!admission_.may_begin(operation)) return false;
  const bool is_early = !ready_.has_all_sources(operation);
  const bool holds_memory = operations_[operation].resident_memory > bytes{};
  if (is_early && holds_memory && !admission_.leaves_room_for_workers(operation)) return false;
  admission_.begin(operation);
  state.has_begun = true;
  work_.limit_tasks(admission_.room_for_tasks());
  work_.begin(operation);
  notify(&observer::on_operation_begin, operation, session_->now());
  const index_t num_resumed = operations_[operation].num_tasks - ready_.num_left(operation);
  if (num_resumed > 0) {
    num_done_ += num_resumed;
    notify(&observer::on_tasks_resumed, operation, num_resumed);
  }
  ready_.begin(operation);
  end_if_done(operation);
  return true;
}

std::size_t scheduling::submit(task_batch batch) {
  batch.may_keep = admission_.has_room_for_all();
  const int attempt = batch.count == 1 ? retries_.next_attempt(batch.operation, batch.first) : 1;
  const std::size_t ticket = in_flight_.open(batch, attempt);
  ++progress_[batch.operation].num_in_flight;
  ready_.handed_out(batch);
  admission_.task_begins(batch.operation);
  session_->submit(batch, ticket);
  return ticket;
}

idle_reason scheduling::reason_to_wait() const {
  if (in_flight_.size() >= engine_.num_workers() || num_ended_ == operations_.size()) {
    return idle_reason::none;
  }
  if (lacks_memory_) return idle_reason::memory;
  return retries_.next_due() ? idle_reason::pause : idle_reason::inputs;
}

void scheduling::tell_idle_reason() {
  const idle_reason reason = reason_to_wait();
  if (std::exchange(idle_reason_, reason) == reason) return;
  notify(&observer::on_idle, reason, session_->now());
}

void scheduling::check_late_batches() {
  const bool has_idle_worker = in_flight_.size() < engine_.num_workers();
  const watchdog::findings due_batches = watchdog_.check(in_flight_, *session_, has_idle_worker);
  for (const std::size_t ticket : due_batches.late) {
    in_flight_[ticket].has_timed_out = true;
    session_->abandon(ticket);
  }
  if (failure_ || is_stopping()) return;
  for (const std::size_t ticket : due_batches.stragglers) {
    if (in_flight_.size() >= engine_.num_workers()) return;
    if (admission_.may_run(in_flight_[ticket].batch.operation)) start_backup(ticket);
  }
}

void scheduling::start_backup(std::size_t straggler) {
  const task_batch batch = in_flight_[straggler].batch;
  in_flight_.link_backup(straggler, submit(batch));
  notify(&observer::on_backup, batch.operation, batch.first, session_->now());
}

void scheduling::wait_for_completion() {
  check_late_batches();
  const bool is_draining = failure_ || is_stopping();
  std::optional<session_time> until = is_draining ? std::nullopt : retries_.next_due();
  if (in_flight_.empty()) {
    if (is_draining) return;
    if (!until) throw std::logic_error("run: operations are left, but none can begin");
    until = std::min(*until, session_->now() + interrupt_poll);
  } else if (const auto next_check = watchdog_.next_check()) {
    until = std::min(until.value_or(*next_check), *next_check);
  }
  const std::optional<task_completion> completion = session_->wait(until);
  tell_started_workers();
  if (completion) complete(*completion);
}

void scheduling::tell_started_workers() {
  for (const worker_start& start : session_->started_workers()) {
    notify(&observer::on_worker_start, start);
  }
}

void scheduling::finish(computation_outcome outcome) {
  const session_time end = session_->now();
  tell_started_workers();
  session_.reset();
  notify(&observer::on_computation_end, outcome, end);
}

void run(workload& work, executor& engine, const run_options& options) {
  const auto schedule = [&] {
    dry_run_workload only(work);
    scheduling(engine.traits().computes ? work : only, engine, options).run();
  };
  if (auto* const hosted = dynamic_cast<hosted_executor*>(&engine)) return hosted->host(schedule);
  run_together(work, engine, schedule);
}

}  // namespace tessera
