// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Windows: what a task holds, step by step, of an array in storage for some operands, and how many
/// chunks are read for that.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/plan/planned.hpp"

#include "plan/array_storage.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// How an operand sees an array, and in which part of the domain.
struct window_view {
  std::size_t operand = 0;
  const index_map* map = nullptr;
  region where;
  /// Whether its window may keep, from step to step, what the next one needs.
  bool may_be_kept = true;
  /// Axes of the domain along which it is read where a step begins, and nowhere else.
  axis_set at_start = {};
};

/// Of a window of some views: what a task holds at once, and what all tasks read.
struct window_size {
  /// Along each axis of the array: every how many-th element is held, and how many.
  index_vector spacing;
  index_vector extents;
  /// The axis of the array along which a step keeps what it has in common with the one before, and
  /// reads chunk after chunk; `no_axis` where each step reads anew.
  std::size_t walked = no_axis;
  /// How many chunks all tasks read, each time counted: exact where every axis of the array belongs
  /// to other axes of the domain and each view is read in every task, else at least as many.
  index_t chunk_reads = 0;
  /// What part of these chunks lies, on average, between the first and the last element wanted:
  /// less than 1 where ranges of them can be read; at least as much as is read.
  double part_read = 1;
  /// Whether what is held is always some whole chunks, which lie in it as they are decoded.
  bool is_whole_chunks = false;
  /// Whether each step sees some layers of one chunk, every how many-th: held as a whole, it lies
  /// as it is decoded, and nothing is copied.
  bool is_spaced_in_chunk = false;

  /// Holds that chunk instead.
  void hold(const index_vector& chunk);

  /// Tells whether reading the chunks as a whole is little more than what is read of them anyway.
  [[nodiscard]] bool reads_most() const { return part_read >= 0.875; }

  /// Returns what is read of chunks of `all` bytes together.
  [[nodiscard]] tessera::bytes read_of(tessera::bytes all) const;

  /// Returns the bytes of what is held, of elements of `itemsize` bytes.
  [[nodiscard]] std::size_t bytes(std::size_t itemsize) const;
};

/// Returns the size of the window of `views`, of which there is at least one, on an array that is
/// stored as `array` says.
///
/// `reduced` are the axes, besides the ordered ones, along which a task has steps.
[[nodiscard]] window_size measure(const walk& how, axis_set reduced,
                                  const std::vector<window_view>& views,
                                  const array_storage& array);

/// Views of one array that are read through one window.
struct view_group {
  std::vector<window_view> views;
  window_size size;
};

/// Makes one group of views that read the same chunks of the same array, wherever no more is read
/// through one window, but for what a saved request is worth, and little more held; `inputs` are
/// the operands' arrays.
[[nodiscard]] std::vector<view_group> grouped(const walk& how, axis_set reduced,
                                              const std::vector<window_view>& views,
                                              const std::vector<array_storage>& inputs);

/// Returns every how many-th element along axis `k` of an array all of `maps` show.
[[nodiscard]] index_t spacing_along(std::size_t k, std::span<const index_map* const> maps);

/// Returns the axis along which a task's steps follow each other; `no_axis` where it has but one.
[[nodiscard]] std::size_t fastest_axis(const walk& how, axis_set reduced);

}  // namespace tessera
