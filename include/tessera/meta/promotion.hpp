// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The dtype that arrays have in common: promotion as in NumPy 2, decided by the compiler.

#include "tessera/core/dtype.hpp"

#include <algorithm>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tessera {

/// A truth value.
template <class T>
concept boolean_element = std::same_as<T, bool>;
/// A real floating-point number: float16, float32 or float64.
template <class T>
concept floating_element = element<T> &&(std::floating_point<T> || std::same_as<T, float16>);
template <class T>
concept complex_element = std::same_as<T, complex64> || std::same_as<T, complex128>;
template <class T>
concept integer_element = element<T> && std::integral<T> && !boolean_element<T>;
/// An element type with arithmetic and an order.
template <class T>
concept real_element = floating_element<T> || integer_element<T>;
/// An element type with arithmetic: each but bool.
template <class T>
concept numeric_element = real_element<T> || complex_element<T>;

namespace detail {

// clang-format off
template <std::size_t Size> struct signed_integer;
template <> struct signed_integer<1> { using type = std::int8_t; };
template <> struct signed_integer<2> { using type = std::int16_t; };
template <> struct signed_integer<4> { using type = std::int32_t; };
template <> struct signed_integer<8> { using type = std::int64_t; };
// clang-format on

/// The bytes of the real numbers that a float or complex number is made of.
template <class T>
inline constexpr std::size_t part_size = size_of(dtype_of<T>) / (complex_element<T> ? 2 : 1);

// clang-format off
template <std::size_t Size> struct floating_of_size;
template <> struct floating_of_size<2> { using type = float16; };
template <> struct floating_of_size<4> { using type = float; };
template <> struct floating_of_size<8> { using type = double; };
template <std::size_t Size> struct complex_of_size;
template <> struct complex_of_size<2> { using type = complex64; };
template <> struct complex_of_size<4> { using type = complex64; };
template <> struct complex_of_size<8> { using type = complex128; };
// clang-format on

/// The least bytes of a float that holds each integer of `size` bytes, or that stands for it.
consteval std::size_t float_size_for(std::size_t size) { return size <= 2 ? 2 * size : 8; }

template <integer_element A, integer_element B>
consteval auto promote_integers() {
  if constexpr (std::is_signed_v<A> == std::is_signed_v<B>) {
    return type_tag<std::conditional_t<(sizeof(A) > sizeof(B)), A, B>>{};
  } else {
    constexpr std::size_t of_signed = std::is_signed_v<A> ? sizeof(A) : sizeof(B);
    constexpr std::size_t of_unsigned = std::is_signed_v<A> ? sizeof(B) : sizeof(A);
    if constexpr (of_signed > of_unsigned) {
      return type_tag<typename signed_integer<of_signed>::type>{};
    } else if constexpr (of_unsigned < 8) {
      return type_tag<typename signed_integer<2 * of_unsigned>::type>{};
    } else {
      return type_tag<double>{};
    }
  }
}

/// The bytes of the floats that hold the real numbers of `T`.
template <class T>
consteval std::size_t floating_size() {
  if constexpr (integer_element<T>) {
    return float_size_for(size_of(dtype_of<T>));
  } else {
    return part_size<T>;
  }
}

template <element A, element B>
consteval auto promote_two() {
  if constexpr (std::same_as<A, B> || boolean_element<B>) {
    return type_tag<A>{};
  } else if constexpr (boolean_element<A>) {
    return type_tag<B>{};
  } else if constexpr (integer_element<A> && integer_element<B>) {
    return promote_integers<A, B>();
  } else {
    constexpr std::size_t size = std::max(floating_size<A>(), floating_size<B>());
    if constexpr (complex_element<A> || complex_element<B>) {
      return type_tag<typename complex_of_size<size>::type>{};
    } else {
      return type_tag<typename floating_of_size<size>::type>{};
    }
  }
}

template <class... Ts>
struct promoted;
template <class T>
struct promoted<T> {
  using type = T;
};
template <class A, class B, class... Ts>
struct promoted<A, B, Ts...> : promoted<typename decltype(promote_two<A, B>())::type, Ts...> {};

}  // namespace detail

/// The dtype that arrays of `Ts...` have in common.
///
/// Source: numpy.promote_types; int16 with float16 becomes float32, int64 with float32 and uint64
/// with int64 become float64.
template <element... Ts>
using promote_t = typename detail::promoted<Ts...>::type;

/// The dtype of quotients and of functions of real and complex numbers: `T`, or float64 for
/// integers and bool.
template <element T>
using floating_t = std::conditional_t<floating_element<T> || complex_element<T>, T, double>;

namespace detail {

template <class T>
struct real_part {
  using type = T;
};
template <class T>
struct real_part<std::complex<T>> {
  using type = T;
};

template <class Scalar>
inline constexpr bool is_complex_scalar = false;
template <class T>
inline constexpr bool is_complex_scalar<std::complex<T>> = true;

template <class Scalar, element T>
consteval auto weak_tag() {
  if constexpr (is_complex_scalar<Scalar>) {
    return type_tag<typename complex_of_size<part_size<floating_t<T>>>::type>{};
  } else if constexpr (std::floating_point<Scalar> || std::same_as<Scalar, float16>) {
    return type_tag<floating_t<T>>{};
  } else if constexpr (boolean_element<T> && !boolean_element<Scalar>) {
    return type_tag<std::int64_t>{};
  } else {
    return type_tag<T>{};
  }
}

}  // namespace detail

/// The dtype of the real part of a `T`: `T` itself unless that is complex.
template <element T>
using real_t = typename detail::real_part<T>::type;

/// The dtype that a C++ scalar of type `Scalar` takes beside arrays of dtype `T`.
///
/// Source: NumPy enhancement proposal 50, with C++'s bool, integers, floating-point and complex
/// numbers in the place of Python's.
template <class Scalar, element T>
using weak_t = typename decltype(detail::weak_tag<Scalar, T>())::type;

}  // namespace tessera
