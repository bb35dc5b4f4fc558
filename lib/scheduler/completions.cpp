// SPDX-License-Identifier: Apache-2.0
/// \file
/// The part of the scheduler's loop that follows a completion: tasks that ended, failures, ends of
/// operations, and the end of a run that fails.
#include "tessera/core/error.hpp"
#include "tessera/scheduler/failures.hpp"
#include "tessera/scheduler/interrupt.hpp"

#include "core/api/numbered_label.hpp"
#include "scheduler/scheduling.hpp"

#include <chrono>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <utility>

namespace tessera {

namespace {

/// Engines read the clock twice for a batch that never ran.
constexpr session_time shortest_run = std::chrono::microseconds(1);

/// Returns the end of the tasks of a batch that ended well. Engines tell the end of the batch
/// alone, so that each task has an equal part of the time.
session_time end_of_done(index_t count, const task_completion& completion) {
  if (completion.done == count) return completion.ended;
  const session_time whole = completion.ended - completion.started;
  return completion.started + whole / (completion.done + 1) * completion.done;
}

}  // namespace

void scheduling::complete(const task_completion& completion) {
  const submitted_batch ended = in_flight_.close(static_cast<std::size_t>(completion.ticket));
  const std::size_t operation = ended.batch.operation;
  --progress_[operation].num_in_flight;
  ready_.answered(ended.batch);
  admission_.task_ends(operation);
  if (ended.is_superseded) {
    drop(ended, completion);
  } else {
    const bool is_whole = completion.done == ended.batch.count;
    if (is_whole && ended.backup) {
      in_flight_[*ended.backup].is_superseded = true;
      session_->abandon(*ended.backup);
    }
    // If a copy has failed, its second copy repeats the tasks that it did.
    if (is_whole || !ended.backup) count_tasks(ended, completion);
    if (!is_whole) take_failure(ended, completion);
  }
  if (!failure_ && !is_stopping()) end_if_done(operation);
}

void scheduling::count_tasks(const submitted_batch& ended, const task_completion& completion) {
  if (completion.done == 0) return;
  const task_batch& batch = ended.batch;
  num_done_ += completion.done;
  ready_.end(batch.operation, {batch.first, batch.first + completion.done});
  const session_time end = end_of_done(batch.count, completion);
  watchdog_.batch_ended(batch.operation, (end - completion.started) / completion.done);
  const bool is_whole = completion.done == batch.count;
  notify(&observer::on_tasks_end,
         tasks_event{batch.operation, batch.first, completion.done, completion.worker,
                     ended.attempt, completion.started, end, completion.peak_memory,
                     is_whole ? completion.moved : std::nullopt});
}

/// A batch that was dropped because the run stops has no failure.
void scheduling::take_failure(const submitted_batch& ended, const task_completion& completion) {
  std::exception_ptr failure = completion.failure;
  if (!failure && ended.has_timed_out) {
    const std::chrono::duration<double> limit = *options_.task_timeout;
    failure = std::make_exception_ptr(timeout_error(
        fmt::format("the task ran for longer than its time-out of {:.3g} s", limit.count())));
  }
  if (!failure) return drop(ended, completion);
  const std::size_t operation = ended.batch.operation;
  const index_t task = ended.batch.first + (ended.backup ? 0 : completion.done);
  const int attempt = retries_.next_attempt(operation, task);
  const bool may_go_on = !failure_ && !is_stopping();
  bool is_retried = retries_.count_failure(operation, task, failure) && may_go_on;
  if (is_retried && !ended.backup) {
    retries_.pause({operation, task, 1, ended.batch.worker}, session_->now());
    put_back_rest(ended, task + 1, is_loss(failure));
  } else if (!is_retried && may_go_on) {
    failure_ = fatal_failure{operation, task, attempt, failure};
  }
  const session_time begun =
      ended.backup ? completion.started : end_of_done(ended.batch.count, completion);
  notify(&observer::on_failure,
         failure_event{operation, task, completion.worker, attempt, describe_cause(failure),
                       is_retried, begun, completion.ended});
}

/// Tells observers of an attempt that ran and does not count.
void scheduling::drop(const submitted_batch& ended, const task_completion& completion) const {
  const task_batch& batch = ended.batch;
  const session_time begun =
      ended.is_superseded ? completion.started : end_of_done(batch.count, completion);
  if (completion.ended - begun < shortest_run) return;
  const index_t first_dropped = ended.is_superseded ? 0 : completion.done;
  notify(&observer::on_attempt_dropped,
         tasks_event{batch.operation, batch.first + first_dropped, batch.count - first_dropped,
                     completion.worker, ended.attempt, begun, completion.ended,
                     completion.peak_memory, completion.moved});
}

/// If the worker was lost, the task at fault is not known. Each remaining task then becomes a batch
/// of a single task, so that the fault cannot lose the rest again.
void scheduling::put_back_rest(const submitted_batch& ended, index_t first, bool is_lost) {
  const task_batch& batch = ended.batch;
  const index_t end = batch.first + batch.count;
  if (first == end) return;
  const index_t count = is_lost ? 1 : end - first;
  for (; first < end; first += count) {
    ready_.put_back({batch.operation, first, count, batch.worker});
  }
}

/// Ends an operation that is done, and its readers that were done earlier, because they read only a
/// part of its output.
void scheduling::end_if_done(std::size_t operation) {
  if (!ready_.is_done(operation)) return;
  end_if_through(operation);
  for (const std::size_t reader : order_.readers[operation]) end_if_through(reader);
}

/// Ends an operation if it and its sources are done, and no superseded copy of a task is in flight.
/// Such a copy may still read the inputs.
void scheduling::end_if_through(std::size_t operation) {
  progress& state = progress_[operation];
  const bool is_through = state.has_begun && ready_.is_done(operation) &&
                          ready_.has_all_sources(operation) && state.num_in_flight == 0;
  if (!is_through || std::exchange(state.has_ended, true)) return;
  work_.end(operation);
  admission_.end(operation);
  work_.limit_tasks(admission_.room_for_tasks());
  ++num_ended_;
  ready_.restart();  // more operations may fit into the memory now
  notify(&observer::on_operation_end, operation, session_->now());
}

void scheduling::drain() {
  session_->cancel();
  while (!in_flight_.empty()) wait_for_completion();
}

void scheduling::throw_task_error() const {
  const auto& [operation, task, attempts, cause] = *failure_;
  const std::string task_label =
      fmt::format("{}, {}", operation_title(operation, operations_[operation].name),
                  work_.describe(operation, task));
  const task_error error(describe_failure(task_label, attempts, cause) + options_.how_to_continue);
  try {
    std::rethrow_exception(cause);
  } catch (...) {
    std::throw_with_nested(error);
  }
}

void scheduling::throw_interrupted() const {
  const std::string by = interrupt_requested() ? "an interrupt" : "a request to cancel it";
  throw interrupted_error(
      fmt::format("run: stopped by {} after {} of {} tasks{}", by, num_done_, num_tasks_,
                  options_.how_to_continue.empty() ? "; what it was storing is incomplete"
                                                   : options_.how_to_continue));
}

}  // namespace tessera
