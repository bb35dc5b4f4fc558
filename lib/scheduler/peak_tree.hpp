// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The peaks of a balance over the prefixes of a sequence of steps.

#include "core/api/wide_integer.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace tessera {

/// A step adds `added`, needs `transient` for its duration, and subtracts `removed` at its end.
struct balance_step {
  wide_integer added = 0;
  wide_integer transient = 0;
  wide_integer removed = 0;
};

/// The peaks of a balance over the prefixes of a sequence of steps; the balance begins at zero.
///
/// A segment tree. A node stores, for its interval of steps, the sum of added - removed and the
/// peak of the balance relative to the interval's begin. Nodes a, b of adjacent intervals join into
///
///     sum = a.sum + b.sum,    peak = max(a.peak, a.sum + b.peak).
///
/// Complexity: O(log n) to change a step, and to query the peak of a prefix.
class peak_tree {
 public:
  /// Less than any balance.
  static constexpr wide_integer none = -(wide_integer{1} << 120);

  explicit peak_tree(std::size_t size)
      : num_leaves_(std::bit_ceil(std::max<std::size_t>(size, 1))), nodes_(2 * num_leaves_) {}

  void set(std::size_t position, const balance_step& step) {
    std::size_t i = num_leaves_ + position;
    nodes_[i] = {step.added - step.removed, step.added + step.transient};
    while ((i /= 2) > 0) nodes_[i] = joined(nodes_[2 * i], nodes_[2 * i + 1]);
  }

  /// Removes the step at `position`.
  void clear(std::size_t position) {
    std::size_t i = num_leaves_ + position;
    nodes_[i] = {};
    while ((i /= 2) > 0) nodes_[i] = joined(nodes_[2 * i], nodes_[2 * i + 1]);
  }

  /// Returns the peak of the first `count` steps, or `none` if there is no step among them.
  [[nodiscard]] wide_integer peak_of_first(std::size_t count) const {
    node prefix;
    // Each node covers steps before the nodes of lower levels; the root, if reached, covers all.
    std::size_t begin = num_leaves_;
    for (std::size_t end = num_leaves_ + count; begin < end; begin /= 2, end /= 2) {
      if (end % 2 == 1) prefix = joined(nodes_[end - 1], prefix);
      if (begin % 2 == 1 && begin < end - end % 2) prefix = joined(nodes_[begin], prefix);
    }
    return prefix.peak;
  }

 private:
  struct node {
    wide_integer sum = 0;
    wide_integer peak = none;
  };

  [[nodiscard]] static node joined(const node& a, const node& b) {
    return {a.sum + b.sum, std::max(a.peak, b.peak == none ? none : a.sum + b.peak)};
  }

  std::size_t num_leaves_;
  std::vector<node> nodes_;
};

}  // namespace tessera
