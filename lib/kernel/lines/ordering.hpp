// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The order of elements, with NaN behind all numbers.

#include "tessera/core/dtype.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>

namespace tessera::detail {

/// The type in which elements of type `T` are compared.
template <class T>
struct compared {
  using type = T;
};
/// Elements of half precision are compared in single precision.
template <>
struct compared<float16> {
  using type = float;
};
template <class T>
using compared_t = typename compared<T>::type;

/// The orders of elements that are not NaN; each is a type of its own, for which searches and sorts
/// are compiled.
template <class T>
inline constexpr auto is_before =
    [](T a, T b) { return static_cast<compared_t<T>>(a) < static_cast<compared_t<T>>(b); };
template <class T>
inline constexpr auto is_behind = [](T a, T b) { return is_before<T>(b, a); };

template <class T>
inline constexpr bool may_be_nan = !std::is_integral_v<T>;

template <class T>
bool is_nan(T x) {
  if constexpr (may_be_nan<T>) {
    return x != x;
  } else {
    return false;
  }
}

/// Looks at all elements, even behind the first NaN, so that compilers vectorise the loop.
template <class T>
bool has_nan(const T* first, const T* last) {
  bool any_nan = false;
  for (; first != last; ++first) any_nan |= is_nan(*first);
  return any_nan;
}

/// Moves NaN behind the numbers, which stay in their order, and returns the first NaN.
template <class T>
T* move_nan_behind(T* first, T* last) {
  if constexpr (may_be_nan<T>) {
    if (!has_nan(first, last)) return last;
    T* const nan = std::find_if(first, last, is_nan<T>);
    T* kept = nan;
    for (T* at = nan; at != last; ++at) {
      if (!is_nan(*at)) std::swap(*kept++, *at);
    }
    return kept;
  } else {
    return last;
  }
}

}  // namespace tessera::detail
