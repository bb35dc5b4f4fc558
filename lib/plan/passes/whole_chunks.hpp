// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is taken, or made, at once, and whether that are whole chunks.

#include "tessera/plan/operation.hpp"
#include "tessera/plan/planned.hpp"

namespace tessera {

/// Tells whether of boxes of `extents`, which an array of `shape` is cut into, no two show one of
/// its `chunks`.
[[nodiscard]] bool holds_whole_chunks(const index_vector& extents, const index_vector& shape,
                                      const index_vector& chunks);

/// Tells whether each step of `what` makes whole chunks of `made`, which has the shape of the
/// domain.
[[nodiscard]] bool steps_hold_whole_chunks(const operation& what, const planned_array& made);

/// Returns the extents of what a task of `what` takes of operand `i`, which is `array`, at once.
[[nodiscard]] index_vector taken_at_once(const operation& what, std::size_t i,
                                         const planned_array& array);

}  // namespace tessera
