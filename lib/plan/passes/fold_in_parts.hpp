// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds and products in parts. One operation combines the states of the parts.

#include "plan/graph.hpp"

#include <optional>
#include <vector>

namespace tessera {

/// Returns the number of elements of its operands that `op` reads.
[[nodiscard]] double count_elements_read(const operation& op);

/// Returns `v` in blocks that each lie in the memory of one process, or nullopt if it reads no
/// distributed array, or would have too many states.
[[nodiscard]] std::optional<operation> along_parts(const array_graph& graph, vertex v);

/// Replaces `v` by `partial` and one operation that combines all states.
void cut_at_once(array_graph& graph, vertex v, operation partial,
                 const std::vector<two_stages>& folds);

}  // namespace tessera
