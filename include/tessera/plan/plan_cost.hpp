// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The cost of a plan, or of an operation.

#include "tessera/core/bytes.hpp"
#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"

#include <cstddef>
#include <iosfwd>

namespace tessera {

/// The cost of a plan, or of an operation: the work of its tasks, and its time by the figures of
/// `spec::costs`.
///
/// work = read / read bandwidth + written / write bandwidth + requests x latency / requests in
///        flight + moved / memory bandwidth + steps x a step + tasks x a task
/// wall = work in rounds of as many tasks as there are workers; an operation begins once the inputs
///        of its first task are complete
struct plan_cost {
  std::size_t num_operations = 0;
  index_t num_tasks = 0;
  /// Decoded, from storage and to it.
  bytes bytes_read{};
  bytes bytes_written{};
  /// Chunks that are read or written, each time counted.
  index_t num_requests = 0;
  /// Bytes read from, and written to, arrays in memory.
  bytes memory_moved{};
  /// Elements x the steps of the program that is computed on each.
  double element_steps = 0;
  /// The most memory that a task needs.
  bytes task{};
  /// The time on one worker, and on `num_workers`.
  costs::seconds work{};
  costs::seconds wall{};
  std::size_t num_workers = 1;

  /// Returns the figure that is lower for a better plan: twice the work is worth it if the wall
  /// time falls by more than a factor of the square root of two.
  [[nodiscard]] double merit() const;
};

/// Prints a line: "1,391 tasks, 3.0 TB read, 2.9 TB written, 987,523 requests, 2.4 GB a task;
/// 78,704 s of work, 848 s on 100 workers".
std::ostream& operator<<(std::ostream& out, const plan_cost& cost);

}  // namespace tessera
