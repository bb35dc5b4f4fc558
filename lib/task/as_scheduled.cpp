// SPDX-License-Identifier: Apache-2.0
#include "task/as_scheduled.hpp"

#include "tessera/plan/library_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tessera {

namespace {

index_t elements_of(const planned_operation& planned) {
  index_t elements = 1;
  for (std::size_t axis = 0; axis < planned.what.how.domain.size(); ++axis) {
    const index_t length = std::min(planned.what.how.block[axis], planned.what.how.domain[axis]);
    if (__builtin_mul_overflow(elements, length, &elements)) {
      return std::numeric_limits<index_t>::max();
    }
  }
  return elements;
}

}  // namespace

workload_operation as_scheduled(const planned_operation& planned) {
  const auto num_tasks = static_cast<std::uint64_t>(std::max<index_t>(planned.num_tasks, 1));
  return {
      .name = planned.what.name,
      .num_tasks = planned.num_tasks,
      .elements_per_task = elements_of(planned),
      .bytes_read_per_task = bytes{planned.bytes_read.count() / num_tasks},
      .bytes_written_per_task = bytes{planned.bytes_written.count() / num_tasks},
      .reads_per_task = static_cast<double>(planned.chunk_reads) / static_cast<double>(num_tasks),
      .writes_per_task = static_cast<double>(planned.chunk_writes) / static_cast<double>(num_tasks),
      .task_memory = bytes{planned.buffers.arena_bytes()} + library_memory(planned.buffers),
      .library_memory = library_memory(planned.buffers),
      .resident_memory = {},
      .after = planned.after,
      .may_be_duplicated = true};
}

}  // namespace tessera
