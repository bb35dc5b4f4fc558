// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Trigonometric functions.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/packets.hpp"
#include "tessera/kernel/detail/value.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace tessera {

namespace op {

struct sin {
  static constexpr std::string_view name = "sin";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr packing packs = packing::close;

  template <detail::standard_number T>
  static T value(T x) {
    return std::sin(x);
  }

  template <class P>
  static P packet(const P& x) {
    return detail::packets::psin(x);
  }
  template <class T>
  static constexpr bool has_packets =
      std::same_as<T, float>&& detail::packets::packet_traits<float>::HasSin;
};

}  // namespace op

/// Returns the sine of each element.
template <array_argument X>
[[nodiscard]] auto sin(const X& x) {
  static_assert(dtypes_accepted<op::sin, X>,
                "tessera::sin(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::sin{}, x);
}

namespace op {

struct cos {
  static constexpr std::string_view name = "cos";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr packing packs = packing::close;

  template <detail::standard_number T>
  static T value(T x) {
    return std::cos(x);
  }

  template <class P>
  static P packet(const P& x) {
    return detail::packets::pcos(x);
  }
  template <class T>
  static constexpr bool has_packets =
      std::same_as<T, float>&& detail::packets::packet_traits<float>::HasCos;
};

}  // namespace op

/// Returns the cosine of each element.
template <array_argument X>
[[nodiscard]] auto cos(const X& x) {
  static_assert(dtypes_accepted<op::cos, X>,
                "tessera::cos(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::cos{}, x);
}

namespace op {

struct tan {
  static constexpr std::string_view name = "tan";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <detail::standard_number T>
  static T value(T x) {
    return std::tan(x);
  }
};

}  // namespace op

/// Returns the tangent of each element.
template <array_argument X>
[[nodiscard]] auto tan(const X& x) {
  static_assert(dtypes_accepted<op::tan, X>,
                "tessera::tan(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::tan{}, x);
}

namespace op {

struct asin {
  static constexpr std::string_view name = "asin";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <detail::standard_number T>
  static T value(T x) {
    return std::asin(x);
  }
};

}  // namespace op

/// Returns the inverse sine of each element.
template <array_argument X>
[[nodiscard]] auto asin(const X& x) {
  static_assert(dtypes_accepted<op::asin, X>,
                "tessera::asin(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::asin{}, x);
}

namespace op {

struct acos {
  static constexpr std::string_view name = "acos";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <detail::standard_number T>
  static T value(T x) {
    return std::acos(x);
  }
};

}  // namespace op

/// Returns the inverse cosine of each element.
template <array_argument X>
[[nodiscard]] auto acos(const X& x) {
  static_assert(dtypes_accepted<op::acos, X>,
                "tessera::acos(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::acos{}, x);
}

namespace op {

struct atan {
  static constexpr std::string_view name = "atan";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <detail::standard_number T>
  static T value(T x) {
    return std::atan(x);
  }
};

}  // namespace op

/// Returns the inverse tangent of each element.
template <array_argument X>
[[nodiscard]] auto atan(const X& x) {
  static_assert(dtypes_accepted<op::atan, X>,
                "tessera::atan(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::atan{}, x);
}

namespace op {

struct atan2 {
  static constexpr std::string_view name = "atan2";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr int weight = 12;

  template <std::floating_point T>
  static T value(T a, T b) {
    return std::atan2(a, b);
  }
};

}  // namespace op

/// Returns the angle of the point `(b, a)`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto atan2(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::atan2(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::atan2, A, B>,
                "tessera::atan2(a, b): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::atan2{}, a, b);
}

namespace op {

struct hypot {
  static constexpr std::string_view name = "hypot";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr int weight = 4;

  template <std::floating_point T>
  static T value(T a, T b) {
    return std::hypot(a, b);
  }
};

}  // namespace op

/// Returns `sqrt(a * a + b * b)`, without overflow between.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto hypot(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::hypot(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::hypot, A, B>,
                "tessera::hypot(a, b): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::hypot{}, a, b);
}

namespace function {

/// The functions of this family.
using trigonometric_functions = boost::hana::tuple<op::sin, op::cos, op::tan, op::asin, op::acos,
                                                   op::atan, op::atan2, op::hypot>;

}  // namespace function
}  // namespace tessera
