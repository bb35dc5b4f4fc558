// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A box of elements: `[start, stop)` along each axis.

#include "tessera/core/index.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace tessera {

/// A box of elements: `[start, stop)` along each axis. Empty if `stop <= start` on an axis.
struct region {
  index_vector start;
  index_vector stop;

  /// Returns the box that holds every element of an array of `extents`.
  [[nodiscard]] static region whole(std::span<const index_t> extents);

  [[nodiscard]] std::size_t rank() const { return start.size(); }
  [[nodiscard]] index_vector shape() const;
  [[nodiscard]] index_t num_elements() const;
  [[nodiscard]] bool empty() const;
  [[nodiscard]] bool contains(const region& inner) const;
  [[nodiscard]] bool operator==(const region& rhs) const;
};

/// Returns the elements that `a` and `b` have in common; empty if there are none.
[[nodiscard]] region intersect(const region& a, const region& b);

/// Extends `box` to the smallest box that also holds `added`. Requires: neither is empty.
void extend(region& box, const region& added);

/// As above; a box that is not set becomes `added`.
void extend(std::optional<region>& box, const region& added);

/// Returns a region as Python prints slices: `[0:4, 2:6]`.
[[nodiscard]] std::string format_region(const region& box);

}  // namespace tessera
