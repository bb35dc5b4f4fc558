// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// From an operation to the buffers, reads and writes of its tasks.

#include "tessera/core/bytes.hpp"

#include "plan/api/planned.hpp"
#include "plan/array_storage.hpp"
#include "plan/graph.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Uses of buffers that hold elements of an array (`scheduled_buffer::use`).
inline constexpr const char* chunk_use = "chunk";
inline constexpr const char* encoded_chunk_use = "encoded chunk";
inline constexpr const char* region_use = "region";
inline constexpr const char* leg_use = "leg";
inline constexpr const char* codec_use = "codec";

/// Returns the plan of `op`: buffers, accesses of operands and outputs, bytes and requests. A task
/// that has no room for its shard computes it in legs (plan/legs.cpp).
[[nodiscard]] planned_operation with_buffers(operation op, const std::vector<array_storage>& inputs,
                                             const std::vector<array_storage>& outputs);

/// Returns the plan of `op` with tasks that compute their blocks at once.
[[nodiscard]] planned_operation plan_at_once(operation op, const std::vector<array_storage>& inputs,
                                             const std::vector<array_storage>& outputs);

/// Returns the plan of `op` with tasks of one leg, which they append to their shards.
[[nodiscard]] planned_operation plan_leg(operation op, const std::vector<array_storage>& inputs,
                                         const std::vector<array_storage>& outputs);

/// Returns the plan of operation `v` of a graph, with the placements that passes assume.
[[nodiscard]] planned_operation estimate(const array_graph& graph, vertex v, const spec& limits);

/// Returns the plan of an operation that is not in the graph, between arrays that are.
[[nodiscard]] planned_operation estimate(const array_graph& graph, operation op,
                                         const small_vector<vertex>& inputs,
                                         const small_vector<vertex>& outputs, const spec& limits);

/// Tells whether the search budget is spent: passes price at most 100,000 operands, and 400 for
/// each array and operation. From then on they leave operations unchanged.
[[nodiscard]] bool is_search_over(const array_graph& graph);

/// Returns the minimum of `extents` and `limit`, axis by axis; a limit of 0 counts as 1.
[[nodiscard]] index_vector clipped(const index_vector& extents, const index_vector& limit);

/// Returns the memory of a task of `planned`, the reserved memory included.
[[nodiscard]] bytes task_memory(const planned_operation& planned, const spec& limits);

/// Tells whether a task of `planned` keeps to the allowed memory.
[[nodiscard]] bool fits(const planned_operation& planned, const spec& limits);

}  // namespace tessera
