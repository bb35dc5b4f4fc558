// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Maps from the indices of one space to the indices of an array. Affine ones are what slices,
/// flips, permutations, new axes, broadcasts, sliding windows and diagonals have in common.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// What one axis of a domain adds to an array's index: `step * index[axis]`.
struct axis_term {
  std::size_t axis = 0;
  index_t step = 0;

  [[nodiscard]] bool operator==(const axis_term&) const = default;
};

/// How one axis of an array is found from a domain's index: `offset` and what `terms` add to it.
///
/// Terms stand in the order of their axes, one for each, and no step is zero.
class axis_map {
 public:
  static constexpr std::size_t max_terms = 3;

  /// The index `offset`, wherever in the domain.
  axis_map(index_t offset_ = 0) : offset(offset_) {}
  axis_map(std::size_t axis, index_t offset_, index_t step) : offset(offset_) { add({axis, step}); }

  /// Adds a term, to the one of its axis where there is one.
  ///
  /// Throws: shape_error <- that makes more than `max_terms`.
  void add(const axis_term& term);

  [[nodiscard]] std::span<const axis_term> terms() const { return {terms_.data(), count_}; }
  /// Returns its only term; null where it has none or several.
  [[nodiscard]] const axis_term* only_term() const { return count_ == 1 ? terms_.data() : nullptr; }
  [[nodiscard]] bool depends_on(std::size_t axis) const { return step_along(axis) != 0; }
  /// Returns the step along `axis`, 0 where it does not depend on that.
  [[nodiscard]] index_t step_along(std::size_t axis) const;
  /// Returns the greatest number that divides all steps; 1 where there are none.
  [[nodiscard]] index_t spacing() const;

  [[nodiscard]] bool operator==(const axis_map&) const = default;

  index_t offset = 0;

 private:
  std::array<axis_term, max_terms> terms_{};
  std::size_t count_ = 0;
};

class gather;

/// A map from the indices of a domain to those of an array: an affine one, one `axis_map` per axis,
/// and behind it, where there is one, a `gather`, which leads from there to the array.
///
/// A domain axis that occurs nowhere is broadcast: the array has the same elements at each of its
/// indices. Axes, images and strides are those of what the affine map leads into: the array, or
/// what the gather shows of it.
class index_map {
 public:
  // Not inline, so that programs need not be compiled with them.
  index_map();
  index_map(std::size_t domain_rank, std::vector<axis_map> axes,
            std::shared_ptr<const gather> behind = nullptr);
  index_map(const index_map& other);
  index_map(index_map&& other) noexcept;
  index_map& operator=(const index_map& other);
  index_map& operator=(index_map&& other) noexcept;
  ~index_map();

  /// Returns the map that sends each index of rank `rank` to itself.
  [[nodiscard]] static index_map identity(std::size_t rank);

  [[nodiscard]] std::size_t domain_rank() const { return domain_rank_; }
  [[nodiscard]] std::size_t array_rank() const;
  [[nodiscard]] const std::vector<axis_map>& axes() const { return axes_; }
  [[nodiscard]] const axis_map& operator[](std::size_t axis) const { return axes_[axis]; }
  /// Returns what leads on to the array; null where the axes are the array's.
  [[nodiscard]] const std::shared_ptr<const gather>& behind() const { return gather_; }

  /// Tells whether every index is sent to itself.
  [[nodiscard]] bool is_identity() const;

  /// Tells whether the array's index depends on `axis` of the domain.
  [[nodiscard]] bool depends_on(std::size_t axis) const;

  /// Tells whether no two indices of a domain of `extents` reach the same element, as far as one
  /// axis of the array after the other shows it.
  [[nodiscard]] bool is_injective(std::span<const index_t> extents) const;

  /// Returns the array's index at `position` of the domain.
  [[nodiscard]] index_vector operator()(std::span<const index_t> position) const;

  /// Returns the smallest box of the array that holds the image of `box`, a box of the domain.
  [[nodiscard]] region image(const region& box) const;

  /// Returns, for each domain axis, the stride that walks `array_strides` along it; 0 if broadcast.
  [[nodiscard]] index_vector strides(std::span<const index_t> array_strides) const;

  [[nodiscard]] bool operator==(const index_map& other) const;

 private:
  std::size_t domain_rank_ = 0;
  std::vector<axis_map> axes_;
  std::shared_ptr<const gather> gather_;
};

/// Returns the map `position -> outer(inner(position))`: `inner` leads into the domain of `outer`.
///
/// Throws: shape_error <- `can_compose` says no: an axis gets more than `axis_map::max_terms`
/// terms, or a gather cannot be led through the other map.
[[nodiscard]] index_map compose(const index_map& outer, const index_map& inner);

/// Tells whether `compose` has a map to return.
[[nodiscard]] bool can_compose(const index_map& outer, const index_map& inner);

/// Returns a map in the notation of its equations: `(i, j) -> (i + 2 j, 9 - 2 i, 0)`.
[[nodiscard]] std::string format_index_map(const index_map& map);

}  // namespace tessera
