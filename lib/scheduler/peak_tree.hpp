// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How high a balance rises while amounts come and go in an order that stays.

#include "tessera/core/wide_integer.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace tessera {

/// What happens at one place of an order: `taken` comes, `used` is there besides, and `given` goes.
struct balance_step {
  wide_integer taken = 0;
  wide_integer used = 0;
  wide_integer given = 0;
};

/// How high a balance, which begins at zero, rises while steps are taken in their order.
///
/// Changing a step, and asking for the greatest balance of the first ones, take O(log n).
class peak_tree {
 public:
  /// Less than any balance.
  static constexpr wide_integer none = -(wide_integer{1} << 120);

  explicit peak_tree(std::size_t size)
      : num_leaves_(std::bit_ceil(std::max<std::size_t>(size, 1))), nodes_(2 * num_leaves_) {}

  void set(std::size_t place, const balance_step& step) {
    std::size_t i = num_leaves_ + place;
    nodes_[i] = {step.taken - step.given, step.taken + step.used};
    while ((i /= 2) > 0) nodes_[i] = joined(nodes_[2 * i], nodes_[2 * i + 1]);
  }

  /// Makes nothing happen at `place`: it counts no more.
  void clear(std::size_t place) {
    std::size_t i = num_leaves_ + place;
    nodes_[i] = {};
    while ((i /= 2) > 0) nodes_[i] = joined(nodes_[2 * i], nodes_[2 * i + 1]);
  }

  /// Returns the greatest balance in the first `count` steps; `none` where nothing happens.
  [[nodiscard]] wide_integer peak_of_first(std::size_t count) const {
    node found;
    // What is found further down lies further left, but for the root, which is all there is.
    std::size_t begin = num_leaves_;
    for (std::size_t end = num_leaves_ + count; begin < end; begin /= 2, end /= 2) {
      if (end % 2 == 1) found = joined(nodes_[end - 1], found);
      if (begin % 2 == 1 && begin < end - end % 2) found = joined(nodes_[begin], found);
    }
    return found.peak;
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
