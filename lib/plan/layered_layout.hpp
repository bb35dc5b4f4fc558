// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The layout of a graph in layers, for pictures.

#include <cstddef>
#include <vector>

namespace tessera {

/// A point of a picture; y grows downwards.
struct picture_point {
  double x = 0;
  double y = 0;
};

/// An edge between two boxes.
struct picture_edge {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// The sizes of a layout. All boxes have one width.
struct layout_sizes {
  double box_width = 168;
  /// The height of boxes, and of rows without boxes.
  double box_height = 38;
  /// The height of each box; empty: `box_height`. None is lower than that.
  std::vector<double> box_heights = {};
  /// The distances between boxes of a layer, and between layers.
  double column_gap = 16;
  double row_gap = 30;
  /// The page that the layout fits into, if it can.
  double page_width = 1600;
  double page_height = 1000;

  [[nodiscard]] double height_of(std::size_t box) const {
    return box_heights.empty() ? box_height : box_heights[box];
  }
};

/// A graph with a place for each box.
struct layered_layout {
  /// The upper left corner of each box.
  std::vector<picture_point> boxes = {};
  /// The points of each edge, from the bottom of a box to the top of another: its segments are
  /// straight, and pass no box.
  std::vector<std::vector<picture_point>> routes = {};
  double width = 0;
  double height = 0;
};

/// Returns a layout of `num_boxes` boxes without overlaps. Requires: `edges` have no cycle.
///
/// Complexity: O((V + E) V) for V boxes and E edges.
[[nodiscard]] layered_layout lay_out(std::size_t num_boxes, const std::vector<picture_edge>& edges,
                                     const layout_sizes& sizes);

}  // namespace tessera
