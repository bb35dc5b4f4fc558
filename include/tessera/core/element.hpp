// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The C++ types of elements: no more than is needed to name `array<T, N>`.

#include <cstdint>

namespace tessera {

class float16;

/// An element type. The names are those of the Python Array API standard.
enum class dtype : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  complex64,
  complex128,
};

namespace detail {

template <class T>
struct dtype_constant;  // not defined for types that are no element types

// Those of complex numbers are in dtype.hpp: the standard library alone may declare std::complex.
// clang-format off
template <> struct dtype_constant<bool> { static constexpr dtype value = dtype::boolean; };
template <> struct dtype_constant<std::int8_t> { static constexpr dtype value = dtype::int8; };
template <> struct dtype_constant<std::int16_t> { static constexpr dtype value = dtype::int16; };
template <> struct dtype_constant<std::int32_t> { static constexpr dtype value = dtype::int32; };
template <> struct dtype_constant<std::int64_t> { static constexpr dtype value = dtype::int64; };
template <> struct dtype_constant<std::uint8_t> { static constexpr dtype value = dtype::uint8; };
template <> struct dtype_constant<std::uint16_t> { static constexpr dtype value = dtype::uint16; };
template <> struct dtype_constant<std::uint32_t> { static constexpr dtype value = dtype::uint32; };
template <> struct dtype_constant<std::uint64_t> { static constexpr dtype value = dtype::uint64; };
template <> struct dtype_constant<float16> { static constexpr dtype value = dtype::float16; };
template <> struct dtype_constant<float> { static constexpr dtype value = dtype::float32; };
template <> struct dtype_constant<double> { static constexpr dtype value = dtype::float64; };
// clang-format on

}  // namespace detail

/// A C++ type that an array can hold.
template <class T>
concept element = requires {
  detail::dtype_constant<T>::value;
};

}  // namespace tessera
