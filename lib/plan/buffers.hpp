// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// From an operation to the buffers of its tasks, and to what its tasks read and write.

#include "tessera/core/bytes.hpp"
#include "tessera/plan/planned.hpp"

#include "plan/array_storage.hpp"
#include "plan/graph.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Fills in the buffers of `what`, the accesses of its operands and outputs, and its bytes.
[[nodiscard]] planned_operation with_buffers(operation what,
                                             const std::vector<array_storage>& inputs,
                                             const std::vector<array_storage>& outputs);

/// Returns `with_buffers` for an operation of a graph, as a pass must assume it to become.
[[nodiscard]] planned_operation estimate(const array_graph& graph, vertex v, const spec& limits);

/// Returns `with_buffers` for an operation that is not in the graph, between arrays that are.
[[nodiscard]] planned_operation estimate(const array_graph& graph, operation what,
                                         const few<vertex>& inputs, const few<vertex>& outputs,
                                         const spec& limits);

/// Tells whether passes have priced as many operands as one plan may take: 100,000, and 400 for
/// each array and operation. From then on they leave operations as they are.
[[nodiscard]] bool is_search_over(const array_graph& graph);

/// Tells whether each step of `how` reads exactly one chunk of `array` through `map`.
[[nodiscard]] bool reads_whole_chunks(const walk& how, const index_map& map,
                                      const array_storage& array);

/// Returns `extents`, none beyond `limit`, which counts as 1 where it is 0.
[[nodiscard]] index_vector clipped(const index_vector& extents, const index_vector& limit);

/// Returns what a task of `planned` needs, what is reserved included.
[[nodiscard]] bytes task_memory(const planned_operation& planned, const spec& limits);

/// Tells whether a task of `planned` keeps to the allowed memory.
[[nodiscard]] bool fits(const planned_operation& planned, const spec& limits);

}  // namespace tessera
