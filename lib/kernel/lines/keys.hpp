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

/// Returns the key of `x`. `flipped` is all ones for descending order, 0 for ascending order.
template <class T>
key_t<T> key_of(T x, key_t<T> flipped) {
  using key = key_t<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return static_cast<key>((x ? 1 : 0) ^ flipped);
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<key>(x ^ flipped);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<key>(static_cast<key>(x) ^ sign_bit<T> ^ flipped);
  } else {
    const auto value = static_cast<compared_t<T>>(x);
    if (value != value) return nan_key<T>;
    const auto bits = value == 0 ? key{0} : std::bit_cast<key>(x);
    const auto ordered =
        (bits & sign_bit<T>) != 0 ? static_cast<key>(~bits) : static_cast<key>(bits | sign_bit<T>);
    return static_cast<key>(ordered ^ flipped);
  }
}

/// Returns an element with the key `key` in ascending order. Requires: not the key of NaN.
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
