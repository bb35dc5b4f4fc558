// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Shards: values in a store that hold several chunks of an array, and an index of them.
///
/// A task reads the index of a shard once, as long as it keeps the indexes of all shards that it
/// reads; else once in each step. Neighbouring chunks that a step reads are read by one request if
/// there is room for their stored bytes. The number of these requests is an estimate, for shards
/// that are written row by row.

#include "core/api/array_in_shards.hpp"
#include "plan/api/planned.hpp"
#include "plan/array_storage.hpp"
#include "plan/graph.hpp"

#include <span>
#include <string>
#include <vector>

namespace tessera {

/// Returns the shards of `array`; their extents are empty if each chunk is stored by itself.
[[nodiscard]] indexed_shards shards_of(const planned_array& array);

/// The requests of all tasks of an operation for chunks in shards.
struct shard_reads {
  index_t num_indexes = 0;
  /// The memory of a task for neighbouring chunks; 0 if each chunk is read by itself.
  std::size_t room = 0;

  shard_reads& operator+=(const shard_reads& added);
};

/// Returns the reads through a window of `planned` from `array`.
[[nodiscard]] shard_reads find_shard_reads(const planned_operation& planned,
                                           const planned_window& window,
                                           const planned_array& array);

/// Returns " with 8 reads of an index" for people; "" without shards.
[[nodiscard]] std::string describe(const shard_reads& reads);

/// Counts the requests of `planned`, whose operands view `inputs`, by indexes and by neighbouring
/// chunks.
void count_shard_requests(const array_graph& graph, std::span<const vertex> inputs,
                          planned_operation& planned);

/// Returns `planned` with room for neighbouring chunks of shards, if that saves requests and a task
/// stays within `limits`. `sources` are the storage of its inputs.
[[nodiscard]] planned_operation with_room_for_neighbours(planned_operation planned,
                                                         const array_graph& graph,
                                                         std::span<const vertex> inputs,
                                                         std::vector<array_storage> sources,
                                                         const std::vector<array_storage>& targets,
                                                         const spec& limits);

}  // namespace tessera
