// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Keys of elements: integers in the same order, NaN last; equal elements have equal keys.

#include "tessera/core/dtype.hpp"

#include "kernel/lines/ordering.hpp"

#include <bit>
#include <climits>
#include <cstdint>
#include <type_traits>

namespace tessera::detail {

template <std::size_t Size>
struct unsigned_of_size;
template <>
struct unsigned_of_size<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of_size<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of_size<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of_size<8> {
  using type = std::uint64_t;
};
/// The type of keys of a `T`.
template <class T>
using key_t = typename unsigned_of_size<sizeof(T)>::type;

template <class T>
inline constexpr auto sign_bit = static_cast<key_t<T>>(key_t<T>{1} << (sizeof(T) * CHAR_BIT - 1));

/// The key of NaN, in either order.
template <class T>
inline constexpr auto nan_key = static_cast<key_t<T>>(~key_t<T>{});

/// Returns the bits by which keys of an order differ from keys of ascending order.
template <class T>
constexpr key_t<T> flipped_keys(bool is_descending) {
  return is_descending ? static_cast<key_t<T>>(~key_t<T>{}) : key_t<T>{0};
}

/// Returns the key of `x`, which is not NaN, by its bits: -0 is before 0 in ascending order.
template <class T>
key_t<T> strict_key_of(T x, key_t<T> flipped) {
  using key = key_t<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return static_cast<key>((x ? 1 : 0) ^ flipped);
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<key>(x ^ flipped);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<key>(static_cast<key>(x) ^ sign_bit<T> ^ flipped);
  } else {
    const auto bits = std::bit_cast<key>(x);
    const auto ordered =
        (bits & sign_bit<T>) != 0 ? static_cast<key>(~bits) : static_cast<key>(bits | sign_bit<T>);
    return static_cast<key>(ordered ^ flipped);
  }
}

/// Returns the key of `x` in the order of `flipped`.
template <class T>
key_t<T> key_of(T x, key_t<T> flipped) {
  if constexpr (may_be_nan<T>) {
    const auto value = static_cast<compared_t<T>>(x);
    if (value != value) return nan_key<T>;
    if (value == 0) return strict_key_of(std::bit_cast<T>(key_t<T>{0}), flipped);
  }
  return strict_key_of(x, flipped);
}

/// Returns the element with the key `key` in ascending order. Requires: not the key of NaN.
template <class T>
T element_of(key_t<T> key) {
  using type = key_t<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return key != 0;
  } else if constexpr (std::is_unsigned_v<T>) {
    return key;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<type>(key ^ sign_bit<T>));
  } else {
    return std::bit_cast<T>((key & sign_bit<T>) != 0 ? static_cast<type>(key ^ sign_bit<T>)
                                                     : static_cast<type>(~key));
  }
}

}  // namespace tessera::detail
