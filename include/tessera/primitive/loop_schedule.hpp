// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Loops of an operation over its domain, and the boxes of its outputs.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/core/task_range.hpp"

#include <bitset>
#include <cstddef>
#include <vector>

namespace tessera {

/// Some axes of a domain.
using axis_set = std::bitset<max_rank>;

/// The loops of an operation over its domain.
///
/// A task takes one block of `block` after the other, and reads its operands in steps of `step`.
/// Blocks are numbered in row-major order of their grid. A task usually takes one block: it takes
/// several neighbours if starting a task takes long beside a block.
///
/// A primitive takes several steps along the axes that it reduces. Along `ordered` axes, which
/// it keeps, a task goes sweep by sweep in ascending order. So a sweep finds rows that the sweep
/// before it has read, and the state of a scan. Each sweep steps through its reduced axes.
struct loop_schedule {
  index_vector domain;
  index_vector block;
  index_vector step;
  axis_set ordered = {};
  index_t blocks_per_task = 1;
  /// The elements along the ordered axis that a block shares with the next block: the elements
  /// before the first output of a moving window. Only a schedule with one ordered axis has some.
  index_t overlap = 0;

  [[nodiscard]] std::size_t rank() const { return domain.size(); }
  /// Returns the extents of a sweep: a step along ordered axes, a block along other axes.
  [[nodiscard]] index_vector sweep() const;
  /// Returns the grid of blocks over the domain.
  [[nodiscard]] chunk_grid blocks() const;
  /// Returns the box of block number `number`.
  [[nodiscard]] region block_box(index_t number) const;
  /// Returns the part of that box that the block shares with no earlier block: the part of
  /// the outputs.
  [[nodiscard]] region own_box(index_t number) const;
  [[nodiscard]] index_t num_tasks() const;
  /// Returns the numbers of the blocks that `tasks` take: [first, last).
  [[nodiscard]] task_range blocks_of(task_range tasks) const;
  /// Returns the number of steps of all tasks; an incomplete step at a border counts as its share.
  [[nodiscard]] double num_steps() const;
  /// Tells whether a block covers the domain along each of `axes`.
  [[nodiscard]] bool takes_all(axis_set axes) const;

  [[nodiscard]] bool operator==(const loop_schedule&) const = default;
};

/// The origin of an axis of an output.
struct output_axis {
  enum class kind {
    along,      ///< it is the axis of the domain
    per_block,  ///< it has one element for each block along the axis of the domain
    extra,      ///< no axis of the domain; every task has all of it
  };
  kind origin = kind::along;
  std::size_t axis = 0;
  /// The extent of an `extra` axis, and of an axis that is coarser than that of the domain.
  index_t length = 0;
  /// The position of its first element on the axis of the domain.
  index_t skipped = 0;
  /// The number of elements of the domain for each of its own. Blocks and sweeps are multiples of
  /// it.
  index_t step = 1;

  /// Tells whether it is the axis of the domain, element by element.
  [[nodiscard]] bool is_of_domain() const {
    return origin == kind::along && skipped == 0 && step == 1;
  }
  /// Tells whether it goes along the axis of the domain from its first element on.
  [[nodiscard]] bool goes_along() const { return origin == kind::along && skipped == 0; }
  [[nodiscard]] bool operator==(const output_axis&) const = default;
};

/// The part of a task that an output is emitted after.
enum class task_scope { step, sweep, task };

/// An array that an operation computes.
struct output {
  element_type type{};
  std::vector<output_axis> axes;

  [[nodiscard]] index_vector shape(const loop_schedule& schedule) const;
  /// Returns the extents of its block in a task.
  [[nodiscard]] index_vector block(const loop_schedule& schedule) const;
  /// Returns the extents of its part for a part of a task of `extents` in the domain.
  [[nodiscard]] index_vector extents_of(const index_vector& extents) const;
  /// Returns its box in a task on `box`: a block of the domain, or a part of one along axes that
  /// are not reduced.
  [[nodiscard]] region box(const loop_schedule& schedule, const region& box) const;
  /// Returns the part of `box`, a box of the domain, that the elements `part` are computed in.
  [[nodiscard]] region domain_of(const region& box, const region& part) const;

  [[nodiscard]] bool operator==(const output&) const = default;
};

/// Calls `f` with each box of `extents` in `box`, in row-major order.
template <class F>
void for_each_box(const region& box, const index_vector& extents, F f) {
  const chunk_grid parts(box.shape(), extents);
  for (index_t number = 0; number < parts.size(); ++number) {
    region part = parts.chunk_region(parts.chunk_at(number));
    for (std::size_t axis = 0; axis < part.rank(); ++axis) {
      part.start[axis] += box.start[axis];
      part.stop[axis] += box.start[axis];
    }
    f(part);
  }
}

/// Returns an output of each of `types`: the axes of the domain, with axes of the extents
/// `extra_axes` in place of the `reduced` axes, at the first of these.
[[nodiscard]] std::vector<output> kept_axes(const loop_schedule& schedule,
                                            const std::vector<dtype>& types, axis_set reduced = {},
                                            const index_vector& extra_axes = {});

}  // namespace tessera
