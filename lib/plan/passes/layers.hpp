// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The layers of a graph: which vertices cannot need which others.

#include "plan/graph.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Which layer of a graph each vertex stands in: in a higher one than all that lead to it.
///
/// Sources stand in the lowest. Two vertices of one layer may become one: all layers stay as they
/// are then, and nothing goes in a circle.
class layers {
 public:
  explicit layers(array_graph& graph);

  [[nodiscard]] std::size_t operator[](vertex v) const { return layer_[graph_[v].serial]; }

  /// Tells whether a path leads from one of two vertices to the other; true also where a search
  /// for it would take too long.
  [[nodiscard]] bool may_lead(vertex a, vertex b);

  /// Puts `v` into `layer` at least, and what it leads to above it.
  void lift(vertex v, std::size_t layer);

 private:
  const array_graph& graph_;
  std::vector<std::size_t> layer_;
  /// How many vertices searches may still look at, all together.
  std::size_t budget_;
};

}  // namespace tessera
