// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The layers of a graph: vertices of one layer do not depend on each other.

#include "plan/graph.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// The layer of each vertex: higher than the layers of all its predecessors; 0 for sources.
/// Merging two vertices of one layer keeps all layers valid, and
/// the graph acyclic.
class layers {
 public:
  explicit layers(array_graph& graph);

  [[nodiscard]] std::size_t operator[](vertex v) const { return layer_[graph_[v].serial]; }

  /// Tells whether a path leads from one of two vertices to the other; true also if the search
  /// budget is spent.
  [[nodiscard]] bool may_lead(vertex a, vertex b);

  /// Lifts `v` to `layer` at least, and its successors above it.
  void lift(vertex v, std::size_t layer);

 private:
  const array_graph& graph_;
  std::vector<std::size_t> layer_;
  /// The number of vertices that searches may still visit, in all.
  std::size_t budget_;
};

}  // namespace tessera
