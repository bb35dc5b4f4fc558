// SPDX-License-Identifier: Apache-2.0
#include "task/as_scheduled.hpp"

#include "plan/api/library_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace tessera {

namespace {

/// Returns `count` as an integer, at most half the greatest integer.
index_t to_index(double count) {
  constexpr auto most = static_cast<double>(std::numeric_limits<index_t>::max() / 2);
  return static_cast<index_t>(std::min(count, most));
}

}  // namespace

workload_operation as_scheduled(operation_totals totals) {
  const auto num_tasks = static_cast<std::uint64_t>(std::max<index_t>(totals.num_tasks, 1));
  workload_operation scheduled;
  scheduled.name = std::move(totals.name);
  scheduled.num_tasks = totals.num_tasks;
  scheduled.element_steps_per_task =
      to_index(totals.element_steps / static_cast<double>(num_tasks));
  scheduled.bytes_read_per_task = bytes{totals.bytes_read.count() / num_tasks};
  scheduled.bytes_written_per_task = bytes{totals.bytes_written.count() / num_tasks};
  scheduled.reads_per_task =
      static_cast<double>(totals.chunk_reads) / static_cast<double>(num_tasks);
  scheduled.writes_per_task =
      static_cast<double>(totals.chunk_writes) / static_cast<double>(num_tasks);
  scheduled.reads_in_flight = totals.reads_in_flight;
  scheduled.writes_in_flight = totals.writes_in_flight;
  scheduled.memory_moved_per_task = bytes{totals.memory_moved.count() / num_tasks};
  scheduled.after = std::move(totals.after);
  scheduled.may_be_duplicated = true;
  return scheduled;
}

workload_operation as_scheduled(const planned_operation& planned) {
  workload_operation scheduled = as_scheduled(totals_of(planned));
  scheduled.library_memory = library_memory(planned.buffers);
  scheduled.task_memory = bytes{planned.buffers.arena_bytes()} + scheduled.library_memory;
  return scheduled;
}

}  // namespace tessera
