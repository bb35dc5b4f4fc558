// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What all that runs at once for a plan holds at most, and what it is made of.

#include "tessera/core/bytes.hpp"

#include <cstddef>
#include <string>

namespace tessera {

/// What a plan must know of the workers that are to run it.
struct plan_workers {
  /// How many run at once on this host; none where all are elsewhere.
  std::size_t count = 1;
  /// Whether each is a process of its own, besides the one that schedules.
  bool are_processes = false;
  /// How many processes of this host receive the results.
  std::size_t num_receivers = 1;
  /// How many there are on all hosts together; 0 where that is not known.
  std::size_t count_on_all = 0;
  /// The memory of the process that schedules, and of each worker process, before the run; 0 where
  /// the spec sets no host memory, or where each rank plans for itself and all must plan alike.
  bytes process{};
  bytes worker_process{};
};

/// What the processes of this host hold at most, all together, while a plan is run.
///
/// With a host memory set, that includes the memory that they hold before the run. Otherwise
/// reserved memory stands for it.
struct memory_bound {
  plan_workers workers;
  /// What a worker uses for its tasks: the largest arena of any operation, and what libraries
  /// allocate besides, which they may keep from one operation to the next.
  bytes task;
  /// The part of `task` that libraries allocate. Each worker may keep it.
  bytes libraries;
  /// What is in memory between operations at the time when most is, beside `results`.
  bytes intermediates;
  /// The results that are handed out in memory.
  bytes results;
  /// The buffers to read back results that were stored.
  bytes reading;
  /// The memory of all processes before any data: the reserved memory, or more if they hold more.
  bytes reserved;
  /// The host memory that the spec sets, or else what the plan gives itself: workers x allowed
  /// memory and what results take, at most what the host has.
  bytes limit;

  /// Returns the sum of the parts, at most the limit: less runs at once where it is short.
  [[nodiscard]] bytes total() const;

  /// Returns the least with which the plan runs: one task at a time, and the memory of libraries on
  /// each worker.
  [[nodiscard]] bytes least() const;

  /// Returns the parts as text: "2 workers x 400 MB, 300 MB in between, 100 MB of results".
  [[nodiscard]] std::string terms() const;
};

}  // namespace tessera
