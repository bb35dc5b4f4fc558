// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The loops over a block, and along which of its axes strips run.

#include "tessera/core/few.hpp"
#include "tessera/core/index.hpp"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <optional>

namespace tessera {

/// Strips shorter than this run along another, longer axis if there is one.
inline constexpr index_t short_strip = 64;

/// Rows of fewer elements are walked as one with those behind them.
inline constexpr index_t short_row = 1024;

/// Neighbouring axes that strips go over as if they were one, from `first` to `last`, and how many
/// elements they have.
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

/// The loops over a block: extents, with the strides of everything that is walked along them.
struct loop_nest {
  index_vector extents;
  std::bitset<max_rank> reduced;
  few<index_vector*> strides;
  /// For each axis the run of axes that it belongs to; empty: any neighbours may be joined.
  few<std::size_t> runs = {};

  /// Finds the runs of axes that strips may go over as if they were one: by extents and `reduced`
  /// alone, so that what order elements are folded in does not depend on where they lie. `is_cut`
  /// tells which axes begin another run than the one behind them whatever their extents.
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
  [[nodiscard]] few<strip_axes> axes_of_runs() const {
    few<strip_axes> found;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (axis == 0 || runs[axis] != runs[axis - 1]) found.push_back({axis, axis, 1});
      found.back().last = axis;
      found.back().extent *= extents[axis];
    }
    return found;
  }

  /// Drops axes of length one and joins neighbours that are walked as if they were one axis.
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

  /// Adds an axis of length one behind the others, and returns it. Requires: `simplify` has dropped
  /// one.
  std::size_t add_unit_axis() {
    const std::size_t axis = extents.size();
    extents.push_back(1);
    runs.push_back(axis);
    reduced[axis] = false;
    for (index_vector* walk : strides) walk->push_back(0);
    return axis;
  }

 private:
  [[nodiscard]] bool can_join(std::size_t outer, std::size_t inner) const {
    if (reduced[outer] != reduced[inner]) return false;
    if (!runs.empty() && runs[outer] != runs[inner]) return false;
    return std::all_of(strides.begin(), strides.end(), [&](const index_vector* walk) {
      return (*walk)[outer] == (*walk)[inner] * extents[inner];
    });
  }

  void move_axis(std::size_t from, std::size_t to, index_t extent) {
    extents[to] = extent;
    reduced[to] = reduced[from];
    if (!runs.empty()) runs[to] = runs[from];
    for (index_vector* walk : strides) (*walk)[to] = (*walk)[from];
  }

  /// Makes axis 0 one of length one, so that there is an axis to run along.
  void make_unit_axis() {
    if (extents.empty()) {
      extents.push_back(1);
      for (index_vector* walk : strides) walk->push_back(0);
    }
    extents[0] = 1;
    reduced[0] = false;
    for (index_vector* walk : strides) (*walk)[0] = 0;
  }

  void resize(std::size_t rank) {
    extents = index_vector(extents.begin(), extents.begin() + rank);
    if (!runs.empty()) runs.resize(rank);
    for (index_vector* walk : strides) *walk = index_vector(walk->begin(), walk->begin() + rank);
  }
};

/// Returns the axis along which strips run: the last, unless it is short and a longer one will do,
/// of those along which they may. Where there is none, as what they may run along has length one,
/// it is one more of that length.
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
  const few<strip_axes> runs = loops.axes_of_runs();
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

/// Calls `f` for each position along the axes where `is_walked`, the others left as they are.
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

/// A part of what lies along axes.
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

/// Calls `f(from, offset, count)` for each part of a strip of `size` elements from `position` on
/// that lies along the last of `axes`: `from` is where in the strip it begins, `offset` where in
/// something of `strides`.
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
