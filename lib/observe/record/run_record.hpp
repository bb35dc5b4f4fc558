// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A log in memory, and the figures of each operation that follow from it.

#include "observe/api/run_log.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A log in memory.
struct run_record {
  run_header header;
  std::vector<run_event> events;
  /// Nullopt: the log has no end, as the computation runs or was killed.
  std::optional<computation_outcome> outcome;
  /// The time of the last event.
  session_time elapsed{};
};

/// The quantiles of the times of an operation's tasks, 0, 1/4, 1/2, 3/4, 9/10 and 1. Tasks of a
/// batch count with their mean.
inline constexpr std::array<double, 6> reported_quantiles{0, 0.25, 0.5, 0.75, 0.9, 1};

/// The time in which workers had no task, by its reason; of `idle_reason::none`, zero.
using idle_times = std::array<session_time, 4>;

/// The figures of one operation.
struct operation_summary {
  index_t num_done = 0;
  index_t num_resumed = 0;
  index_t num_attempts = 0;
  index_t num_failures = 0;
  index_t num_dropped = 0;
  index_t num_backups = 0;
  session_time began{};
  session_time ended{};
  /// The sum of the times of tasks that ended well.
  session_time busy{};
  /// The sum of the times of attempts that failed or were dropped.
  session_time lost{};
  /// The times that workers spent before its attempts: with their start, and without a task by the
  /// reason.
  session_time start_up_time{};
  idle_times waited{};
  std::array<session_time, reported_quantiles.size()> quantiles{};
  traffic moved;
  /// Whether the engine measured the traffic of all batches.
  bool is_moved_known = true;
  bytes memory{};
};

/// Throws: store_error, value_error <- as `run_log_reader`.
[[nodiscard]] run_record read_record(const std::string& path);

/// Returns the attempts of batches, sorted by worker and begin.
[[nodiscard]] std::vector<const run_event*> attempts_by_worker(const run_record& record);

/// Returns the figures of each operation, in the order of the header.
[[nodiscard]] std::vector<operation_summary> summaries_of(const run_record& record);

[[nodiscard]] idle_times idle_times_of(const run_record& record);

[[nodiscard]] const char* name_of(idle_reason reason);
[[nodiscard]] const char* name_of(std::optional<computation_outcome> outcome);

/// Returns a time in seconds, to the microsecond, without zeros at the end.
[[nodiscard]] std::string seconds_text(session_time time);

}  // namespace tessera
