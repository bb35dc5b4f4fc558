// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Comparisons of integers of different types by their values, which no common type need hold.

#include "tessera/kernel/detail/branchless.hpp"
#include "tessera/meta/promotion.hpp"

#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

namespace tessera::detail {

/// Tells whether an integer is below, or above, all that are of type `T`.
template <class T, class Number>
constexpr bool is_below(Number number) {
  return std::cmp_less(number, std::numeric_limits<T>::min());
}
template <class T, class Number>
constexpr bool is_above(Number number) {
  return std::cmp_greater(number, std::numeric_limits<T>::max());
}

/// Returns the `T` that is nearest to an integer.
template <class T, class Number>
constexpr T nearest_integer(Number number) {
  const T low = is_below<T>(number) ? std::numeric_limits<T>::min() : static_cast<T>(number);
  return is_above<T>(number) ? std::numeric_limits<T>::max() : low;
}

/// Two integers of different types.
template <class A, class B>
concept differ_as_integers = integer_element<A> && integer_element<B> && !std::same_as<A, B>;

/// Tells whether `a < b`, compared in the shorter of their types. The wider operand is a number
/// beside all elements of an array: compilers convert it before the loop.
template <class A, class B>
constexpr bool is_less(A a, B b) {
  if constexpr (!differ_as_integers<A, B>) {
    return a < b;
  } else if constexpr (sizeof(A) <= sizeof(B)) {
    return either(a < nearest_integer<A>(b), is_above<A>(b));
  } else {
    return either(nearest_integer<B>(a) < b, is_below<B>(a));
  }
}

/// Tells whether `a == b`, as `is_less`.
template <class A, class B>
constexpr bool is_equal(A a, B b) {
  if constexpr (!differ_as_integers<A, B>) {
    return a == b;
  } else if constexpr (sizeof(A) <= sizeof(B)) {
    return and_without_branch(a == static_cast<A>(b), std::in_range<A>(b));
  } else {
    return is_equal(b, a);
  }
}

/// Tells whether `a <= b`, as `is_less`.
template <class A, class B>
constexpr bool is_less_equal(A a, B b) {
  if constexpr (differ_as_integers<A, B>) {
    return !is_less(b, a);
  } else {
    return a <= b;
  }
}

}  // namespace tessera::detail
