// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The distinct values of an array, and searches for them in other arrays. Values are found at
/// once, part by part, and are held in memory; searches in them stay lazy.

#include "tessera/array/detail/values_in_order.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/histogram.hpp"
#include "tessera/function/map.hpp"
#include "tessera/kernel/detail/sorted_values.hpp"
#include "tessera/meta/promotion.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {
namespace detail {

/// Tells whether a `V` holds values: a lazy array, or a range in memory.
template <class V>
inline constexpr bool has_values = false;
template <array_expression V>
inline constexpr bool has_values<V> = V::rank > 0;
template <class V>
requires(!array_expression<V> &&
         std::ranges::input_range<const V>) inline constexpr bool has_values<V> =
    element<std::ranges::range_value_t<const V>>;

/// Returns the values of `given`, computed if they are lazy.
template <class V>
auto vector_of(const V& given) {
  if constexpr (array_expression<V>) {
    const auto computed = given.compute();
    const auto elements = computed.span();
    return std::vector<typename V::value_type>(elements.begin(), elements.end());
  } else {
    return std::vector<std::ranges::range_value_t<const V>>(std::begin(given), std::end(given));
  }
}

template <class T, class U>
std::vector<T> converted(const std::vector<U>& values) {
  std::vector<T> result;
  for (const U value : values) result.push_back(static_cast<T>(value));
  return result;
}

/// As `converted`, without integers that no `T` equals.
template <class T, class U>
std::vector<T> values_among(const std::vector<U>& values) {
  std::vector<T> result;
  for (const U value : values) {
    if constexpr (integer_element<T> && integer_element<U>) {
      if (!std::in_range<T>(value)) continue;
    }
    result.push_back(static_cast<T>(value));
  }
  return result;
}

/// The type in which elements of `T` are compared with elements of `U`: `T` itself if promotion
/// would change integers.
template <element T, element U>
using lookup_t =
    std::conditional_t<integer_element<T> && integer_element<U> && !std::integral<promote_t<T, U>>,
                       T, promote_t<T, U>>;

/// The type in which the values of a `V` are held, to look up the elements of an `X` among them.
template <class X, class V>
using compared_t =
    lookup_t<std::ranges::range_value_t<decltype(vector_of(std::declval<const V&>()))>,
             typename X::value_type>;

/// Returns values of two arrays that a `T` equals, in order, each once.
template <element T, array_expression A, array_expression B>
auto two_sets(std::string_view function, const A& a, const B& b) {
  const auto set_of = [&]<class X>(const X& x) {
    const auto values = values_in_order(function, x, false).values;
    return values_among<T>(
        std::vector<typename X::value_type>(values.span().begin(), values.span().end()));
  };
  return std::pair(set_of(a), set_of(b));
}
template <class T>
ndarray<T, 1> as_set(const std::vector<T>& values) {
  ndarray<T, 1> result({static_cast<index_t>(values.size())});
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

}  // namespace detail

/// The results of `unique_counts`, `unique_inverse` and `unique_all`, by the standard's names.
template <element T>
struct values_and_counts {
  ndarray<T, 1> values;
  ndarray<std::int64_t, 1> counts;
};
template <element T, class Inverse>
struct values_and_inverse {
  ndarray<T, 1> values;
  /// Lazy, of the shape of the array: the index of its element among the values.
  Inverse inverse_indices;
};
template <element T, class Inverse>
struct all_of_unique {
  ndarray<T, 1> values;
  /// The first position of each value, in row-major order.
  ndarray<std::int64_t, 1> indices;
  Inverse inverse_indices;
  ndarray<std::int64_t, 1> counts;
};

/// Returns the values of the elements, each once, in ascending order. NaN is last, and as it equals
/// nothing, there as often as in `x`; of 0 and -0 there is one.
///
/// Memory: parts of `x` in an eighth of the allowed memory, and the values so far, which are merged
///         with them, in another. More values of a dtype with an order are sorted in the work
///         directory, and read from there: the result, and such a part.
/// Throws: memory_error <- the host's memory does not hold the values; the message has their
///         number.
/// Source: the Array API's `unique_values`; NumPy's `unique` with `equal_nan=False`.
template <array_expression X>
[[nodiscard]] ndarray<typename X::value_type, 1> unique_values(const X& x) {
  return detail::values_in_order("unique_values", x, false).values;
}

/// As `unique_values`, with the count of each value.
template <array_expression X>
[[nodiscard]] values_and_counts<typename X::value_type> unique_counts(const X& x) {
  auto distinct = detail::values_in_order("unique_counts", x, true);
  return {std::move(distinct.values), std::move(distinct.counts)};
}

/// Returns, lazily, the position at which each element of `x` would be put into the ascending
/// `sorted`, so that it still ascends: before equal elements; behind them with `right`.
///
/// Dtype:    int64. Shape: as `x`.
/// Requires: `sorted` of rank 1, lazy or in memory, which is computed at once and held by each
///           worker; real numbers.
/// Throws:   value_error <- `sorted` does not ascend, NaN last.
/// Source:   the Array API's `searchsorted`, NumPy's.
template <class V, array_expression X, std::same_as<right_t>... Right>
requires(sizeof...(Right) <= 1)
    [[nodiscard]] auto searchsorted(const V& sorted, const X& x, Right...) {
  static_assert(detail::has_values<V> && real_element<typename X::value_type>,
                "tessera::searchsorted(sorted, x): requires values of rank 1, and real numbers");
  if constexpr (detail::has_values<V> && real_element<typename X::value_type>) {
    using value_type = detail::compared_t<X, V>;
    return map(detail::insertion_position<value_type, sizeof...(Right) == 1>(
                   detail::converted<value_type>(detail::vector_of(sorted))),
               x);
  } else {
    return x;
  }
}
/// As above, of values in memory, in a `std::vector` or computed array.
template <class V, class X, std::same_as<right_t>... Right>
requires(!array_expression<X> && !weak_scalar<X> &&
         requires(const X& values) { asarray(values); } && sizeof...(Right) <= 1)  //
    [[nodiscard]] auto searchsorted(const V& sorted, const X& x, Right... from_right) {
  return searchsorted(sorted, asarray(x), from_right...);
}

namespace detail {

template <class T, array_expression X>
auto inverse_of(const ndarray<T, 1>& sorted, const X& x) {
  // A vector of bool holds no bools.
  using stored_value = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;
  std::vector<stored_value> values;
  for (const T& value : sorted.span()) values.push_back(static_cast<stored_value>(value));
  return map(insertion_position<stored_value, false>(std::move(values)),
             tessera::converted<stored_value>(x));
}

}  // namespace detail

/// As `unique_values`, with the index of each element among them: `values(inverse(i, ...))` is `x`.
/// The index of a NaN is that of the first NaN.
template <array_expression X>
[[nodiscard]] auto unique_inverse(const X& x) {
  auto distinct = detail::values_in_order("unique_inverse", x, false);
  auto inverse = detail::inverse_of(distinct.values, x);
  return values_and_inverse<typename X::value_type, decltype(inverse)>{std::move(distinct.values),
                                                                       std::move(inverse)};
}

/// As `unique_counts` and `unique_inverse`, with the first position of each value; the values are
/// merged from part to part, however many there are.
template <array_expression X>
[[nodiscard]] auto unique_all(const X& x) {
  using value_type = typename X::value_type;
  constexpr index_t any = std::numeric_limits<index_t>::max();
  const auto distinct = *detail::distinct_of("unique_all", x, any);
  auto values = detail::values_of(distinct);
  auto inverse = detail::inverse_of(values, x);
  return all_of_unique<value_type, decltype(inverse)>{
      std::move(values),
      detail::transform_values<std::int64_t>(
          distinct, [](const detail::distinct_value<value_type>& entry) { return entry.first; }),
      std::move(inverse), detail::counts_of(distinct)};
}

/// Returns, lazily, whether each element of `x` is among `values`, `isin(x, {1, 2})`; NaN never is.
///
/// Requires: `values` of any rank, lazy or in memory, which are computed at once and held by each
///           worker.
/// Source:   numpy.isin.
template <array_expression X, class V = std::vector<typename X::value_type>>
[[nodiscard]] auto isin(const X& x, const V& values) {
  static_assert(detail::has_values<V>,
                "tessera::isin(x, values): requires values in a lazy array, list, span, "
                "std::vector or computed array");
  if constexpr (detail::has_values<V>) {
    const auto given = detail::vector_of(values);
    using value_type =
        detail::lookup_t<typename X::value_type, typename decltype(given)::value_type>;
    auto sorted = detail::values_among<value_type>(given);
    std::sort(sorted.begin(), sorted.end(), detail::stands_before<value_type>);
    return map(detail::membership<value_type>(std::move(sorted)), x);
  } else {
    return x;
  }
}

/// Returns the values that are in either array, each once, in order. As `unique_values`.
///
/// Requires: not int64 and uint64 together, which no dtype holds; NumPy rounds them to float64.
/// Source:   numpy.union1d.
template <array_expression A, array_expression B>
[[nodiscard]] auto union1d(const A& a, const B& b) {
  using value_type = promote_t<typename A::value_type, typename B::value_type>;
  static_assert(!detail::are_rounded_integers<typename A::value_type, typename B::value_type>,
                "tessera::union1d(a, b): requires arrays whose values one dtype holds, not int64 "
                "and uint64; astype<T>(x) converts one of them");
  auto [first, second] = detail::two_sets<value_type>("union1d", a, b);
  std::vector<value_type> union_values;
  std::set_union(first.begin(), first.end(), second.begin(), second.end(),
                 std::back_inserter(union_values), detail::stands_before<value_type>);
  return detail::as_set(union_values);
}

/// Returns the values that are in both arrays, each once, in order; NaN is in neither. As
/// `unique_values`.
///
/// Dtype:  the promotion of both; that of `a` for int64 and uint64, which are compared exactly.
/// Source: numpy.intersect1d.
template <array_expression A, array_expression B>
[[nodiscard]] auto intersect1d(const A& a, const B& b) {
  using value_type = detail::lookup_t<typename A::value_type, typename B::value_type>;
  auto [first, second] = detail::two_sets<value_type>("intersect1d", a, b);
  std::vector<value_type> common;
  std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(common), detail::stands_before<value_type>);
  std::erase_if(common, [](const value_type& value) { return value != value; });
  return detail::as_set(common);
}

/// Returns the values of `a` that are not in `b`, each once, in order. As `unique_values`.
///
/// Dtype:  as of `intersect1d`.
/// Source: numpy.setdiff1d.
template <array_expression A, array_expression B>
[[nodiscard]] auto setdiff1d(const A& a, const B& b) {
  using value_type = detail::lookup_t<typename A::value_type, typename B::value_type>;
  const auto sets = detail::two_sets<value_type>("setdiff1d", a, b);
  const std::vector<value_type>& b_values = sets.second;
  std::vector<value_type> rest;
  std::copy_if(sets.first.begin(), sets.first.end(), std::back_inserter(rest),
               [&b_values](const value_type& value) {
                 return value != value ||
                        !std::binary_search(b_values.begin(), b_values.end(), value,
                                            detail::stands_before<value_type>);
               });
  return detail::as_set(rest);
}

}  // namespace tessera
