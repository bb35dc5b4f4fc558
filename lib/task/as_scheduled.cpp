// SPDX-License-Identifier: Apache-2.0
#include "task/as_scheduled.hpp"

#include "plan/api/library_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tessera {

namespace {

/// Returns `count` as an integer, at most half the greatest integer.
index_t to_index(double count) {
  constexpr auto most = static_cast<double>(std::numeric_limits<index_t>::max() / 2);
  return static_cast<index_t>(std::min(count, most));
}

}  // namespace

workload_operation as_scheduled(const planned_operation& planned) {
  const auto num_tasks = static_cast<std::uint64_t>(std::max<index_t>(planned.num_tasks, 1));
  return {
      .name = planned.label.empty() ? planned.op.name : planned.label,
      .num_tasks = planned.num_tasks,
      .element_steps_per_task = to_index(planned.op.primitive->element_steps(planned.op.schedule) /
                                         static_cast<double>(num_tasks)),
      .bytes_read_per_task = bytes{planned.bytes_read.count() / num_tasks},
      .bytes_written_per_task = bytes{planned.bytes_written.count() / num_tasks},
      .reads_per_task = static_cast<double>(planned.chunk_reads) / static_cast<double>(num_tasks),
      .writes_per_task = static_cast<double>(planned.chunk_writes) / static_cast<double>(num_tasks),
      .memory_moved_per_task = bytes{planned.memory_moved.count() / num_tasks},
      .task_memory = bytes{planned.buffers.arena_bytes()} + library_memory(planned.buffers),
      .library_memory = library_memory(planned.buffers),
      .resident_memory = {},
      .after = planned.after,
      .may_be_duplicated = true};
}

}  // namespace tessera
