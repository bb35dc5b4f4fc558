// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The loops over a block, and along which of its axes strips run.

#include "tessera/core/index.hpp"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// Strips shorter than this run along another, longer axis if there is one.
inline constexpr index_t short_strip = 64;

/// The loops over a block: extents, with the strides of everything that is walked along them.
struct loop_nest {
  index_vector extents;
  std::bitset<max_rank> reduced;
  std::vector<index_vector*> strides;

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
    reduced[axis] = false;
    for (index_vector* walk : strides) walk->push_back(0);
    return axis;
  }

 private:
  [[nodiscard]] bool can_join(std::size_t outer, std::size_t inner) const {
    if (reduced[outer] != reduced[inner]) return false;
    return std::all_of(strides.begin(), strides.end(), [&](const index_vector* walk) {
      return (*walk)[outer] == (*walk)[inner] * extents[inner];
    });
  }

  void move_axis(std::size_t from, std::size_t to, index_t extent) {
    extents[to] = extent;
    reduced[to] = reduced[from];
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
