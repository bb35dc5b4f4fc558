// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Logical functions of bool elements.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/packets.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cstddef>
#include <string_view>

namespace tessera {

namespace op {

struct logical_not {
  static constexpr std::string_view name = "logical_not";
  static constexpr std::size_t arity = 1;
  static constexpr std::string_view label = "!{0}";
  static constexpr dtype_rule rule = dtype_rule::boolean;

  template <element T>
  static bool value(T x) {
    return x == T{};
  }
};

}  // namespace op

/// Returns `!x`.
template <array_argument X>
[[nodiscard]] auto logical_not(const X& x) {
  static_assert(dtypes_accepted<op::logical_not, X>,
                "tessera::logical_not(x): requires elements of dtype bool");
  return detail::apply_elementwise(op::logical_not{}, x);
}
template <array_argument X>
[[nodiscard]] auto operator!(const X& x) {
  return logical_not(x);
}

namespace op {

struct logical_and {
  static constexpr std::string_view name = "logical_and";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} && {1})";
  static constexpr dtype_rule rule = dtype_rule::boolean;
  static constexpr packing packs = packing::masks;

  // No branch.
  template <element T>
  static bool value(T a, T b) {
    return (a != T{}) & (b != T{});
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    return detail::packets::pand(a, b);
  }
};

}  // namespace op

/// Returns `a && b`, both computed.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto logical_and(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::logical_and(a, b), a && b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::logical_and, A, B>,
                "tessera::logical_and(a, b), a && b: requires elements of dtype bool");
  return detail::apply_elementwise(op::logical_and{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator&&(const A& a, const B& b) { return logical_and(a, b); }
// clang-format on

namespace op {

struct logical_or {
  static constexpr std::string_view name = "logical_or";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} || {1})";
  static constexpr dtype_rule rule = dtype_rule::boolean;
  static constexpr packing packs = packing::masks;

  // No branch.
  template <element T>
  static bool value(T a, T b) {
    return (a != T{}) | (b != T{});
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    return detail::packets::por(a, b);
  }
};

}  // namespace op

/// Returns `a || b`, both computed.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto logical_or(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::logical_or(a, b), a || b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::logical_or, A, B>,
                "tessera::logical_or(a, b), a || b: requires elements of dtype bool");
  return detail::apply_elementwise(op::logical_or{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator||(const A& a, const B& b) { return logical_or(a, b); }
// clang-format on

namespace op {

struct logical_xor {
  static constexpr std::string_view name = "logical_xor";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::boolean;

  template <element T>
  static bool value(T a, T b) {
    return (a != T{}) ^ (b != T{});
  }
};

}  // namespace op

/// Returns whether one of two elements is true and the other not.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto logical_xor(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::logical_xor(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::logical_xor, A, B>,
                "tessera::logical_xor(a, b): requires elements of dtype bool");
  return detail::apply_elementwise(op::logical_xor{}, a, b);
}

namespace function {

/// The functions of this family.
using logical_functions =
    boost::hana::tuple<op::logical_not, op::logical_and, op::logical_or, op::logical_xor>;

}  // namespace function
}  // namespace tessera
