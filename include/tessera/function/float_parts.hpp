// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The parts of floating-point numbers.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/rounding.hpp"
#include "tessera/kernel/detail/arithmetic.hpp"
#include "tessera/meta/promotion.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera {

namespace op {

struct modf {
  static constexpr std::string_view name = "modf";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_floating;

  template <std::floating_point T>
  static T value(T x) {
    T whole{};
    return std::modf(x, &whole);
  }
};

}  // namespace op

/// Returns the fractional and the whole part of each element, both with its sign: a tuple.
///
/// Source: numpy.modf.
template <array_argument X>
[[nodiscard]] auto modf(const X& x) {
  static_assert(dtypes_accepted<op::modf, X>,
                "tessera::modf(x): requires elements that are real numbers, not bool or "
                "complex");
  return std::tuple{detail::apply_elementwise(op::modf{}, x), trunc(detail::as_floating(x))};
}

namespace op {

struct frexp {
  static constexpr std::string_view name = "frexp";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_floating;

  template <std::floating_point T>
  static T value(T x) {
    int exponent = 0;
    return std::frexp(x, &exponent);
  }
};

}  // namespace op

namespace op {

struct frexp_exponent {
  static constexpr std::string_view name = "frexp_exponent";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::custom;
  template <class T>
  static constexpr bool accepts = real_element<T>;
  template <class T>
  using result = std::int32_t;

  template <real_element T>
  static std::int32_t value(T x) {
    int exponent = 0;
    static_cast<void>(std::frexp(static_cast<double>(x), &exponent));
    return exponent;
  }
};

}  // namespace op

/// Returns mantissas in [0.5, 1) and exponents: a tuple. `ldexp` of both is `x`.
///
/// Dtype:  the exponents are int32.
/// Source: numpy.frexp.
template <array_argument X>
[[nodiscard]] auto frexp(const X& x) {
  static_assert(dtypes_accepted<op::frexp, X>,
                "tessera::frexp(x): requires elements that are real numbers, not bool or "
                "complex");
  return std::tuple{detail::apply_elementwise(op::frexp{}, x),
                    detail::apply_elementwise(op::frexp_exponent{}, x)};
}

namespace op {

struct ldexp {
  static constexpr std::string_view name = "ldexp";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::custom;
  template <class X, class I>
  static constexpr bool accepts = real_element<X>&& integer_element<I>;
  template <class X, class I>
  using result = floating_t<X>;

  /// Beyond 10,000 everything is zero or infinite.
  template <real_element X, detail::integer I>
  static floating_t<X> value(X x, I exponent) {
    constexpr std::int64_t most = 10'000;
    const auto clamped = std::cmp_greater(exponent, most) ? most
                         : std::cmp_less(exponent, -most) ? -most
                                                          : static_cast<std::int64_t>(exponent);
    using wide = std::conditional_t<std::same_as<X, float>, float, double>;
    return static_cast<floating_t<X>>(std::ldexp(static_cast<wide>(x), static_cast<int>(clamped)));
  }
};

}  // namespace op

/// Returns `x * 2^exponent`, `exponent` being integers.
///
/// Source: numpy.ldexp.
template <class X, class Exponent>
requires has_array<X, Exponent>
[[nodiscard]] auto ldexp(const X& x, const Exponent& exponent) {
  static_assert(are_operands<X, Exponent>,
                "tessera::ldexp(x, exponent): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::ldexp, X, Exponent>,
                "tessera::ldexp(x, exponent): requires real numbers, and exponents that "
                "are integers");
  return detail::apply_elementwise(op::ldexp{}, x, exponent);
}

namespace function {

/// The functions of this family.
using float_part_functions = boost::hana::tuple<op::modf, op::frexp, op::frexp_exponent, op::ldexp>;

}  // namespace function
}  // namespace tessera
