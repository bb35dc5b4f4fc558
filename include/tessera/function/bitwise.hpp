// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of the bits of elements.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/arithmetic.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace op {

struct bitwise_invert {
  static constexpr std::string_view name = "bitwise_invert";
  static constexpr std::size_t arity = 1;
  static constexpr std::string_view label = "~{0}";
  static constexpr dtype_rule rule = dtype_rule::bits;

  template <boolean_element T>
  static T value(T x) {
    return !x;
  }
  template <detail::integer T>
  static T value(T x) {
    return static_cast<T>(~detail::wrap(x));
  }
};

}  // namespace op

/// Returns `~x`.
template <array_argument X>
[[nodiscard]] auto bitwise_invert(const X& x) {
  static_assert(dtypes_accepted<op::bitwise_invert, X>,
                "tessera::bitwise_invert(x): requires elements that are bool or integers");
  return detail::apply_elementwise(op::bitwise_invert{}, x);
}
template <array_argument X>
[[nodiscard]] auto operator~(const X& x) {
  return bitwise_invert(x);
}

namespace op {

struct bitwise_and {
  static constexpr std::string_view name = "bitwise_and";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} & {1})";
  static constexpr dtype_rule rule = dtype_rule::bits;

  template <std::integral T>
  static T value(T a, T b) {
    return static_cast<T>(a & b);
  }
};

}  // namespace op

/// Returns `a & b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto bitwise_and(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::bitwise_and(a, b), a & b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::bitwise_and, A, B>,
                "tessera::bitwise_and(a, b), a & b: requires elements that are bool or integers");
  return detail::apply_elementwise(op::bitwise_and{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator&(const A& a, const B& b) { return bitwise_and(a, b); }
// clang-format on

namespace op {

struct bitwise_or {
  static constexpr std::string_view name = "bitwise_or";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} | {1})";
  static constexpr dtype_rule rule = dtype_rule::bits;

  template <std::integral T>
  static T value(T a, T b) {
    return static_cast<T>(a | b);
  }
};

}  // namespace op

/// Returns `a | b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto bitwise_or(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::bitwise_or(a, b), a | b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::bitwise_or, A, B>,
                "tessera::bitwise_or(a, b), a | b: requires elements that are bool or integers");
  return detail::apply_elementwise(op::bitwise_or{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator|(const A& a, const B& b) { return bitwise_or(a, b); }
// clang-format on

namespace op {

struct bitwise_xor {
  static constexpr std::string_view name = "bitwise_xor";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} ^ {1})";
  static constexpr dtype_rule rule = dtype_rule::bits;

  template <std::integral T>
  static T value(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

}  // namespace op

/// Returns `a ^ b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto bitwise_xor(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::bitwise_xor(a, b), a ^ b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::bitwise_xor, A, B>,
                "tessera::bitwise_xor(a, b), a ^ b: requires elements that are bool or integers");
  return detail::apply_elementwise(op::bitwise_xor{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator^(const A& a, const B& b) { return bitwise_xor(a, b); }
// clang-format on

namespace op {

struct bitwise_left_shift {
  static constexpr std::string_view name = "bitwise_left_shift";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} << {1})";
  static constexpr dtype_rule rule = dtype_rule::shift;

  /// Shifts by the width or more, and by negative numbers, shift every bit out.
  template <detail::integer T, detail::integer S>
  static T value(T x, S count) {
    constexpr auto width = static_cast<detail::wrapping<S>>(sizeof(T) * 8);
    const auto num_bits = detail::wrap(count);
    const bool in_width = num_bits < width;
    return static_cast<T>(in_width ? detail::wrap(x) << (in_width ? num_bits : 0U) : 0U);
  }
};

}  // namespace op

/// Returns `a << b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto bitwise_left_shift(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::bitwise_left_shift(a, b), a << b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::bitwise_left_shift, A, B>,
                "tessera::bitwise_left_shift(a, b), a << b: requires elements that are integers");
  return detail::apply_elementwise(op::bitwise_left_shift{}, a, b);
}
// clang-format off
template <class A, class B> requires (has_array<A, B> && !is_stream<A>) [[nodiscard]] auto operator<<(const A& a, const B& b) { return bitwise_left_shift(a, b); }
// clang-format on

namespace op {

struct bitwise_right_shift {
  static constexpr std::string_view name = "bitwise_right_shift";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} >> {1})";
  static constexpr dtype_rule rule = dtype_rule::shift;

  /// As `bitwise_left_shift`; of negative numbers the sign stays.
  template <detail::integer T, detail::integer S>
  static T value(T x, S count) {
    constexpr auto width = static_cast<detail::wrapping<S>>(sizeof(T) * 8);
    const auto num_bits = detail::wrap(count);
    const T shifted = static_cast<T>(x >> (num_bits < width ? num_bits : width - 1));
    return std::is_signed_v<T> || num_bits < width ? shifted : T{};
  }
};

}  // namespace op

/// Returns `a >> b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto bitwise_right_shift(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::bitwise_right_shift(a, b), a >> b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::bitwise_right_shift, A, B>,
                "tessera::bitwise_right_shift(a, b), a >> b: requires elements that are integers");
  return detail::apply_elementwise(op::bitwise_right_shift{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator>>(const A& a, const B& b) { return bitwise_right_shift(a, b); }
// clang-format on

namespace function {

/// The functions of this family.
using bitwise_functions =
    boost::hana::tuple<op::bitwise_invert, op::bitwise_and, op::bitwise_or, op::bitwise_xor,
                       op::bitwise_left_shift, op::bitwise_right_shift>;

}  // namespace function
}  // namespace tessera
