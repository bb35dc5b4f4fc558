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

/// The input of a scan, and the destination of its output.
struct scan_strip {
  index_t size = 0;
  const std::byte* input = nullptr;
  /// Never overlaps the input.
  std::byte* output = nullptr;
  /// The number of elements that each state has taken before, since its line began.
  index_t num_taken = 0;
  /// The distance of the values of one state, in values of a field.
  index_t value_stride = 0;
  const void* parameters = nullptr;
};

/// Goes along lines, one state for each: the output of every element is its state's value then.
///
/// The state of one line is `state_length` values in each of `state_fields`; the states of
/// neighbouring lines are neighbours. A scan that can be cut keeps two states for a line, each in
/// half of the state fields: of the elements since the last `restart`, and of all before that.
struct scan_kernel {
  std::string_view name;
  std::string_view label;
  dtype input{};
  dtype output{};
  std::vector<dtype> state_fields;
  /// Makes `size` states that have taken nothing.
  void (*start)(std::byte* const* state_fields, index_t size, const void* parameters) = nullptr;
  /// Takes element `i` of the strip into state `i`.
  void (*run_each)(std::byte* const* state_fields, const scan_strip& strip) = nullptr;
  /// Takes the elements of the strip, one after the other, into the one state.
  void (*run_along)(std::byte* const* state_fields, const scan_strip& strip) = nullptr;
  /// Writes the output of a state that has taken nothing. Null: nothing stands before the first
  /// element.
  void (*initial)(const std::byte* const* state_fields, std::byte* output) = nullptr;
  /// Merges the elements of `size` states behind the ones before. Null: the scan is not cut.
  void (*restart)(std::byte* const* state_fields, index_t size) = nullptr;
  restore_function restore = nullptr;
  /// The number of values of a state in each state field; null: one.
  index_t (*state_length)(const void* parameters) = nullptr;

  /// Returns how many state fields the state of a cut has, which is handed from part to part.
  [[nodiscard]] std::size_t num_handed() const { return state_fields.size() / 2; }
};

}  // namespace tessera
