// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One of several elements.

#include "tessera/expr/slice.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/kernel/detail/branchless.hpp"
#include "tessera/kernel/detail/integer_order.hpp"
#include "tessera/kernel/detail/packets.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace tessera {

namespace op {

struct maximum {
  static constexpr std::string_view name = "maximum";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::ordered;
  static constexpr packing packs = packing::exact;

  /// `b` is taken if it is NaN, and no comparison takes it over a NaN `a`.
  template <element T>
  static T value(T a, T b) {
    const bool takes_b = detail::either(b > a, b != b);
    return takes_b ? b : a;
  }

  template <class P>
  static P packet(const P& a, const P& b) {
    const P b_is_number = detail::packets::pcmp_eq(b, b);
    const P of_numbers = detail::packets::pselect(detail::packets::pcmp_lt(a, b), b, a);
    return detail::packets::pselect(b_is_number, of_numbers, b);
  }
};

}  // namespace op

/// Returns the greater of two elements; NaN if either is.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto maximum(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::maximum(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(
      dtypes_accepted<op::maximum, A, B>,
      "tessera::maximum(a, b): requires elements that have an order; complex numbers have "
      "none");
  return detail::apply_elementwise(op::maximum{}, a, b);
}

namespace op {

struct minimum {
  static constexpr std::string_view name = "minimum";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::ordered;
  static constexpr packing packs = packing::exact;

  /// `b` is taken if it is NaN, and no comparison takes it over a NaN `a`.
  template <element T>
  static T value(T a, T b) {
    const bool takes_b = detail::either(b < a, b != b);
    return takes_b ? b : a;
  }

  template <class P>
  static P packet(const P& a, const P& b) {
    const P b_is_number = detail::packets::pcmp_eq(b, b);
    const P of_numbers = detail::packets::pselect(detail::packets::pcmp_lt(b, a), b, a);
    return detail::packets::pselect(b_is_number, of_numbers, b);
  }
};

}  // namespace op

/// Returns the lesser of two elements; NaN if either is.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto minimum(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::minimum(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(
      dtypes_accepted<op::minimum, A, B>,
      "tessera::minimum(a, b): requires elements that have an order; complex numbers have "
      "none");
  return detail::apply_elementwise(op::minimum{}, a, b);
}

namespace op {

struct clip {
  static constexpr std::string_view name = "clip";
  static constexpr std::size_t arity = 3;
  static constexpr dtype_rule rule = dtype_rule::ordered;
  static constexpr packing packs = packing::exact;

  template <element T>
  static T value(T x, T low, T high) {
    return minimum::value(maximum::value(x, low), high);
  }
  template <class P>
  static P packet(const P& x, const P& low, const P& high) {
    return minimum::packet(maximum::packet(x, low), high);
  }
};

}  // namespace op

namespace detail {

/// Returns a bound of elements of `T` as a `T`. A bound beyond the range of `T` becomes the least
/// or greatest integer, or an infinite float.
template <element T, bool IsLow, class Bound>
Bound clip_bound(const Bound& bound) {
  if constexpr (integer_element<T> && integer_number<Bound>) {
    const auto number = static_cast<integer_number_t<Bound>>(bound);
    const bool is_beyond = IsLow ? is_below<T>(number) : is_above<T>(number);
    return is_beyond ? static_cast<Bound>(nearest_integer<T>(number)) : bound;
  } else if constexpr (floating_element<T> && std::floating_point<Bound>) {
    return static_cast<Bound>(rounded<T>(bound).value);
  } else {
    return bound;
  }
}

}  // namespace detail

/// Returns `minimum(maximum(x, low), high)`; `none` is no bound, as is a number
/// below, or above, all that the dtype holds.
///
/// Throws: value_error <- no integer of the dtype is within the bounds.
/// Source: numpy.clip of NumPy 2.
template <lazy_array X, class Low, class High>
[[nodiscard]] auto clip(const X& x, const Low& low, const High& high) {
  static_assert(are_operands<X, Low, High>,
                "tessera::clip(x, low, high): requires each bound to be "
                "an array expression or a C++ number");
  static_assert(
      dtypes_accepted<op::clip, X, Low, High>,
      "tessera::clip(x, low, high): requires elements that have an order; complex numbers "
      "have none");
  using common =
      typename detail::deciding_dtype<op::clip, detail::unnamed_t<X>, detail::unnamed_t<Low>,
                                      detail::unnamed_t<High>>::type;
  return detail::apply_elementwise(op::clip{}, x, detail::clip_bound<common, true>(low),
                                   detail::clip_bound<common, false>(high));
}
template <lazy_array X, class High>
[[nodiscard]] auto clip(const X& x, none_t /*low*/, const High& high) {
  return minimum(x, detail::clip_bound<typename X::value_type, false>(high));
}
template <lazy_array X, class Low>
[[nodiscard]] auto clip(const X& x, const Low& low, none_t /*high*/) {
  return maximum(x, detail::clip_bound<typename X::value_type, true>(low));
}
template <lazy_array X>
[[nodiscard]] auto clip(const X& x, none_t /*low*/, none_t /*high*/) {
  return x;
}

namespace op {

struct where {
  static constexpr std::string_view name = "where";
  static constexpr std::size_t arity = 3;
  static constexpr dtype_rule rule = dtype_rule::choice;
  static constexpr packing packs = packing::choice;

  template <element T>
  static T value(bool condition, T a, T b) {
    return condition ? a : b;
  }
  template <class P>
  static P packet(const P& mask, const P& a, const P& b) {
    return detail::packets::pselect(mask, a, b);
  }
};

}  // namespace op

/// Returns the elements of `a` where `condition` is true and the elements of `b` elsewhere.
///
/// Dtype: the promotion of `a` and `b`.
template <class Condition, class A, class B>
requires has_array<Condition, A, B>
[[nodiscard]] auto where(const Condition& condition, const A& a, const B& b) {
  static_assert(are_operands<Condition, A, B>,
                "tessera::where(condition, a, b): requires each "
                "operand to be an array expression or a C++ number");
  static_assert(dtypes_accepted<op::where, Condition, A, B>,
                "tessera::where(condition, a, b): requires a condition of dtype bool");
  return detail::apply_elementwise(op::where{}, condition, a, b);
}

namespace op {

struct fmax {
  static constexpr std::string_view name = "fmax";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::ordered;
  static constexpr packing packs = packing::exact;

  /// `b` is taken if `a` is NaN. No comparison takes a `b` that is NaN over an `a`.
  template <element T>
  static T value(T a, T b) {
    const bool takes_b = detail::either(b > a, a != a);
    return takes_b ? b : a;
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    const P a_is_number = detail::packets::pcmp_eq(a, a);
    const P of_numbers = detail::packets::pselect(detail::packets::pcmp_lt(a, b), b, a);
    return detail::packets::pselect(a_is_number, of_numbers, b);
  }
};

}  // namespace op

/// Returns the greater of two elements; the other if one is NaN.
///
/// Source: numpy.fmax.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto fmax(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::fmax(a, b): requires each operand to be an array expression or "
                "a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::fmax, A, B>,
                "tessera::fmax(a, b): requires elements that have an order; complex "
                "numbers have none");
  return detail::apply_elementwise(op::fmax{}, a, b);
}

namespace op {

struct fmin {
  static constexpr std::string_view name = "fmin";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::ordered;
  static constexpr packing packs = packing::exact;

  /// `b` is taken if `a` is NaN. No comparison takes a `b` that is NaN over an `a`.
  template <element T>
  static T value(T a, T b) {
    const bool takes_b = detail::either(b < a, a != a);
    return takes_b ? b : a;
  }
  template <class P>
  static P packet(const P& a, const P& b) {
    const P a_is_number = detail::packets::pcmp_eq(a, a);
    const P of_numbers = detail::packets::pselect(detail::packets::pcmp_lt(b, a), b, a);
    return detail::packets::pselect(a_is_number, of_numbers, b);
  }
};

}  // namespace op

/// Returns the lesser of two elements; the other if one is NaN.
///
/// Source: numpy.fmin.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto fmin(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::fmin(a, b): requires each operand to be an array expression or "
                "a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::fmin, A, B>,
                "tessera::fmin(a, b): requires elements that have an order; complex "
                "numbers have none");
  return detail::apply_elementwise(op::fmin{}, a, b);
}

namespace function {

/// The functions of this family.
using selection_functions =
    boost::hana::tuple<op::maximum, op::minimum, op::clip, op::where, op::fmax, op::fmin>;

}  // namespace function
}  // namespace tessera
