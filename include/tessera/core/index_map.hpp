// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Affine maps from the indices of one space to the indices of an array: what slices, flips,
/// permutations, new axes and broadcasts have in common.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// How one axis of an array is found from a domain's index: `offset + step * index[axis]`.
///
/// `axis` is `none` where the array's index does not depend on the domain; it is `offset` then.
struct axis_map {
  static constexpr auto none = static_cast<std::size_t>(-1);

  std::size_t axis = none;
  index_t offset = 0;
  index_t step = 0;

  [[nodiscard]] bool operator==(const axis_map&) const = default;
};

/// An affine map from the indices of a domain to those of an array, one `axis_map` per array axis.
///
/// Each domain axis occurs at most once. A domain axis that occurs nowhere is broadcast: the array
/// has the same elements at each of its indices.
class index_map {
 public:
  index_map() = default;
  index_map(std::size_t domain_rank, std::vector<axis_map> axes)
      : domain_rank_(domain_rank), axes_(std::move(axes)) {}

  /// Returns the map that sends each index of rank `rank` to itself.
  [[nodiscard]] static index_map identity(std::size_t rank);

  [[nodiscard]] std::size_t domain_rank() const { return domain_rank_; }
  [[nodiscard]] std::size_t array_rank() const { return axes_.size(); }
  [[nodiscard]] const std::vector<axis_map>& axes() const { return axes_; }
  [[nodiscard]] const axis_map& operator[](std::size_t array_axis) const {
    return axes_[array_axis];
  }

  /// Tells whether every index is sent to itself.
  [[nodiscard]] bool is_identity() const;

  /// Tells whether no two indices of a domain of `extents` reach the same element.
  [[nodiscard]] bool is_injective(std::span<const index_t> extents) const;

  /// Returns the array's index at `position` of the domain.
  [[nodiscard]] index_vector operator()(std::span<const index_t> position) const;

  /// Returns the smallest box of the array that holds the image of `box`, a box of the domain.
  [[nodiscard]] region image(const region& box) const;

  /// Returns, for each domain axis, the stride that walks `array_strides` along it; 0 if broadcast.
  [[nodiscard]] index_vector strides(std::span<const index_t> array_strides) const;

  [[nodiscard]] bool operator==(const index_map&) const = default;

 private:
  std::size_t domain_rank_ = 0;
  std::vector<axis_map> axes_;
};

/// Returns the map `position -> outer(inner(position))`: `inner` leads into the domain of `outer`.
[[nodiscard]] index_map compose(const index_map& outer, const index_map& inner);

/// Returns a map in the notation of its equations: `(i, j) -> (j, 9 - 2 i, 0)`.
[[nodiscard]] std::string format_index_map(const index_map& map);

}  // namespace tessera
