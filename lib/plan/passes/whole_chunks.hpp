// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Blocks and steps against chunks: whether they hold whole chunks.

#include "tessera/plan/operation.hpp"

#include "plan/api/planned.hpp"

namespace tessera {

/// Tells whether boxes of `extents`, into which an array of `shape` is cut, hold whole `chunks`: no
/// chunk is part of two boxes.
[[nodiscard]] bool holds_whole_chunks(const index_vector& extents, const index_vector& shape,
                                      const index_vector& chunks);

/// Tells whether each chunk of a box of `extents` is contiguous in it.
[[nodiscard]] bool lie_one_by_one(const index_vector& chunks, const index_vector& extents);

/// Tells whether each step of `op` covers whole chunks of `array`, which has the shape of the
/// domain.
[[nodiscard]] bool steps_hold_whole_chunks(const operation& op, const planned_array& array);

/// Returns the extents of the box of operand `i`, which is `array`, that one step of `op` reads.
[[nodiscard]] index_vector taken_at_once(const operation& op, std::size_t i,
                                         const planned_array& array);

/// Returns the extents in which `op` computes its output `i` under `schedule`, for `array`: a
/// block, and whole chunks along reduced and ordered axes, as outputs leave with each step or
/// sweep.
[[nodiscard]] index_vector computed_extents(const operation& op, std::size_t i,
                                            const loop_schedule& schedule,
                                            const planned_array& array);

/// Returns `box` in whole blocks, unless they may be cut, in whole tiles of products, and in whole
/// reduced and ordered axes.
[[nodiscard]] region in_blocks(const operation& op, region box);

}  // namespace tessera
