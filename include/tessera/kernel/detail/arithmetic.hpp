// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arithmetic of each element type as NumPy has it: integers wrap, sums of bools are "or" and
/// products "and", float16 is computed in float and rounded once, and products of complex numbers
/// are without the branches by which C++'s own recover infinities.

#include "tessera/core/dtype.hpp"
#include "tessera/meta/promotion.hpp"

#include <concepts>
#include <type_traits>

namespace tessera::detail {

/// An integer type that is not bool.
template <class T>
concept integer = std::integral<T> && !std::same_as<T, bool>;

/// The unsigned type in which `T` is computed; not narrower than `unsigned`, because narrower types
/// promote to `int`, whose overflow is undefined.
template <integer T>
using wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <integer T>
constexpr wrapping<T> wrap(T x) {
  return static_cast<wrapping<T>>(x);
}

template <element T>
constexpr T plus(T a, T b) {
  if constexpr (boolean_element<T>) {
    return a | b;
  } else if constexpr (integer<T>) {
    return static_cast<T>(wrap(a) + wrap(b));
  } else if constexpr (complex_element<T>) {
    return {a.real() + b.real(), a.imag() + b.imag()};
  } else {
    return a + b;
  }
}

template <numeric_element T>
constexpr T minus(T a, T b) {
  if constexpr (integer<T>) {
    return static_cast<T>(wrap(a) - wrap(b));
  } else if constexpr (complex_element<T>) {
    return {a.real() - b.real(), a.imag() - b.imag()};
  } else {
    return a - b;
  }
}

/// Returns a * b + c, in one rounding if that is one instruction.
///
/// Of two products in a sum, compilers round one together with the sum: another one in the loop
/// over vectors than in the loop over the rest. Elements would depend on their places.
template <std::floating_point T>
constexpr T fused(T a, T b, T c) {
#ifdef __FP_FAST_FMAF
  if constexpr (std::same_as<T, float>) return __builtin_fmaf(a, b, c);
#endif
#ifdef __FP_FAST_FMA
  if constexpr (std::same_as<T, double>) return __builtin_fma(a, b, c);
#endif
  return a * b + c;
}

template <element T>
constexpr T times(T a, T b) {
  if constexpr (boolean_element<T>) {
    return a & b;
  } else if constexpr (integer<T>) {
    return static_cast<T>(wrap(a) * wrap(b));
  } else if constexpr (complex_element<T>) {
    return {fused(a.real(), b.real(), -(a.imag() * b.imag())),
            fused(a.real(), b.imag(), a.imag() * b.real())};
  } else {
    return a * b;
  }
}

}  // namespace tessera::detail
