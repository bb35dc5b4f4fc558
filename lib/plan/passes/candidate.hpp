// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Candidates: operations that are not, or not yet, in the graph.

#include "plan/graph.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// An operation with its inputs, before it is put into the graph.
struct candidate {
  operation op;
  small_vector<vertex> inputs;
};

/// Returns a copy of operation `v` with its inputs.
[[nodiscard]] candidate candidate_at(const array_graph& graph, vertex v);

/// Returns `original` with equal views of one array merged into one operand.
[[nodiscard]] candidate unified(candidate original);

/// Returns `original` without the operands that its primitive does not use.
[[nodiscard]] candidate without_unused(candidate original);

/// Tells whether `op` computes the same elements in larger blocks along axes that it does not
/// reduce: a map, or a product, which has the same tiles in all blocks.
[[nodiscard]] bool may_grow(const operation& op);

/// Tells whether `op` computes the same elements if several of its blocks become one block, along
/// the axes that it does not reduce.
[[nodiscard]] bool may_take_larger_blocks(const operation& op);

/// Sets the block of `schedule` along `axis`, which `body` does not reduce, to `length`; the step
/// too, unless `body` takes steps along `axis`.
void lengthen(loop_schedule& schedule, const primitive& body, std::size_t axis, index_t length);

/// Returns one operation with the outputs of all `candidates`, or nullopt if no primitive computes
/// them all. Halves are joined recursively, so that each candidate is copied O(log n) times.
[[nodiscard]] std::optional<candidate> join_all(std::span<const candidate> candidates);

/// Tells whether operation `v` reads an array in the memory of several processes.
[[nodiscard]] bool reads_distributed(const array_graph& graph, vertex v);

/// Replaces operation `v` and its inputs by `replacement`.
void put(array_graph& graph, vertex v, candidate replacement);

/// Returns the list `a` with the name `b` appended, unless it is there: "mean, stddev".
[[nodiscard]] std::string joined_names(const std::string& a, const std::string& b);

/// Returns a hash of each view that operation `v` reads: domain, array and map.
[[nodiscard]] std::vector<std::size_t> hash_views(const array_graph& graph, vertex v);

/// Returns a hash of each view that operation `v` reads without a gather: domain, array, the steps
/// of the map, and the chunks that it meets. Views at other offsets in the same chunks are equal.
[[nodiscard]] std::vector<std::size_t> hash_views_in_chunks(const array_graph& graph, vertex v);

/// Tells whether `op` computes elements one by one.
[[nodiscard]] bool is_elementwise(const operation& op);

/// Tells whether `op` computes elements one by one, and is more than a copy of one operand.
[[nodiscard]] bool is_map(const operation& op);

/// Tells whether `op` reads windows that overlap: an operand at sums of positions, several of which
/// lead to an element.
[[nodiscard]] bool reads_windows(const operation& op);

/// Tells whether `merge_maps` decides on the producer of `array`: it is a map, and `reader` takes
/// windows of the array that overlap, or takes its blocks and inlines no producers.
[[nodiscard]] bool is_for_merge_maps(const array_graph& graph, vertex array, vertex reader);

/// Tells whether all outputs of `op` leave its tasks behind steps of one scope.
[[nodiscard]] bool leave_at_once(const operation& op);

}  // namespace tessera
