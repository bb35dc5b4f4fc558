// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How an operation walks its domain, and which boxes of its outputs come of that.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <bitset>
#include <cstddef>
#include <vector>

namespace tessera {

/// Some axes of a domain.
using axis_set = std::bitset<max_rank>;

/// How an operation walks its domain.
///
/// A task walks one `block`, in steps of `stream`. Tasks are numbered in row-major order of the
/// grid of blocks.
///
/// A primitive needs several steps along the axes that it reduces. Along the `ordered` ones, which
/// it keeps, a task goes leg by leg, in ascending order, so that a leg finds what the one before it
/// has left: rows that both read, the state of a scan. Each leg walks its reduced axes in steps.
struct walk {
  index_vector domain;
  index_vector block;
  index_vector stream;
  axis_set ordered = {};

  [[nodiscard]] std::size_t rank() const { return domain.size(); }
  /// Returns the extents of a leg: of a step along the ordered axes, of a block along the others.
  [[nodiscard]] index_vector leg() const;
  /// Returns the grid of tasks over the domain.
  [[nodiscard]] chunk_grid tasks() const;
  /// Returns the block of the domain that task number `task` walks.
  [[nodiscard]] region task_box(index_t task) const;
  /// Returns how many steps all tasks take together, the last ones along an axis as parts of one.
  [[nodiscard]] double num_steps() const;
  /// Tells whether a task walks all of the domain along each of `axes`.
  [[nodiscard]] bool takes_all(axis_set axes) const;

  [[nodiscard]] bool operator==(const walk&) const = default;
};

/// Where an axis of an output comes from.
struct output_axis {
  enum class kind {
    along,      ///< it is the axis of the domain
    per_block,  ///< it has one element for each block along the axis of the domain
    own,        ///< the domain has it not; every task makes all of it
  };
  kind how = kind::along;
  std::size_t axis = 0;
  /// The extent of one of its own, and of one that is coarser than the axis that it goes along.
  index_t length = 0;
  /// Where on the axis of the domain, which it goes along, its first element is.
  index_t skipped = 0;
  /// How many elements of the axis that it goes along each of its own stands for: where these are
  /// several, blocks and legs are multiples of that.
  index_t step = 1;

  /// Tells whether it is the axis of the domain, element by element.
  [[nodiscard]] bool is_of_domain() const {
    return how == kind::along && skipped == 0 && step == 1;
  }
  /// Tells whether it goes along the axis of the domain from its first element on.
  [[nodiscard]] bool goes_along() const { return how == kind::along && skipped == 0; }
  [[nodiscard]] bool operator==(const output_axis&) const = default;
};

/// The stretches of a task's walk after which outputs leave.
enum class walk_stretch { step, leg, task };

/// An array that an operation makes.
struct output {
  element_type type{};
  std::vector<output_axis> axes;

  [[nodiscard]] index_vector shape(const walk& how) const;
  /// Returns the extents of what a task makes of it.
  [[nodiscard]] index_vector block(const walk& how) const;
  /// Returns the extents of what a part of a task that walks `extents` makes of it.
  [[nodiscard]] index_vector extents_of(const index_vector& extents) const;
  /// Returns the box that a task on `box`, a block of the domain or a part of one along axes that
  /// are not reduced, makes of it.
  [[nodiscard]] region box(const walk& how, const region& box) const;
  /// Returns the part of `box`, a box of the domain, that makes the elements `part`.
  [[nodiscard]] region domain_of(const region& box, const region& part) const;

  [[nodiscard]] bool operator==(const output&) const = default;
};

/// Calls `f` with each box of `extents` that `box` is made of, in row-major order.
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

/// Returns an output of each of `types` with the axes of the walk that are not `reduced`, and axes
/// of the extents `own` in the place of the first that is.
[[nodiscard]] std::vector<output> kept_axes(const walk& how, const std::vector<dtype>& types,
                                            axis_set reduced = {}, const index_vector& own = {});

}  // namespace tessera
