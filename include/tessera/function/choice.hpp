// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One of several arrays, element by element. All of them are computed everywhere.

#include "tessera/function/comparison.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/function/selection.hpp"
#include "tessera/meta/axes.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tessera {

/// Tells whether `Given` arguments are pairs, and one more.
template <std::size_t Given>
inline constexpr bool are_pairs_and_one = Given % 2 == 1 && Given > 2;

namespace detail {

template <class Otherwise>
auto selected(const Otherwise& otherwise) {
  return otherwise;
}
template <class Condition, class A, class... Rest>
auto selected(const Condition& condition, const A& a, const Rest&... rest) {
  return where(condition, a, selected(rest...));
}

template <std::int64_t Number, class Index, class A, class... Rest>
auto chosen(const Index& index, const A& a, const Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return a;
  } else {
    return where(index <= Number, a, chosen<Number + 1>(index, rest...));
  }
}

/// Returns the value of a piece of `piecewise` at `x`: the result of a function, or the value
/// itself.
template <class X, class Piece>
auto piece_of(const X& x, const Piece& piece) {
  if constexpr (has_array<Piece>) {
    return piece;
  } else if constexpr (std::is_invocable_v<const Piece&, const X&>) {
    return piece(x);
  } else {
    return piece;
  }
}
template <class X, class Otherwise>
auto pieced(const X& x, const Otherwise& otherwise) {
  return piece_of(x, otherwise);
}
template <class X, class Condition, class Piece, class... Rest>
auto pieced(const X& x, const Condition& condition, const Piece& piece, const Rest&... rest) {
  return where(condition, piece_of(x, piece), pieced(x, rest...));
}

}  // namespace detail

/// Returns, at each element, the array behind the first condition that is true, else the last
/// array: `select(x < 0, a, x < 10, b, otherwise)`.
///
/// Dtype:  the promotion of the arrays.
/// Source: numpy.select, with pairs in the place of its two lists.
template <class... Args>
requires has_array<Args...>
[[nodiscard]] auto select(const Args&... args) {
  constexpr bool are_pairs = are_pairs_and_one<sizeof...(Args)>;
  static_assert(are_pairs,
                "tessera::select(condition, a, ..., otherwise): requires an array after each "
                "condition, and one for where none is true");
  if constexpr (are_pairs) {
    return detail::selected(args...);
  } else {
    return detail::first_array(args...);
  }
}

/// Returns, at each element, the array of the number that `index` has there, counted from 0; the
/// first array for negative numbers, the last one for numbers beyond.
///
/// Dtype:  the promotion of the arrays.
/// Source: numpy.choose with mode "clip".
template <lazy_array Index, class A, class B, class... More>
[[nodiscard]] auto choose(const Index& index, const A& a, const B& b, const More&... rest) {
  constexpr bool is_number = integer_element<typename Index::value_type>;
  static_assert(is_number, "tessera::choose(index, arrays...): requires an index of integers");
  if constexpr (is_number) {
    return detail::chosen<0>(index, a, b, rest...);
  } else {
    return index;
  }
}

/// Returns, at each element, the result for `x` of the function behind the first condition that is
/// true, else of the last function: `piecewise(x, x < 0, [](auto v) { return -v; }, 0.0)`.
///
/// Each function is called once, with `x`; arrays and numbers are values.
/// Source: numpy.piecewise, with pairs in the place of its two lists.
template <lazy_array X, class... Args>
[[nodiscard]] auto piecewise(const X& x, const Args&... args) {
  constexpr bool are_pairs = are_pairs_and_one<sizeof...(Args)>;
  static_assert(are_pairs,
                "tessera::piecewise(x, condition, f, ..., otherwise): requires a function or value "
                "after each condition, and one for where none is true");
  if constexpr (!are_pairs) {
    return x;
  } else if constexpr (have_names<X, Args...>) {
    return detail::by_names([](const auto&... xs) { return piecewise(xs...); }, x, args...);
  } else {
    return detail::pieced(x, args...);
  }
}

}  // namespace tessera
