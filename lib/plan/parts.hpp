// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the planner asks of arrays that lie in the memory of several processes.

#include "tessera/plan/distribution.hpp"
#include "tessera/plan/operation.hpp"

#include "plan/graph.hpp"

#include <cstddef>

namespace tessera {

/// Returns who holds which chunk of an array; null for one that every process can read.
[[nodiscard]] const distribution* parts_of(const planned_array& array);

/// Tells whether each task of `what` reads, of operand `i`, elements of one chunk of `grid` alone.
[[nodiscard]] bool keeps_to_chunks(const operation& what, std::size_t i, const chunk_grid& grid);

}  // namespace tessera
