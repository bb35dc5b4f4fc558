// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The buffers of a task in its arena.

#include "plan/api/planned.hpp"

#include <cstddef>
#include <span>

namespace tessera {

/// Returns buffer `id` of the schedule of `planned` in the arena `memory`, or an empty span for
/// `no_buffer`.
[[nodiscard]] inline std::span<std::byte> buffer_in(std::span<std::byte> memory,
                                                    const planned_operation& planned,
                                                    std::size_t id) {
  if (id == no_buffer) return {};
  const scheduled_buffer& scheduled = planned.buffers.buffers()[id];
  return memory.subspan(scheduled.offset, scheduled.size);
}

}  // namespace tessera
