// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sums, differences and products of elements.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/arithmetic.hpp"
#include "tessera/kernel/detail/packets.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace tessera {

namespace op {

struct add {
  static constexpr std::string_view name = "add";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} + {1})";
  static constexpr dtype_rule rule = dtype_rule::numeric;
  static constexpr packing packs = packing::exact;
  static constexpr bool packs_complex = true;

  template <element T>
  static T value(T a, T b) {
    return detail::plus(a, b);
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    return detail::packets::padd(a, b);
  }
};

}  // namespace op

/// Returns `a + b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto add(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::add(a, b), a + b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::add, A, B>,
                "tessera::add(a, b), a + b: requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::add{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator+(const A& a, const B& b) { return add(a, b); }
// clang-format on

namespace op {

struct subtract {
  static constexpr std::string_view name = "subtract";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} - {1})";
  static constexpr dtype_rule rule = dtype_rule::numeric;
  static constexpr packing packs = packing::exact;
  static constexpr bool packs_complex = true;

  template <element T>
  static T value(T a, T b) {
    return detail::minus(a, b);
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    return detail::packets::psub(a, b);
  }
};

}  // namespace op

/// Returns `a - b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto subtract(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::subtract(a, b), a - b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::subtract, A, B>,
                "tessera::subtract(a, b), a - b: requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::subtract{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator-(const A& a, const B& b) { return subtract(a, b); }
// clang-format on

namespace op {

struct multiply {
  static constexpr std::string_view name = "multiply";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} * {1})";
  static constexpr dtype_rule rule = dtype_rule::numeric;
  static constexpr packing packs = packing::exact;
  static constexpr bool packs_complex = true;

  template <element T>
  static T value(T a, T b) {
    return detail::times(a, b);
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    return detail::product(a, b);
  }
};

}  // namespace op

/// Returns `a * b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto multiply(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::multiply(a, b), a * b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::multiply, A, B>,
                "tessera::multiply(a, b), a * b: requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::multiply{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator*(const A& a, const B& b) { return multiply(a, b); }
// clang-format on

namespace op {

struct fma {
  static constexpr std::string_view name = "fma";
  static constexpr std::size_t arity = 3;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr packing packs = packing::exact;

  template <std::floating_point T>
  static T value(T a, T b, T c) {
    return std::fma(a, b, c);
  }
  template <class T>
  static constexpr bool has_packets = detail::has_fused_packets;
  template <class P>
  static P packet(const P& a, const P& b, const P& c) {
    return detail::packets::pmadd(a, b, c);
  }
};

}  // namespace op

/// Returns `a * b + c`, rounded once.
///
/// Source: C's fma, xtensor's.
template <class A, class B, class C>
requires has_array<A, B, C>
[[nodiscard]] auto fma(const A& a, const B& b, const C& c) {
  static_assert(are_operands<A, B, C>,
                "tessera::fma(a, b, c): requires each operand to be an array expression "
                "or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::fma, A, B, C>,
                "tessera::fma(a, b, c): requires elements that are real numbers, not "
                "bool or complex");
  return detail::apply_elementwise(op::fma{}, a, b, c);
}

namespace function {

/// The functions of this family.
using arithmetic_functions = boost::hana::tuple<op::add, op::subtract, op::multiply, op::fma>;

}  // namespace function
}  // namespace tessera
