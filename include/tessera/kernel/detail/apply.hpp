// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the elementwise functions compute, one element at a time: NumPy's results, no undefined
/// behaviour, and no branches where a loop over them shall vectorise.

#include "tessera/core/dtype.hpp"
#include "tessera/core/to_integer.hpp"
#include "tessera/kernel/detail/apply_complex.hpp"
#include "tessera/kernel/detail/apply_half.hpp"
#include "tessera/kernel/detail/apply_integer.hpp"
#include "tessera/kernel/detail/apply_math.hpp"
#include "tessera/meta/op.hpp"
#include "tessera/meta/promotion.hpp"

#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>

namespace tessera::detail {

// clang-format off
inline bool apply(const op::add&, bool a, bool b) { return a | b; }
inline bool apply(const op::multiply&, bool a, bool b) { return a & b; }
inline bool apply(const op::square&, bool x) { return x; }
inline bool apply(const op::abs&, bool x) { return x; }
inline bool apply(const op::bitwise_invert&, bool x) { return !x; }
inline bool apply(const op::bitwise_and&, bool a, bool b) { return a & b; }
inline bool apply(const op::bitwise_or&, bool a, bool b) { return a | b; }
inline bool apply(const op::bitwise_xor&, bool a, bool b) { return a ^ b; }

template <element T> T apply(const op::positive&, T x) { return x; }
template <element T> bool apply(const op::equal&, T a, T b) { return a == b; }
template <element T> bool apply(const op::not_equal&, T a, T b) { return a != b; }
template <element T> bool apply(const op::less&, T a, T b) { return a < b; }
template <element T> bool apply(const op::less_equal&, T a, T b) { return a <= b; }
template <element T> bool apply(const op::greater&, T a, T b) { return a > b; }
template <element T> bool apply(const op::greater_equal&, T a, T b) { return a >= b; }

// `&` and `|` where `&&` and `||` would branch.
template <element T> bool apply(const op::logical_not&, T x) { return x == T{}; }
template <element T> bool apply(const op::logical_and&, T a, T b) { return (a != T{}) & (b != T{}); }
template <element T> bool apply(const op::logical_or&, T a, T b) { return (a != T{}) | (b != T{}); }
template <element T> bool apply(const op::logical_xor&, T a, T b) { return (a != T{}) ^ (b != T{}); }

template <element T> T apply(const op::where&, bool c, T a, T b) { return c ? a : b; }
// clang-format on

/// NaN if any operand is: `b` is taken if it is NaN, and no comparison takes it over a NaN `a`.
template <element T>
T apply(const op::maximum&, T a, T b) {
  const bool takes_b = either(b > a, b != b);
  return takes_b ? b : a;
}

template <element T>
T apply(const op::minimum&, T a, T b) {
  const bool takes_b = either(b < a, b != b);
  return takes_b ? b : a;
}

template <element T>
T apply(const op::clip&, T x, T low, T high) {
  return apply(op::minimum{}, apply(op::maximum{}, x, low), high);
}

template <element T>
requires(!std::same_as<T, bool>) T apply(const op::sign&, T x) {
  const T of_number = static_cast<T>((x > T{}) - (x < T{}));
  return x == x ? of_number : x;
}

template <element T>
bool apply(const op::isnan&, T x) {
  return x != x;
}

template <element T>
bool apply(const op::isinf&, T x) {
  if constexpr (complex_element<T>) {
    return either(apply(op::isinf{}, x.real()), apply(op::isinf{}, x.imag()));
  } else if constexpr (floating_element<T>) {
    using wide = std::conditional_t<std::same_as<T, float16>, float, T>;
    return std::fabs(static_cast<wide>(x)) == std::numeric_limits<wide>::infinity();
  } else {
    return false;
  }
}

template <element T>
bool apply(const op::isfinite&, T x) {
  if constexpr (complex_element<T>) {
    return both(apply(op::isfinite{}, x.real()), apply(op::isfinite{}, x.imag()));
  } else if constexpr (floating_element<T>) {
    using wide = std::conditional_t<std::same_as<T, float16>, float, T>;
    return std::fabs(static_cast<wide>(x)) < std::numeric_limits<wide>::infinity();
  } else {
    return true;
  }
}

template <element To, element From>
To apply(const op::astype<To>&, From x) {
  if constexpr (std::same_as<To, bool>) {
    return x != From{};
  } else if constexpr (complex_element<To> && !complex_element<From>) {
    return {apply(op::astype<real_t<To>>{}, x)};
  } else if constexpr (std::same_as<From, float16>) {
    return apply(op::astype<To>{}, static_cast<float>(x));
  } else if constexpr (std::integral<To> && std::floating_point<From>) {
    return to_integer<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class F, std::size_t Arity, element... T>
requires(sizeof...(T) == Arity) auto apply(const op::map<F, Arity>& op, T... x) {
  return std::invoke(op.function, x...);
}

}  // namespace tessera::detail
