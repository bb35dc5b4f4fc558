// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The state and the loop of a call of `run`.

#include "tessera/scheduler/scheduler.hpp"

#include "scheduler/in_flight.hpp"
#include "scheduler/interruptible_scope.hpp"
#include "scheduler/memory_admission.hpp"
#include "scheduler/ready_queue.hpp"
#include "scheduler/retries.hpp"
#include "scheduler/watchdog.hpp"

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace tessera {

/// A call of `run`: a loop that submits ready batches and waits for a completion.
///
/// The parts decide, each by its own criterion:
///   ready_queue       which batch has its inputs, and the highest priority;
///   memory_admission  whether the batch, and its operation, fit into the host's memory;
///   in_flight_table   which batches have no completion yet;
///   watchdog          which of these are late, or deserve a backup;
///   retries           whether, and when, a failed task runs again.
///
/// Life of an operation: candidate, begun (its first batch fits), done (all tasks ended), ended
/// (its sources are done, too, and no superseded copy still reads them).
class scheduling {
 public:
  scheduling(workload& work, executor& engine, const run_options& options);

  void run();

 private:
  /// The failure that ends the run.
  struct fatal_failure {
    std::size_t operation = 0;
    index_t task = 0;
    int attempts = 0;
    std::exception_ptr cause;
  };

  /// The state of an operation during the run.
  struct progress {
    bool has_begun = false;
    bool has_ended = false;
    std::size_t num_in_flight = 0;
  };

  void run_all();
  [[nodiscard]] bool is_stopping() const;
  void submit_ready();
  void submit_from(std::size_t operation);
  [[nodiscard]] bool begin_if_allowed(std::size_t operation);
  std::size_t submit(task_batch batch);
  [[nodiscard]] idle_reason reason_to_wait() const;
  void tell_idle_reason();
  void check_late_batches();
  void start_backup(std::size_t straggler);
  void wait_for_completion();
  /// Tells observers of workers that have become ready.
  void tell_started_workers();
  void complete(const task_completion& completion);
  void count_tasks(const submitted_batch& ended, const task_completion& completion);
  void take_failure(const submitted_batch& ended, const task_completion& completion);
  void drop(const submitted_batch& ended, const task_completion& completion) const;
  void put_back_rest(const submitted_batch& ended, index_t first, bool is_lost);
  void end_if_done(std::size_t operation);
  void end_if_through(std::size_t operation);
  void drain();
  [[noreturn]] void throw_task_error() const;
  [[noreturn]] void throw_interrupted() const;
  void finish(computation_outcome outcome);

  template <class Member, class... Arguments>
  void notify(Member member, const Arguments&... arguments) const {
    for (const auto& watcher : options_.observers) (*watcher.*member)(arguments...);
  }

  workload& work_;
  executor& engine_;
  const run_options& options_;
  const std::vector<workload_operation>& operations_;
  executor_traits traits_;
  interruptible_scope scope_;
  operation_order order_;
  memory_admission admission_;
  retries retries_;
  watchdog watchdog_;
  in_flight_table in_flight_;
  ready_queue ready_;
  std::vector<progress> progress_;
  index_t num_tasks_ = 0;
  index_t num_done_ = 0;
  std::size_t num_ended_ = 0;
  std::optional<fatal_failure> failure_;
  /// Whether a batch did not fit into the memory when batches were submitted last.
  bool lacks_memory_ = false;
  idle_reason idle_reason_ = idle_reason::none;
  std::unique_ptr<executor_session> session_;
};

}  // namespace tessera
