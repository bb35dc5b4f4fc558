// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The work of an operation in all.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

struct planned_operation;

/// The work of all tasks of an operation together.
struct operation_totals {
  /// The operation's label.
  std::string name;
  index_t num_tasks = 0;
  /// Elements x the steps of the program that is computed on each.
  double element_steps = 0;
  /// Decoded, from storage and to it.
  bytes bytes_read{};
  bytes bytes_written{};
  /// Chunks, each time counted.
  index_t chunk_reads = 0;
  index_t chunk_writes = 0;
  /// The requests of a task in flight at once, on average.
  double reads_in_flight = 1;
  double writes_in_flight = 1;
  /// The bytes read from, and written to, arrays in memory.
  bytes memory_moved{};
  /// The operations, by number, that compute its inputs.
  std::vector<std::size_t> after;
};

[[nodiscard]] operation_totals totals_of(const planned_operation& planned);

}  // namespace tessera
