// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The log of a computation: its header, its events, and a reader.
///
/// A log is written while the computation runs, so that it is there after a failure, an interrupt
/// and a kill. All views of a run are derived from it.
///
/// Format: 16 bytes of magic; the header, JSON; blocks of events (record/event_block.hpp). Header
/// and blocks are records: the size of the content in 4 bytes and its hash (XXH3) in 8, little
/// endian, then the content. Version 3 is read, too: it has no starts of workers.
///
/// Invariant: a reader trusts no size. It ends at the first record that is not whole.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/scheduler/observer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The version of the logs that are written.
inline constexpr std::uint64_t run_log_version = 4;

/// The kind of an event. The numbers are part of the format.
enum class run_event_kind : std::uint8_t {
  operation_began = 0,
  operation_ended = 1,
  tasks_resumed = 2,
  tasks_ended = 3,
  attempt_failed = 4,
  attempt_dropped = 5,
  backup_started = 6,
  memory_sampled = 7,
  workers_idle = 8,
  run_ended = 9,
  worker_started = 10,  ///< from the time at which it was asked for; `text` is its host
};
inline constexpr std::size_t num_run_event_kinds = 11;

/// An event of a computation. Members that its kind does not have are zero.
struct run_event {
  run_event_kind kind{};
  std::size_t operation = 0;
  /// The tasks of a batch.
  index_t first = 0;
  index_t count = 0;
  std::size_t worker = 0;
  int attempt = 0;
  /// Times since the computation began, in a log whole microseconds; `ended` of an event without
  /// duration is `started`.
  session_time started{};
  session_time ended{};
  /// Nullopt: not measured.
  std::optional<traffic> moved = std::nullopt;
  /// The peak of a worker, or a sample of the process; zero: not measured.
  bytes memory{};
  /// An `idle_reason`, a `computation_outcome`, or whether a failed task is tried again.
  std::uint8_t detail = 0;
  /// The cause of a failure, or the host of a worker.
  std::string text{};
  [[nodiscard]] bool operator==(const run_event&) const = default;
};

/// The facts of a computation that are known when it begins.
struct run_header {
  std::uint64_t version = run_log_version;
  std::string executor;
  std::size_t num_workers = 0;
  bool is_simulated = false;
  /// The memory that a worker may use; zero: not known.
  bytes allowed_memory{};
  /// The time of the begin: "2026-01-31T12:00:00Z".
  std::string began;
  /// The plan in words, as `bounded_plan::explain` prints it.
  std::string explanation;
  /// Facts of host, program and libraries by their names.
  std::map<std::string, std::string> context;
  std::vector<workload_operation> operations;
};

/// Reads a log, block by block, also while it is written.
class run_log_reader {
 public:
  /// Throws: store_error <- the file cannot be read.
  ///         value_error <- it is no log of a run, or its header is damaged.
  explicit run_log_reader(const std::string& path);
  ~run_log_reader();
  run_log_reader(const run_log_reader&) = delete;
  run_log_reader& operator=(const run_log_reader&) = delete;

  [[nodiscard]] const run_header& header() const;

  /// Returns the events of the next block in the order in which they came; nullopt at the end, and
  /// at the first block that is not whole or that names an operation that the header has not. A
  /// block that is whole by then is returned by a later call.
  [[nodiscard]] std::optional<std::vector<run_event>> next_block();

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace tessera
