// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Windows: the parts of stored arrays that a task holds at once, and the chunks that it reads.
///
/// A window belongs to one array and to the operands that view it. In each step it holds the hull
/// of the elements that these operands show. Its size follows from the views and the schedule; the
/// chunks are counted over all tasks, without going through the steps one by one.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"

#include "plan/api/planned.hpp"
#include "plan/array_storage.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// The view of an operand on its array, and the part of the domain in which it is read.
struct window_view {
  std::size_t operand = 0;
  const index_map* map = nullptr;
  region where;
  /// Whether its window may keep elements from one step for the next.
  bool may_be_kept = true;
  /// Axes of the domain along which only the first position of a step is read.
  axis_set at_start = {};
};

/// The size of a window: the elements that a task holds at once, and the chunks that all tasks
/// read.
struct window_size {
  /// By axis of the array: the distance between held elements, and their number.
  index_vector spacing;
  index_vector extents;
  /// The axis of the array along which a step keeps the overlap with the step before, and reads
  /// chunk after chunk; `no_axis` if each step reads anew.
  std::size_t overlap_axis = no_axis;
  /// The number of chunk reads of all tasks: exact if each axis of the array depends on other axes
  /// of the domain and each view is read in every task; an upper bound otherwise.
  index_t chunk_reads = 0;
  /// The average share of a chunk between its first and last needed element: below 1 if ranges of
  /// chunks can be read; never less than the share that is read.
  double part_read = 1;
  /// Whether the window always holds whole chunks, in the layout in which they are decoded.
  bool is_whole_chunks = false;
  /// Whether each step needs evenly spaced layers of one chunk: held whole, the chunk needs no copy
  /// after decoding.
  bool is_spaced_in_chunk = false;

  /// Makes the window hold the whole chunk instead of its layers.
  void hold(const index_vector& chunk);

  /// Tells whether whole chunks are little more than the ranges that are read.
  [[nodiscard]] bool reads_most() const { return part_read >= 0.875; }

  /// Returns the bytes that are read of chunks of `chunk_bytes` in all.
  [[nodiscard]] tessera::bytes read_of(tessera::bytes chunk_bytes) const;

  /// Returns the size of the window in bytes, with elements of `itemsize` bytes.
  [[nodiscard]] std::size_t bytes(std::size_t itemsize) const;
};

/// Returns the size of the window of `views`, at least one, on an array.
///
/// A task has steps along `reduced` axes and along the ordered axes of `schedule`.
[[nodiscard]] window_size measure(const loop_schedule& schedule, axis_set reduced,
                                  const std::vector<window_view>& views,
                                  const array_storage& array);

/// Views of one array that share a window.
struct view_group {
  std::vector<window_view> views;
  window_size size;
};

/// Returns `views` in groups that share a window. Views are grouped if one window reads no more,
/// saved requests counted, and holds little more than several. `inputs` are the arrays of the
/// operands.
[[nodiscard]] std::vector<view_group> grouped(const loop_schedule& schedule, axis_set reduced,
                                              const std::vector<window_view>& views,
                                              const std::vector<array_storage>& inputs);

/// Returns the greatest common spacing of the elements that `maps` show along axis `k` of an array.
[[nodiscard]] index_t spacing_along(std::size_t k, std::span<const index_map* const> maps);

/// Returns the axis along which consecutive steps of a task lie, or `no_axis` if it has one step.
[[nodiscard]] std::size_t fastest_axis(const loop_schedule& schedule, axis_set reduced);

}  // namespace tessera
