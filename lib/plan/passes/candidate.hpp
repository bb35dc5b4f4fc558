// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations that are not in the graph, or not yet.

#include "plan/graph.hpp"

#include <string>
#include <vector>

namespace tessera {

/// An operation with its inputs, before it is put into the graph.
struct candidate {
  operation what;
  few<vertex> inputs;
};

/// Returns the operation `v` as it is.
[[nodiscard]] candidate candidate_at(const array_graph& graph, vertex v);

/// Returns `one` with operands that are the same view of the same array made one.
[[nodiscard]] candidate unified(candidate one);

/// Returns `all` without operands of which its primitive uses nothing.
[[nodiscard]] candidate without_unused(candidate all);

/// Tells whether `what` makes the same in blocks of several of its own along axes that it keeps.
[[nodiscard]] bool may_take_larger_blocks(const operation& what);

/// Lets tasks of `how`, which `body` walks, take `length` along `axis`, which it keeps: at once
/// where it has no steps along that.
void lengthen(walk& how, const primitive& body, std::size_t axis, index_t length);

/// Puts `one` in the place of operation `v`.
void put(array_graph& graph, vertex v, candidate one);

/// Returns both names in a row, without those that are there already: "mean, stddev".
[[nodiscard]] std::string joined_names(const std::string& a, const std::string& b);

}  // namespace tessera
