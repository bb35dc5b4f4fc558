// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Scans as the planner and the tasks see them: plain functions over strips.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/kernel.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace tessera {

/// What a scan takes, and where what it gives goes.
struct scan_strip {
  index_t size = 0;
  const std::byte* input = nullptr;
  /// Never overlaps the input.
  std::byte* output = nullptr;
  /// How many elements each state has taken before, since its line began.
  index_t taken = 0;
  /// The distance, in values of a plane, of the cells of one state.
  index_t cell_stride = 0;
  const void* parameters = nullptr;
};

/// Goes along lines, one state for each: of every element it gives what its state is then.
///
/// The state of one line is `cells` values in each of `planes`; those of neighbouring lines are
/// neighbours. A scan that can be cut keeps two states for a line, each in half of the planes: what
/// was taken since the last `restart`, and all before that.
struct scan_kernel {
  std::string_view name;
  std::string_view label;
  dtype input{};
  dtype output{};
  std::vector<dtype> planes;
  /// Makes `size` states that have taken nothing.
  void (*start)(std::byte* const* planes, index_t size, const void* parameters) = nullptr;
  /// Takes element `i` of the strip into state `i`.
  void (*run_each)(std::byte* const* planes, const scan_strip& strip) = nullptr;
  /// Takes the elements of the strip, one after the other, into the one state.
  void (*run_along)(std::byte* const* planes, const scan_strip& strip) = nullptr;
  /// Writes what a state that has taken nothing gives. Null: nothing stands before the first
  /// element.
  void (*initial)(const std::byte* const* planes, std::byte* output) = nullptr;
  /// Merges what `size` states have taken behind what was before. Null: the scan is not cut.
  void (*restart)(std::byte* const* planes, index_t size) = nullptr;
  restore_function restore = nullptr;
  /// How many values of each plane a state is; null: one.
  index_t (*cells)(const void* parameters) = nullptr;

  /// Returns how many planes the state of a cut has: what is handed from part to part.
  [[nodiscard]] std::size_t num_handed() const { return planes.size() / 2; }
};

}  // namespace tessera
