// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Detects stragglers, and batches past their time-out.

#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "scheduler/in_flight.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// The durations of the batches of an operation, divided by their numbers of tasks.
class duration_record {
 public:
  void add(session_time per_task) { durations_.push_back(per_task); }

  [[nodiscard]] std::size_t size() const { return durations_.size(); }

  /// Returns the duration of a task above which a batch is a straggler, or nullopt while too few of
  /// the `num_started` batches have ended.
  ///
  /// The limit is a multiple of an order statistic of the durations. Its value is cached until the
  /// number of durations has grown by 1/32, so that the amortised cost is constant.
  [[nodiscard]] std::optional<session_time> limit(const backup_policy& policy,
                                                  std::size_t num_started);

 private:
  std::vector<session_time> durations_;
  std::size_t size_when_ranked_ = 0;
  std::size_t rank_ = 0;
  session_time ranked_{};
};

/// Detects stragglers, and batches past their time-out.
///
/// A check visits every batch in flight. It runs only when a batch may be due, and at most 16 times
/// within the duration that makes a batch a straggler.
class watchdog {
 public:
  watchdog(const std::vector<workload_operation>& operations, const run_options& options);

  /// Records the duration of a successful batch of `operation`.
  void batch_ended(std::size_t operation, session_time per_task);

  struct findings {
    std::vector<std::size_t> late;        ///< tickets of batches past their time-out
    std::vector<std::size_t> stragglers;  ///< tickets of batches that deserve a backup
  };

  /// Returns the batches that are due now. It detects stragglers only if a worker is idle.
  [[nodiscard]] findings check(const in_flight_table& in_flight, const executor_session& session,
                               bool has_idle_worker);

  /// Returns the time of the next check in the absence of other events.
  [[nodiscard]] std::optional<session_time> next_check() const;

 private:
  void find_late(const in_flight_table& in_flight, const executor_session& session,
                 session_time now, findings& due_batches);
  void find_stragglers(const in_flight_table& in_flight, const executor_session& session,
                       session_time now, findings& due_batches);
  [[nodiscard]] bool may_have_backup(const submitted_batch& submitted) const;

  const std::vector<workload_operation>& operations_;
  backup_policy backups_;
  std::optional<session_time> timeout_;
  std::vector<duration_record> records_;
  session_time next_timeout_check_{};
  session_time next_backup_check_{};
  std::optional<session_time> next_straggler_;
};

}  // namespace tessera
