// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Lists of indices: `x(whole, index({3, 1, 1, 7}))`.

#include "tessera/core/index.hpp"
#include "tessera/expr/expression.hpp"

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// The iterator of a range, without `<ranges>`, which takes long to compile.
template <class V>
using iterator_of = decltype(std::begin(std::declval<V&>()));

}  // namespace detail

/// Tells whether a `V` is a range of integers, or, as a mask is, of bool.
template <class V>
inline constexpr bool is_integer_range = false;
template <class V>
requires(!array_expression<V> &&
         std::input_iterator<detail::iterator_of<V>>) inline constexpr bool is_integer_range<V> =
    std::integral<std::iter_value_t<detail::iterator_of<V>>>;

/// Tells whether `I` is a lazy array of integers.
template <class I>
inline constexpr bool is_lazy_indices = false;
template <array_expression I>
inline constexpr bool is_lazy_indices<I> =
    std::integral<typename I::value_type> && !std::same_as<typename I::value_type, bool>;

/// Indices along one axis, in any order and any number of times; made by `index`.
class index_list {
 public:
  /// `mask_length`: the length of the mask, if the indices are its true elements.
  explicit index_list(std::vector<index_t> values, std::optional<index_t> mask_length = {});

  [[nodiscard]] const std::vector<index_t>& values() const { return *values_; }
  [[nodiscard]] std::optional<index_t> mask_length() const { return mask_length_; }

 private:
  std::shared_ptr<const std::vector<index_t>> values_;
  std::optional<index_t> mask_length_;
};

/// Indices along one axis that are a lazy array; made by `index`.
template <array_expression I>
struct lazy_index_list {
  I indices;
};

/// Returns a list of indices for `x(...)`: integers, of which negative ones count from the end; or
/// a mask, one bool for each element of the axis, of which it selects those that are true.
///
/// Several lists are orthogonal, as with NumPy's `ix_`: `x(index({0, 2}), index({1, 1, 3}))` has
/// the shape (2, 3). A list may be a lazy array of integers.
/// Example: `x(index(months == 7))` of a computed array, `x(whole, index({3, 1, 1, 7}))`.
template <class Indices>
requires(!array_expression<Indices>)  //
    [[nodiscard]] index_list index(const Indices& indices) {
  static_assert(is_integer_range<const Indices>,
                "tessera::index(indices): requires a list, span, std::vector or computed array of "
                "rank 1, of integers or of bool");
  std::vector<index_t> values;
  if constexpr (is_integer_range<const Indices>) {
    index_t length = 0;
    for (const auto& value : indices) {
      if constexpr (std::same_as<std::iter_value_t<detail::iterator_of<const Indices>>, bool>) {
        if (value) values.push_back(length);
      } else {
        values.push_back(static_cast<index_t>(value));
      }
      ++length;
    }
    if constexpr (std::same_as<std::iter_value_t<detail::iterator_of<const Indices>>, bool>) {
      return index_list(std::move(values), length);
    }
  }
  return index_list(std::move(values));
}
template <array_expression Indices>
[[nodiscard]] auto index(const Indices& indices) {
  constexpr bool are_integers = Indices::rank == 1 && is_lazy_indices<Indices>;
  static_assert(are_integers,
                "tessera::index(indices): requires a lazy array to be of rank 1 and of integers; "
                "of bool, index(mask.compute())");
  if constexpr (are_integers) {
    return lazy_index_list<Indices>{indices};
  } else {
    return index_list({});
  }
}
[[nodiscard]] index_list index(std::initializer_list<index_t> indices);

}  // namespace tessera
