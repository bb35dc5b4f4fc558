// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Maps from the indices of one space to the indices of an array. Slices, flips, permutations, new
/// axes, broadcasts, sliding windows and diagonals are affine maps.

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

/// A term of an array's index, of one axis of the domain: `step * index[axis]`.
struct axis_term {
  std::size_t axis = 0;
  index_t step = 0;

  [[nodiscard]] bool operator==(const axis_term&) const = default;
};

/// The index along one axis of an array from a domain's index: the sum of `offset` and `terms`.
///
/// Terms stand in the order of their axes, one for each, and no step is zero.
class axis_map {
 public:
  static constexpr std::size_t max_terms = 3;

  /// The index `offset`, wherever in the domain.
  axis_map(index_t offset_ = 0) : offset(offset_) {}
  axis_map(std::size_t axis, index_t offset_, index_t step) : offset(offset_) { add({axis, step}); }

  /// Adds a term, to the present term of its axis if there is one.
  ///
  /// Throws: shape_error <- that makes more than `max_terms`.
  void add(const axis_term& term);

  [[nodiscard]] std::span<const axis_term> terms() const { return {terms_.data(), count_}; }
  /// Returns its only term; null if it has none or several.
  [[nodiscard]] const axis_term* only_term() const { return count_ == 1 ? terms_.data() : nullptr; }
  [[nodiscard]] bool depends_on(std::size_t axis) const { return step_along(axis) != 0; }
  /// Returns the step along `axis`; 0 if the map does not depend on the axis.
  [[nodiscard]] index_t step_along(std::size_t axis) const;
  /// Returns the greatest number that divides all steps; 1 if there are none.
  [[nodiscard]] index_t spacing() const;

  [[nodiscard]] bool operator==(const axis_map&) const = default;

  index_t offset = 0;

 private:
  std::array<axis_term, max_terms> terms_{};
  std::size_t count_ = 0;
};

class gather;

/// A map from the indices of a domain to those of an array. It is an affine map, one `axis_map` per
/// axis, perhaps followed by a `gather`, which leads to the array.
///
/// A domain axis without a term is broadcast: the array has the same elements at each of its
/// indices. Axes, images and strides are the ones of the affine map's codomain: the array, or the
/// domain of the gather.
class index_map {
 public:
  // Not inline, so that programs need not be compiled with them.
  index_map();
  index_map(std::size_t domain_rank, std::vector<axis_map> axes,
            std::shared_ptr<const tessera::gather> gather = nullptr);
  index_map(const index_map& rhs);
  index_map(index_map&& rhs) noexcept;
  index_map& operator=(const index_map& rhs);
  index_map& operator=(index_map&& rhs) noexcept;
  ~index_map();

  /// Returns the map that sends each index of rank `rank` to itself.
  [[nodiscard]] static index_map identity(std::size_t rank);

  [[nodiscard]] std::size_t domain_rank() const { return domain_rank_; }
  [[nodiscard]] std::size_t array_rank() const;
  [[nodiscard]] const std::vector<axis_map>& axes() const { return axes_; }
  [[nodiscard]] const axis_map& operator[](std::size_t axis) const { return axes_[axis]; }
  /// Returns the gather that follows the affine map; null if the axes are the array's.
  [[nodiscard]] const std::shared_ptr<const tessera::gather>& gather() const { return gather_; }

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

  /// Returns the stride along each axis of the domain in an array with `array_strides`; 0 along
  /// broadcast axes.
  [[nodiscard]] index_vector strides(std::span<const index_t> array_strides) const;

  [[nodiscard]] bool operator==(const index_map& rhs) const;

 private:
  std::size_t domain_rank_ = 0;
  std::vector<axis_map> axes_;
  std::shared_ptr<const tessera::gather> gather_;
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
