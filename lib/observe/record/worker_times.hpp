// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The times of workers: busy, or idle by reason.

#include "observe/record/run_record.hpp"
#include "observe/record/worker_starts.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The reasons of idle workers as they follow each other in a run.
class idle_reasons {
 public:
  explicit idle_reasons(const run_record& record);

  /// Returns the time of each reason from the begin of the run to `time`.
  [[nodiscard]] idle_times until(session_time time) const;

 private:
  struct change {
    session_time time{};
    std::size_t reason = 0;
    idle_times before{};
  };

  std::vector<change> changes_;
};

/// The times of a worker.
struct worker_times {
  std::size_t worker = 0;
  std::string host;
  /// Its first start; nullopt if the log has none.
  std::optional<start_up> first_start;
  /// The time of all its starts.
  session_time start_up_time{};
  /// Tasks that ended well, and their time.
  index_t num_done = 0;
  session_time busy{};
  /// The time of attempts that failed or were dropped.
  session_time lost{};
  /// The time without an attempt and a start, from the begin to the end of the run.
  session_time idle{};
  /// The parts of it that had a reason.
  idle_times by_reason{};
};

/// The times that workers spent before attempts of an operation, since the attempts before.
struct operation_waits {
  session_time start_up_time{};
  idle_times by_reason{};
};

/// The times of a run, by worker and by operation.
struct time_accounts {
  /// All workers that have started or had tasks, in their order.
  std::vector<worker_times> workers;
  std::vector<operation_waits> operations;
};

[[nodiscard]] time_accounts time_accounts_of(const run_record& record);

/// Returns a table with a line for each worker.
[[nodiscard]] std::string workers_csv(const std::vector<worker_times>& workers);

/// Returns the fields of the line of a worker. Fields that are not known are empty.
[[nodiscard]] std::vector<std::string> fields_of(const worker_times& worker);

}  // namespace tessera
