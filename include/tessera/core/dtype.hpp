// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Element types at run time, and the C++ types that they stand for.

#include "tessera/core/element.hpp"
#include "tessera/core/float16.hpp"

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace tessera {

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

namespace detail {

// clang-format off
template <> struct dtype_constant<complex64> { static constexpr dtype value = dtype::complex64; };
template <> struct dtype_constant<complex128> { static constexpr dtype value = dtype::complex128; };
// clang-format on

}  // namespace detail

/// The dtype of a C++ element type.
template <element T>
inline constexpr dtype dtype_of = detail::dtype_constant<T>::value;

/// Returns the bytes of one element.
[[nodiscard]] constexpr std::size_t size_of(dtype type) {
  switch (type) {
    case dtype::boolean:
    case dtype::int8:
    case dtype::uint8:
      return 1;
    case dtype::int16:
    case dtype::uint16:
    case dtype::float16:
      return 2;
    case dtype::int32:
    case dtype::uint32:
    case dtype::float32:
      return 4;
    case dtype::int64:
    case dtype::uint64:
    case dtype::float64:
    case dtype::complex64:
      return 8;
    case dtype::complex128:
      return 16;
  }
  throw std::logic_error("size_of: not a dtype");
}

/// Tells whether elements are complex: a real and an imaginary part side by side.
[[nodiscard]] constexpr bool is_complex(dtype type) {
  return type == dtype::complex64 || type == dtype::complex128;
}

/// Tells whether elements have a fraction: they are floats or complex.
[[nodiscard]] constexpr bool has_fraction(dtype type) {
  return type == dtype::float16 || type == dtype::float32 || type == dtype::float64 ||
         is_complex(type);
}

/// Returns the name of the Array API standard: "bool", "int8", "float64".
[[nodiscard]] std::string_view name_of(dtype type);

/// Prints `name_of(type)`.
std::ostream& operator<<(std::ostream& out, dtype type);

/// A C++ type as a value, for `visit_dtype`.
template <class T>
struct type_tag {
  using type = T;
};

/// Returns the result of `f(type_tag<T>{})` with the C++ type `T` of `type`.
template <class F>
decltype(auto) visit_dtype(dtype type, F&& f) {
  switch (type) {
    // clang-format off
    case dtype::boolean: return f(type_tag<bool>{});
    case dtype::int8: return f(type_tag<std::int8_t>{});
    case dtype::int16: return f(type_tag<std::int16_t>{});
    case dtype::int32: return f(type_tag<std::int32_t>{});
    case dtype::int64: return f(type_tag<std::int64_t>{});
    case dtype::uint8: return f(type_tag<std::uint8_t>{});
    case dtype::uint16: return f(type_tag<std::uint16_t>{});
    case dtype::uint32: return f(type_tag<std::uint32_t>{});
    case dtype::uint64: return f(type_tag<std::uint64_t>{});
    case dtype::float16: return f(type_tag<float16>{});
    case dtype::float32: return f(type_tag<float>{});
    case dtype::float64: return f(type_tag<double>{});
    case dtype::complex64: return f(type_tag<complex64>{});
    case dtype::complex128: return f(type_tag<complex128>{});
      // clang-format on
  }
  throw std::logic_error("visit_dtype: not a dtype");
}

}  // namespace tessera
