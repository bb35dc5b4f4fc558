// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Finds the batches that run for too long: stragglers, and those past their time-out.

#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "scheduler/flights.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// How long the batches of one operation took, for each of their tasks.
class duration_record {
 public:
  void add(session_time per_task) { durations_.push_back(per_task); }

  [[nodiscard]] std::size_t size() const { return durations_.size(); }

  /// Returns how long a batch may run for each of its tasks before it is a straggler, `num_started`
  /// batches having been started; nothing while too few of them have ended.
  ///
  /// For more than some dozens of batches the answer may be that of up to a thirty-second of them
  /// before.
  [[nodiscard]] std::optional<session_time> limit(const backup_policy& policy,
                                                  std::size_t num_started);

 private:
  std::vector<session_time> durations_;
  std::size_t size_when_ranked_ = 0;
  std::size_t rank_ = 0;
  session_time ranked_{};
};

/// Finds the batches that run for too long.
///
/// It looks at all flights, which takes time where there are many: so it looks only when something
/// may be due, and not more often than sixteen times within the time that makes a straggler.
class watchdog {
 public:
  watchdog(const std::vector<workload_operation>& operations, const run_options& options);

  /// Notes that a batch of `operation` has ended well.
  void batch_ended(std::size_t operation, session_time per_task);

  struct findings {
    std::vector<std::size_t> late;        ///< tickets of batches past their time-out
    std::vector<std::size_t> stragglers;  ///< tickets of batches that deserve a backup
  };

  /// Returns what is due at `now`; stragglers only where a worker is idle.
  [[nodiscard]] findings look(const flight_table& flights, const executor_session& session,
                              bool has_idle_worker);

  /// Returns when to look again even if nothing happens until then.
  [[nodiscard]] std::optional<session_time> next_look() const;

 private:
  void find_late(const flight_table& flights, const executor_session& session, session_time now,
                 findings& found);
  void find_stragglers(const flight_table& flights, const executor_session& session,
                       session_time now, findings& found);
  [[nodiscard]] bool may_have_backup(const flight& one) const;

  const std::vector<workload_operation>& operations_;
  backup_policy backups_;
  std::optional<session_time> timeout_;
  std::vector<duration_record> records_;
  session_time next_timeout_look_{};
  session_time next_backup_look_{};
  std::optional<session_time> next_straggler_;
};

}  // namespace tessera
