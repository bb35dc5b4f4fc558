// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory bound of a plan on a host, and its parts.

#include "tessera/core/bytes.hpp"
#include "tessera/core/costs.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace tessera {

/// The workers that a plan is made for.
struct plan_workers {
  /// The number of workers on this host; 0 if all are on other hosts.
  std::size_t count = 1;
  /// Whether each is a process of its own, besides the one that schedules.
  bool are_processes = false;
  /// The number of processes of this host that receive the results.
  std::size_t num_receivers = 1;
  /// The number of workers on all hosts together; 0 if it is unknown.
  std::size_t count_on_all = 0;
  /// The memory of the process that schedules, and of each worker process, before the run. It is 0
  /// if it was not measured, and if each rank plans for itself and all must plan alike.
  bytes process{};
  bytes worker_process{};
  /// The costs of work on them, by their engine. Members that `spec.costs` sets take precedence.
  std::optional<tessera::costs> costs = std::nullopt;
};

/// The most memory that all processes of this host hold together while a plan runs.
///
/// That includes the memory that they hold before the run, at least the reserved memory.
struct memory_bound {
  plan_workers workers;
  /// The memory of a worker for its tasks: the largest arena of any operation, and allocations of
  /// libraries, which they may keep from one operation to the next.
  bytes task;
  /// The part of `task` that libraries allocate. Each worker may keep it.
  bytes libraries;
  /// The most memory of intermediates at any time, beside `results`.
  bytes intermediates;
  /// The results that are handed out in memory.
  bytes results;
  /// The buffers to read back results that were stored.
  bytes reading;
  /// The memory of all processes before any data: the reserved memory, or more if they hold more.
  bytes reserved;
  /// The host memory of the spec. If it sets none: `reserved`, the rest of the allowed memory for
  /// each worker, and the results; at most the installed memory.
  bytes limit;

  /// Returns the sum of the parts, at most the limit: fewer tasks run at once if memory is short.
  [[nodiscard]] bytes total() const;

  /// Returns the least with which the plan runs: one task at a time, and the memory of libraries on
  /// each worker.
  [[nodiscard]] bytes least() const;

  /// Returns the parts as text: "2 workers x 400 MB, 300 MB in between, 100 MB of results".
  [[nodiscard]] std::string terms() const;
};

}  // namespace tessera
