// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elements in order: NaN stands behind all else.

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
/// What is stored in half precision is compared in single precision.
template <>
struct compared<float16> {
  using type = float;
};
template <class T>
using compared_t = typename compared<T>::type;

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

/// Moves NaN behind all else, which stays in its order, and returns where the first is.
template <class T>
T* move_nan_behind(T* first, T* last) {
  if constexpr (may_be_nan<T>) {
    T* const nan = std::find_if(first, last, is_nan<T>);
    if (nan == last) return last;
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
