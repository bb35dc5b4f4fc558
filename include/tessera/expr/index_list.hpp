// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Lists of indices: `x(whole, index({3, 1, 1, 7}))`.

#include "tessera/core/index.hpp"

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

/// Tells whether a `V` is a range of integers, or, as a mask is, of bool.
template <class V>
inline constexpr bool is_integer_range = false;
template <std::ranges::input_range V>
inline constexpr bool is_integer_range<V> = std::integral<std::ranges::range_value_t<V>>;

/// Indices along one axis, in any order and any number of times; made by `index`.
class index_list {
 public:
  /// `mask_length`: of the mask that they were the true elements of.
  explicit index_list(std::vector<index_t> values, std::optional<index_t> mask_length = {})
      : values_(std::make_shared<const std::vector<index_t>>(std::move(values))),
        mask_length_(mask_length) {}

  [[nodiscard]] const std::vector<index_t>& values() const { return *values_; }
  [[nodiscard]] std::optional<index_t> mask_length() const { return mask_length_; }

 private:
  std::shared_ptr<const std::vector<index_t>> values_;
  std::optional<index_t> mask_length_;
};

/// Returns a list of indices for `x(...)`: integers, of which negative ones count from the end; or
/// a mask, one bool for each element of the axis, of which it selects those that are true.
///
/// Several lists are orthogonal, as with NumPy's `ix_`: `x(index({0, 2}), index({1, 1, 3}))` has
/// the shape (2, 3).
/// Example: `x(index(months == 7))` of a computed array, `x(whole, index({3, 1, 1, 7}))`.
template <class Indices>
[[nodiscard]] index_list index(const Indices& indices) {
  static_assert(is_integer_range<const Indices>,
                "tessera::index(indices): requires a list, span, std::vector or computed array of "
                "rank 1, of integers or of bool");
  std::vector<index_t> values;
  if constexpr (is_integer_range<const Indices>) {
    index_t length = 0;
    for (const auto& value : indices) {
      if constexpr (std::same_as<std::ranges::range_value_t<const Indices>, bool>) {
        if (value) values.push_back(length);
      } else {
        values.push_back(static_cast<index_t>(value));
      }
      ++length;
    }
    if constexpr (std::same_as<std::ranges::range_value_t<const Indices>, bool>) {
      return index_list(std::move(values), length);
    }
  }
  return index_list(std::move(values));
}
[[nodiscard]] inline index_list index(std::initializer_list<index_t> indices) {
  return index_list(std::vector<index_t>(indices));
}

}  // namespace tessera
