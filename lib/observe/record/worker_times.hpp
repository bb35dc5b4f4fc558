// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The times of workers: busy, or idle by reason.

#include "observe/record/run_record.hpp"

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

/// The times of a worker that had tasks.
struct worker_times {
  std::size_t worker = 0;
  /// Tasks that ended well, and their time.
  index_t num_done = 0;
  session_time busy{};
  /// The time of attempts that failed or were dropped.
  session_time lost{};
  /// The time without an attempt, from the begin to the end of the run.
  session_time idle{};
  /// The parts of it that had a reason.
  idle_times by_reason{};
};

/// Returns the times of all workers that had tasks, in their order.
[[nodiscard]] std::vector<worker_times> worker_times_of(const run_record& record);

/// Returns a table with a line for each worker.
[[nodiscard]] std::string workers_csv(const std::vector<worker_times>& workers);

}  // namespace tessera
