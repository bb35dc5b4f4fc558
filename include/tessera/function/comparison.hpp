// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Comparisons of elements: their results are bool.
///
/// Integers are compared by their values: int64 with uint64, which have no dtype in common that
/// holds both, and a number that none of the elements can be: `x == -1` is false of each uint8.
/// Beside floats a number is rounded to their dtype, and infinite beyond it.
/// Source: NumPy 2; of integers of different signs since 1.25.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/integer_order.hpp"
#include "tessera/kernel/detail/packets.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cstddef>
#include <string_view>

namespace tessera {

namespace op {

struct equal {
  static constexpr std::string_view name = "equal";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} == {1})";
  static constexpr dtype_rule rule = dtype_rule::comparison;
  static constexpr packing packs = packing::comparison;

  template <element A, element B>
  static bool value(A a, B b) {
    return detail::is_equal(a, b);
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    return detail::packets::pcmp_eq(a, b);
  }
};

}  // namespace op

/// Tells of each pair of elements whether `a == b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto equal(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::equal(a, b), a == b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  return detail::apply_elementwise(op::equal{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator==(const A& a, const B& b) { return equal(a, b); }
// clang-format on

namespace op {

struct not_equal {
  static constexpr std::string_view name = "not_equal";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} != {1})";
  static constexpr dtype_rule rule = dtype_rule::comparison;

  template <element A, element B>
  static bool value(A a, B b) {
    return !detail::is_equal(a, b);
  }
};

}  // namespace op

/// Tells of each pair of elements whether `a != b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto not_equal(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::not_equal(a, b), a != b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  return detail::apply_elementwise(op::not_equal{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator!=(const A& a, const B& b) { return not_equal(a, b); }
// clang-format on

namespace op {

struct less {
  static constexpr std::string_view name = "less";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} < {1})";
  static constexpr dtype_rule rule = dtype_rule::ordering;
  static constexpr packing packs = packing::comparison;

  template <element A, element B>
  static bool value(A a, B b) {
    return detail::is_less(a, b);
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    return detail::packets::pcmp_lt(a, b);
  }
};

}  // namespace op

/// Tells of each pair of elements whether `a < b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto less(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::less(a, b), a < b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::less, A, B>,
                "tessera::less(a, b), a < b: requires elements that have an order; complex "
                "numbers have none");
  return detail::apply_elementwise(op::less{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator<(const A& a, const B& b) { return less(a, b); }
// clang-format on

namespace op {

struct less_equal {
  static constexpr std::string_view name = "less_equal";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} <= {1})";
  static constexpr dtype_rule rule = dtype_rule::ordering;
  static constexpr packing packs = packing::comparison;

  template <element A, element B>
  static bool value(A a, B b) {
    return detail::is_less_equal(a, b);
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    return detail::packets::pcmp_le(a, b);
  }
};

}  // namespace op

/// Tells of each pair of elements whether `a <= b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto less_equal(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::less_equal(a, b), a <= b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::less_equal, A, B>,
                "tessera::less_equal(a, b), a <= b: requires elements that have an order; complex "
                "numbers have none");
  return detail::apply_elementwise(op::less_equal{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator<=(const A& a, const B& b) { return less_equal(a, b); }
// clang-format on

namespace op {

struct greater {
  static constexpr std::string_view name = "greater";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} > {1})";
  static constexpr dtype_rule rule = dtype_rule::ordering;
  static constexpr packing packs = packing::comparison;

  template <element A, element B>
  static bool value(A a, B b) {
    return detail::is_less(b, a);
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    return detail::packets::pcmp_lt(b, a);
  }
};

}  // namespace op

/// Tells of each pair of elements whether `a > b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto greater(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::greater(a, b), a > b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::greater, A, B>,
                "tessera::greater(a, b), a > b: requires elements that have an order; complex "
                "numbers have none");
  return detail::apply_elementwise(op::greater{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator>(const A& a, const B& b) { return greater(a, b); }
// clang-format on

namespace op {

struct greater_equal {
  static constexpr std::string_view name = "greater_equal";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} >= {1})";
  static constexpr dtype_rule rule = dtype_rule::ordering;
  static constexpr packing packs = packing::comparison;

  template <element A, element B>
  static bool value(A a, B b) {
    return detail::is_less_equal(b, a);
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    return detail::packets::pcmp_le(b, a);
  }
};

}  // namespace op

/// Tells of each pair of elements whether `a >= b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto greater_equal(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::greater_equal(a, b), a >= b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(
      dtypes_accepted<op::greater_equal, A, B>,
      "tessera::greater_equal(a, b), a >= b: requires elements that have an order; complex "
      "numbers have none");
  return detail::apply_elementwise(op::greater_equal{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator>=(const A& a, const B& b) { return greater_equal(a, b); }
// clang-format on

namespace function {

/// The functions of this family.
using comparison_functions = boost::hana::tuple<op::equal, op::not_equal, op::less, op::less_equal,
                                                op::greater, op::greater_equal>;

}  // namespace function
}  // namespace tessera
