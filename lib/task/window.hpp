// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Windows of a running task: what it holds of arrays in storage.

#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/plan/planned.hpp"

#include "task/live_array.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace tessera {

/// A window of a running task, in buffers of its schedule.
class window {
 public:
  window(const planned_operation& planned, const planned_window& what,
         std::span<const live_array> arrays, std::span<std::byte> memory);

  /// Takes nothing to be held any more.
  void forget();

  /// Makes it hold what its operands show in `step`, a part of `task`.
  void read(const region& step, const region& task);
  /// Returns the elements that operand `number` of the operation sees over `box`, in the step.
  [[nodiscard]] block_operand operand(std::size_t number, const region& box) const;

  /// Makes it hold one chunk, and returns that.
  [[nodiscard]] const std::byte* read_chunk(const index_vector& chunk);
  /// Tells whether all that it holds is known to be the same element: every chunk was missing.
  [[nodiscard]] bool is_uniform() const { return is_uniform_; }

 private:
  /// Returns the box of the array that its operands show in `step`, along the walked axis, and in
  /// all steps next to it along the others.
  [[nodiscard]] region needed_in(const region& step, const region& task) const;
  /// Clips a box to indices below `extents`: those of the array, or of what a gather shows.
  void clip(region& seen, const index_vector& extents) const;
  /// Returns the part of `box`, not empty, that the `i`-th of its operands is read in.
  [[nodiscard]] region read_part(std::size_t i, region box) const;
  [[nodiscard]] region image(const region& box) const;
  void round_to_chunks(region& box) const;
  /// Reads what is in `box` from `from` on along the walked axis, or all of it where none is.
  /// Returns false if each of its chunks is missing.
  bool read_from(const region& box, index_t from);
  /// Gathers what is in `box` of what its one operand leads to.
  void gather_from(const region& box);
  /// Throws logic_error if `seen`, a box of the array, is not held.
  void require_held(const region& seen) const;
  void walk_on(const region& box);
  /// Moves what is held along the walked axis from `first` on to the front, and returns where it
  /// ends.
  [[nodiscard]] index_t keep_from(index_t first);
  void lay_out(const region& box);
  [[nodiscard]] const array_source& source() const { return *array_->source; }
  [[nodiscard]] std::size_t rank() const { return what_->spacing.size(); }
  [[nodiscard]] std::size_t itemsize() const { return array_->planned->type.size(); }
  [[nodiscard]] std::span<std::byte> buffer(std::size_t id) const;

  const planned_operation* planned_;
  const planned_window* what_;
  const live_array* array_;
  std::span<std::byte> memory_;
  /// The step that was read for last; what is held, and how it lies there, in elements.
  std::optional<region> step_;
  std::optional<region> held_;
  index_vector strides_;
  bool is_uniform_ = false;
};

}  // namespace tessera
