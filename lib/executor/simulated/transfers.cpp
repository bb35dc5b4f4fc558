// SPDX-License-Identifier: Apache-2.0
#include "executor/simulated/transfers.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

double as_double(bytes size) { return static_cast<double>(size.count()); }

/// Returns the part of the writes of a task that end while it reads.
double early_part_of_writes(const workload_operation& operation) {
  const double count = operation.writes_per_task;
  if (operation.writes_in_flight <= 1 || operation.bytes_read_per_task == bytes{}) return 0;
  return std::max(0.0, count - operation.writes_in_flight) / count;
}

}  // namespace

simulated_transfer transfer_while_reading(const workload_operation& operation) {
  const double read = as_double(operation.bytes_read_per_task);
  const double early = early_part_of_writes(operation);
  if (early <= 0) return {read, operation.reads_per_task, operation.reads_in_flight};
  const double written = early * as_double(operation.bytes_written_per_task);
  const double waits = std::max(operation.reads_per_task / operation.reads_in_flight,
                                early * operation.writes_per_task / operation.writes_in_flight);
  const double share =
      std::max(read / operation.reads_in_flight, written / operation.writes_in_flight);
  const double num_connections = (read + written) / share;
  return {read + written, waits * num_connections, num_connections};
}

simulated_transfer transfer_of_last_writes(const workload_operation& operation) {
  const double late = 1 - early_part_of_writes(operation);
  return {late * as_double(operation.bytes_written_per_task), late * operation.writes_per_task,
          operation.writes_in_flight};
}

session_time time_behind_reads(const workload_operation& operation, session_time computing,
                               session_time reading) {
  if (operation.reads_in_flight <= 1) return computing;
  const double last = static_cast<double>(computing.count()) / operation.reads_per_task;
  return std::max(session_time{std::llround(last)}, computing - reading);
}

}  // namespace tessera
