// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The loops over a block, and the axes along which strips run.
///
/// A block is evaluated in strips of neighbouring elements. Axes of length one are dropped, and
/// neighbouring axes are joined if every operand has stride(outer) = stride(inner) * extent(inner).
/// The strip axis is the innermost, unless it is short and another one is longer.

#include "tessera/core/index.hpp"

#include "core/api/small_vector.hpp"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <optional>

namespace tessera {

/// Strips shorter than this run along another, longer axis if there is one.
inline constexpr index_t short_strip = 64;

/// Rows of fewer elements are joined with the next rows.
inline constexpr index_t short_row = 1024;

/// Neighbouring axes, `first` to `last`, along which strips run as along one axis of `extent`.
struct strip_axes {
  std::size_t first = 0;
  std::size_t last = 0;
  index_t extent = 1;

  [[nodiscard]] bool holds(std::size_t axis) const { return first <= axis && axis <= last; }
};

/// Tells whether elements in steps of `strides` lie along `axes` as if these were one axis.
inline bool are_one_axis(const strip_axes& axes, const index_vector& extents,
                         const index_vector& strides) {
  for (std::size_t axis = axes.first; axis < axes.last; ++axis) {
    if (strides[axis] != strides[axis + 1] * extents[axis + 1]) return false;
  }
  return true;
}

/// The loops over a block: extents, with the strides of all arrays along them.
struct loop_nest {
  index_vector extents;
  std::bitset<max_rank> reduced;
  small_vector<index_vector*> strides;
  /// For each axis the run of axes that it belongs to; empty: any neighbours may be joined.
  small_vector<std::size_t> runs = {};

  /// Finds the runs of axes that strips may treat as one axis. The runs depend on extents and
  /// `reduced` alone, so that the order of folds does not depend on the memory layout. `is_cut`
  /// tells whether a run ends between two axes whatever their extents.
  template <class Predicate>
  void find_runs(Predicate is_cut) {
    runs.assign(extents.size(), 0);
    std::size_t run = 0;
    index_t length = 0;
    std::size_t inner = extents.size();
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      runs[axis] = run;
      if (extents[axis] == 1) continue;
      const bool goes_on = length > 0 && length < short_row && reduced[axis] == reduced[inner] &&
                           !is_cut(axis, inner);
      if (length > 0 && !goes_on) runs[axis] = ++run;
      length = goes_on ? length * extents[axis] : extents[axis];
      inner = axis;
    }
  }

  /// Returns the runs, in the order of their axes. Requires: `find_runs`, then `simplify`.
  [[nodiscard]] small_vector<strip_axes> axes_of_runs() const {
    small_vector<strip_axes> joined;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (axis == 0 || runs[axis] != runs[axis - 1]) joined.push_back({axis, axis, 1});
      joined.back().last = axis;
      joined.back().extent *= extents[axis];
    }
    return joined;
  }

  /// Drops axes of length one and joins neighbouring axes that are contiguous in all arrays.
  void simplify() {
    std::size_t kept = 0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (extents[axis] == 1) continue;
      if (kept > 0 && can_join(kept - 1, axis)) {
        move_axis(axis, kept - 1, extents[kept - 1] * extents[axis]);
      } else {
        move_axis(axis, kept, extents[axis]);
        ++kept;
      }
    }
    if (kept == 0) {
      make_unit_axis();
      kept = 1;
    }
    resize(kept);
  }

  /// Appends an axis of length one, and returns it. Requires: `simplify` has dropped one.
  std::size_t add_unit_axis() {
    const std::size_t axis = extents.size();
    extents.push_back(1);
    runs.push_back(axis);
    reduced[axis] = false;
    for (index_vector* list : strides) list->push_back(0);
    return axis;
  }

 private:
  [[nodiscard]] bool can_join(std::size_t outer, std::size_t inner) const {
    if (reduced[outer] != reduced[inner]) return false;
    if (!runs.empty() && runs[outer] != runs[inner]) return false;
    return std::all_of(strides.begin(), strides.end(), [&](const index_vector* list) {
      return (*list)[outer] == (*list)[inner] * extents[inner];
    });
  }

  void move_axis(std::size_t from, std::size_t to, index_t extent) {
    extents[to] = extent;
    reduced[to] = reduced[from];
    if (!runs.empty()) runs[to] = runs[from];
    for (index_vector* list : strides) (*list)[to] = (*list)[from];
  }

  /// Makes axis 0 one of length one, so that there is an axis to run along.
  void make_unit_axis() {
    if (extents.empty()) {
      extents.push_back(1);
      for (index_vector* list : strides) list->push_back(0);
    }
    extents[0] = 1;
    reduced[0] = false;
    for (index_vector* list : strides) (*list)[0] = 0;
  }

  void resize(std::size_t rank) {
    extents = index_vector(extents.begin(), extents.begin() + rank);
    if (!runs.empty()) runs.resize(rank);
    for (index_vector* list : strides) *list = index_vector(list->begin(), list->begin() + rank);
  }
};

/// Returns the axis along which strips run: the last axis of which `may_run_along` is true, unless
/// it is short and another such axis is longer. Appends an axis of length one if no axis is
/// allowed, because all allowed axes had length one.
template <class Predicate>
std::size_t choose_strip_axis(loop_nest& loops, Predicate may_run_along) {
  const std::size_t last = loops.extents.size() - 1;
  const bool may_be_last = may_run_along(last);
  if (may_be_last && loops.extents[last] >= short_strip) return last;
  std::optional<std::size_t> chosen;
  if (may_be_last) chosen = last;
  for (std::size_t axis = 0; axis < last; ++axis) {
    if (!may_run_along(axis)) continue;
    if (!chosen || loops.extents[axis] > loops.extents[*chosen]) chosen = axis;
  }
  return chosen ? *chosen : loops.add_unit_axis();
}

/// As `choose_strip_axis`, of runs of axes.
template <class Predicate>
strip_axes choose_strip_axes(loop_nest& loops, Predicate may_run_along) {
  const small_vector<strip_axes> runs = loops.axes_of_runs();
  std::optional<strip_axes> chosen;
  if (may_run_along(runs.back())) {
    chosen = runs.back();
    if (chosen->extent >= short_strip) return *chosen;
  }
  for (const strip_axes& run : runs) {
    if (!may_run_along(run)) continue;
    if (!chosen || run.extent > chosen->extent) chosen = run;
  }
  if (chosen) return *chosen;
  const std::size_t unit = loops.add_unit_axis();
  return {unit, unit, 1};
}

/// Calls `f` for each position along the axes of which `is_walked`; the rest of `position` is kept.
template <class IsWalked, class F>
void for_each_position(index_vector& position, const index_vector& extents, IsWalked is_walked,
                       F f) {
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (is_walked(axis)) position[axis] = 0;
  }
  while (true) {
    f();
    std::size_t axis = extents.size();
    while (axis-- > 0) {
      if (!is_walked(axis)) continue;
      if (++position[axis] < extents[axis]) break;
      position[axis] = 0;
    }
    if (axis == static_cast<std::size_t>(-1)) return;
  }
}

/// A range of elements along strip axes.
struct strip_range {
  index_t begin = 0;
  index_t end = 0;
};

/// Calls `f(size)` for each strip of `range` along `axes`, with `position` at the strip's start.
template <class F>
void for_each_strip(index_vector& position, const strip_axes& axes, const index_vector& extents,
                    const strip_range& range, index_t longest, F f) {
  for (index_t start = range.begin; start < range.end; start += longest) {
    index_t rest = start;
    for (std::size_t axis = axes.last; axis > axes.first; --axis) {
      position[axis] = rest % extents[axis];
      rest /= extents[axis];
    }
    position[axes.first] = rest;
    f(std::min(longest, range.end - start));
  }
  for (std::size_t axis = axes.first; axis <= axes.last; ++axis) position[axis] = 0;
}

/// Calls `f(from, offset, count)` for each row of a strip of `size` elements from `position` on. A
/// row lies along the last of `axes`; `from` is its start in the strip, `offset` its start in an
/// array of `strides`.
template <class F>
void for_each_row(index_vector position, const strip_axes& axes, const index_vector& extents,
                  const index_vector& strides, index_t size, F f) {
  index_t from = 0;
  while (from < size) {
    const index_t count = std::min(size - from, extents[axes.last] - position[axes.last]);
    f(from, offset_of(position, strides), count);
    from += count;
    position[axes.last] = 0;
    for (std::size_t axis = axes.last; axis-- > axes.first;) {
      if (++position[axis] < extents[axis]) break;
      position[axis] = 0;
    }
  }
}

/// Calls `f(size)` for each strip along `axis`, with `position[axis]` at the strip's start.
template <class F>
void for_each_strip(index_vector& position, std::size_t axis, index_t extent, index_t longest,
                    F f) {
  for (index_t start = 0; start < extent; start += longest) {
    position[axis] = start;
    f(std::min(longest, extent - start));
  }
  position[axis] = 0;
}

}  // namespace tessera
