// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Shards: values in a store that hold several chunks of an array, and an index of them.

#include "core/api/array_in_shards.hpp"
#include "plan/api/planned.hpp"
#include "plan/graph.hpp"

#include <span>
#include <string>

namespace tessera {

/// Returns the shards of `array`; their extents are empty if each chunk is stored by itself.
[[nodiscard]] indexed_shards shards_of(const planned_array& array);

/// Returns how often all tasks of `op` together read an index of `array` through a window.
///
/// A task reads the index of a shard once, as long as it keeps the indexes of all shards that it
/// reads; else once in each step. 0 without shards.
[[nodiscard]] index_t index_reads(const planned_window& window, const operation& op,
                                  const planned_array& array);

/// Returns " with 8 reads of an index" for people; "" without any.
[[nodiscard]] std::string describe_index_reads(index_t count);

/// Adds the reads of indexes to the reads of `planned`, whose operands view `inputs`.
void add_index_reads(const array_graph& graph, std::span<const vertex> inputs,
                     planned_operation& planned);

}  // namespace tessera
