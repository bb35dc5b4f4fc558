// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Queries about distributed arrays, which lie in the memory of several processes.

#include "tessera/plan/operation.hpp"

#include "plan/api/distribution.hpp"
#include "plan/graph.hpp"

#include <cstddef>

namespace tessera {

/// Returns the distribution of an array, or nullptr if every process can read the array.
[[nodiscard]] const distribution* parts_of(const planned_array& array);

/// Tells whether each task of `op` reads operand `i` within one chunk of `grid`.
[[nodiscard]] bool keeps_to_chunks(const operation& op, std::size_t i, const chunk_grid& grid);

}  // namespace tessera
