// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A segment tree: amounts in a row, added to by ranges, with the maximum of a range.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// Amounts in a row, zero at first. Adding to a range and the maximum of a range take O(log n).
///
/// Invariant: peak(node) = whole(node) + max(peak(left), peak(right)).
class range_peaks {
 public:
  explicit range_peaks(std::size_t size)
      : size_(std::bit_ceil(std::max<std::size_t>(size, 1))), nodes_(2 * size_) {}

  /// Adds `amount` to each amount in [first, last).
  void add(std::size_t first, std::size_t last, std::uint64_t amount) {
    add(1, 0, size_, first, last, amount);
  }

  /// Returns the maximum in [first, last), or 0 if the range is empty.
  [[nodiscard]] std::uint64_t peak(std::size_t first, std::size_t last) const {
    return first < last ? peak(1, 0, size_, first, last) : 0;
  }

 private:
  struct node {
    std::uint64_t whole = 0;  ///< added to all amounts below, not counted in their peaks
    std::uint64_t peak = 0;   ///< the maximum below, `whole` included
  };

  void add(std::size_t at, std::size_t begin, std::size_t end, std::size_t first, std::size_t last,
           std::uint64_t amount) {
    if (last <= begin || end <= first) return;
    node& here = nodes_[at];
    if (first <= begin && end <= last) {
      here.whole += amount;
      here.peak += amount;
      return;
    }
    const std::size_t middle = (begin + end) / 2;
    add(2 * at, begin, middle, first, last, amount);
    add(2 * at + 1, middle, end, first, last, amount);
    here.peak = here.whole + std::max(nodes_[2 * at].peak, nodes_[2 * at + 1].peak);
  }

  [[nodiscard]] std::uint64_t peak(std::size_t at, std::size_t begin, std::size_t end,
                                   std::size_t first, std::size_t last) const {
    if (last <= begin || end <= first) return 0;
    if (first <= begin && end <= last) return nodes_[at].peak;
    const std::size_t middle = (begin + end) / 2;
    return nodes_[at].whole + std::max(peak(2 * at, begin, middle, first, last),
                                       peak(2 * at + 1, middle, end, first, last));
  }

  std::size_t size_;
  std::vector<node> nodes_;
};

}  // namespace tessera
