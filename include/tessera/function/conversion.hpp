// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conversion of elements, also for promotion.

#include "tessera/core/dtype.hpp"
#include "tessera/core/to_integer.hpp"
#include "tessera/expr/elementwise_node.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/meta/promotion.hpp"

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace op {

template <class T>
struct astype {
  static constexpr std::string_view name = "astype";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::custom;
  template <class X>
  static constexpr bool accepts = !complex_element<X> || complex_element<T> || boolean_element<T>;
  template <class X>
  using result = T;

  static std::string label() {
    return std::string("astype<").append(name_of(dtype_of<T>)).append(">({0})");
  }

  template <element X>
  static T value(X x) {
    if constexpr (std::same_as<T, bool>) {
      return x != X{};
    } else if constexpr (complex_element<T> && !complex_element<X>) {
      return {astype<real_t<T>>::value(x)};
    } else if constexpr (std::same_as<X, float16>) {
      return value(static_cast<float>(x));
    } else if constexpr (std::integral<T> && std::floating_point<X>) {
      return to_integer<T>(x);
    } else {
      return static_cast<T>(x);
    }
  }
};

}  // namespace op

/// Returns `x` with elements of type `T`; `x` itself if it has them.
template <element T, lazy_array X>
[[nodiscard]] auto converted(const X& x) {
  if constexpr (std::same_as<T, typename X::value_type>) {
    return x;
  } else {
    return detail::apply_elementwise(op::astype<T>{}, x);
  }
}

namespace detail {

/// Returns `x` with integers as float64.
template <class X>
auto as_floating(const X& x) {
  if constexpr (lazy_array<X>) {
    return converted<floating_t<typename X::value_type>>(x);
  } else {
    return x;
  }
}

/// Returns `x`, an array or a C++ number, in float64 or complex128.
template <class X>
auto widened(const X& x) {
  if constexpr (lazy_array<X>) {
    using value = typename X::value_type;
    return converted<std::conditional_t<complex_element<value>, complex128, double>>(x);
  } else if constexpr (std::is_arithmetic_v<X>) {
    return static_cast<double>(x);
  } else {
    return x;
  }
}

}  // namespace detail

/// Returns `x` with elements of type `T`, converted as NumPy does on x86-64: every value is
/// defined, and the same on every engine and machine.
///
/// Floats are rounded to the nearest `T`, or towards zero for an integer `T`; integers wrap. A
/// value unequal to zero, as NaN, is true. If a float is NaN or beyond the range of `T`:
///
/// - int64 and int32 are the least `T`.
/// - int8, int16, uint8 and uint16 are the low bits of the int32: 300.0 is 44 as uint8, 3e9 is 0.
/// - uint32 is the low bits of the int64: -1.0 is 2^32 - 1, NaN is 0.
/// - uint64 is the int64 that wraps: -1.0 is 2^64 - 1; 0 from 2^64 on, 2^63 for NaN.
///
/// Requires: a complex `T`, or bool, for complex elements.
/// Source:   NumPy 1.24, element by element; its vectorised conversions of uint32 differ for some
///           values.
template <element T, lazy_array X>
[[nodiscard]] auto astype(const X& x) {
  static_assert(
      dtypes_accepted<op::astype<T>, X>,
      "tessera::astype<T>(x): requires a complex T where elements are complex; real(x) and "
      "imag(x) are their parts");
  if constexpr (dtypes_accepted<op::astype<T>, X>) {
    return converted<T>(x);
  } else {
    return x;
  }
}

}  // namespace tessera
