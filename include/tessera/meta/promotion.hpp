// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which dtypes functions take and give: promotion as in NumPy 2, decided by the compiler.

#include "tessera/core/dtype.hpp"
#include "tessera/meta/op.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace tessera {

template <class T>
concept boolean_element = std::same_as<T, bool>;
template <class T>
concept floating_element = element<T> && std::floating_point<T>;
template <class T>
concept integer_element = element<T> && std::integral<T> && !boolean_element<T>;
/// An element type with arithmetic: each but bool.
template <class T>
concept numeric_element = floating_element<T> || integer_element<T>;

namespace detail {

// clang-format off
template <std::size_t Size> struct signed_integer;
template <> struct signed_integer<1> { using type = std::int8_t; };
template <> struct signed_integer<2> { using type = std::int16_t; };
template <> struct signed_integer<4> { using type = std::int32_t; };
template <> struct signed_integer<8> { using type = std::int64_t; };
// clang-format on

template <element A, element B>
consteval auto promote_two() {
  if constexpr (std::same_as<A, B> || boolean_element<B>) {
    return type_tag<A>{};
  } else if constexpr (boolean_element<A>) {
    return type_tag<B>{};
  } else if constexpr (floating_element<A> && floating_element<B>) {
    return type_tag<double>{};
  } else if constexpr (floating_element<A> || floating_element<B>) {
    // float32 holds every integer of 16 bits, but not those of 32.
    using integer = std::conditional_t<floating_element<A>, B, A>;
    using floating = std::conditional_t<floating_element<A>, A, B>;
    return type_tag<std::conditional_t<(sizeof(integer) <= 2), floating, double>>{};
  } else if constexpr (std::is_signed_v<A> == std::is_signed_v<B>) {
    return type_tag<std::conditional_t<(sizeof(A) > sizeof(B)), A, B>>{};
  } else {
    constexpr std::size_t of_signed = std::is_signed_v<A> ? sizeof(A) : sizeof(B);
    constexpr std::size_t of_unsigned = std::is_signed_v<A> ? sizeof(B) : sizeof(A);
    if constexpr (of_signed > of_unsigned) {
      return type_tag<typename signed_integer<of_signed>::type>{};
    } else if constexpr (of_unsigned < 8) {
      return type_tag<typename signed_integer<2 * of_unsigned>::type>{};
    } else {
      return type_tag<double>{};
    }
  }
}

template <class... Ts>
struct promoted;
template <class T>
struct promoted<T> {
  using type = T;
};
template <class A, class B, class... Ts>
struct promoted<A, B, Ts...> : promoted<typename decltype(promote_two<A, B>())::type, Ts...> {};

}  // namespace detail

/// The dtype that arrays of `Ts...` have in common.
///
/// Source: numpy.promote_types; int64 with float32 and uint64 with int64 become float64.
template <element... Ts>
using promote_t = typename detail::promoted<Ts...>::type;

/// The dtype of quotients and of functions of real numbers: `T`, or float64 for other than floats.
template <element T>
using floating_t = std::conditional_t<std::floating_point<T>, T, double>;

/// The dtype that a C++ scalar of type `Scalar` takes beside arrays of dtype `T`.
///
/// Source: NumPy enhancement proposal 50, with C++'s bool, integers and floating-point numbers in
/// the place of Python's.
template <class Scalar, element T>
using weak_t = std::conditional_t<
    std::floating_point<Scalar>, floating_t<T>,
    std::conditional_t<boolean_element<T> && !boolean_element<Scalar>, std::int64_t, T>>;

namespace op {

/// Which dtypes an elementwise function takes and gives.
enum class dtype_rule {
  numeric,     ///< numbers -> their promotion
  any,         ///< anything -> its promotion
  floating,    ///< numbers, integers as float64 -> the same
  comparison,  ///< anything -> bool
  predicate,   ///< numbers, integers as float64 -> bool
  boolean,     ///< bool -> bool
  bits,        ///< bool and integers -> their promotion
  shift,       ///< integers -> their promotion
  choice,      ///< a bool and two of anything -> the promotion of the two
  own,         ///< operands as they are -> what the tag says
};

/// The rule of each function that is not listed is that of functions of real numbers.
template <class Op>
inline constexpr dtype_rule rule_of = dtype_rule::floating;

// clang-format off
template <> inline constexpr dtype_rule rule_of<negative> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<positive> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<abs> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<square> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<sign> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<ceil> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<floor> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<round> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<trunc> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<add> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<subtract> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<multiply> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<floor_divide> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<remainder> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<pow> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<maximum> = dtype_rule::any;
template <> inline constexpr dtype_rule rule_of<minimum> = dtype_rule::any;
template <> inline constexpr dtype_rule rule_of<clip> = dtype_rule::any;
template <> inline constexpr dtype_rule rule_of<equal> = dtype_rule::comparison;
template <> inline constexpr dtype_rule rule_of<not_equal> = dtype_rule::comparison;
template <> inline constexpr dtype_rule rule_of<less> = dtype_rule::comparison;
template <> inline constexpr dtype_rule rule_of<less_equal> = dtype_rule::comparison;
template <> inline constexpr dtype_rule rule_of<greater> = dtype_rule::comparison;
template <> inline constexpr dtype_rule rule_of<greater_equal> = dtype_rule::comparison;
template <> inline constexpr dtype_rule rule_of<isnan> = dtype_rule::predicate;
template <> inline constexpr dtype_rule rule_of<isinf> = dtype_rule::predicate;
template <> inline constexpr dtype_rule rule_of<isfinite> = dtype_rule::predicate;
template <> inline constexpr dtype_rule rule_of<signbit> = dtype_rule::predicate;
template <> inline constexpr dtype_rule rule_of<logical_not> = dtype_rule::boolean;
template <> inline constexpr dtype_rule rule_of<logical_and> = dtype_rule::boolean;
template <> inline constexpr dtype_rule rule_of<logical_or> = dtype_rule::boolean;
template <> inline constexpr dtype_rule rule_of<logical_xor> = dtype_rule::boolean;
template <> inline constexpr dtype_rule rule_of<bitwise_invert> = dtype_rule::bits;
template <> inline constexpr dtype_rule rule_of<bitwise_and> = dtype_rule::bits;
template <> inline constexpr dtype_rule rule_of<bitwise_or> = dtype_rule::bits;
template <> inline constexpr dtype_rule rule_of<bitwise_xor> = dtype_rule::bits;
template <> inline constexpr dtype_rule rule_of<bitwise_left_shift> = dtype_rule::shift;
template <> inline constexpr dtype_rule rule_of<bitwise_right_shift> = dtype_rule::shift;
template <> inline constexpr dtype_rule rule_of<where> = dtype_rule::choice;
template <class T> inline constexpr dtype_rule rule_of<astype<T>> = dtype_rule::own;
template <class F, std::size_t N> inline constexpr dtype_rule rule_of<map<F, N>> = dtype_rule::own;
// clang-format on

namespace detail {

template <class Op, class... Ts>
struct own_rule;
template <class T, class U>
struct own_rule<astype<T>, U> {
  static constexpr bool accepts = true;
  using type = T;
};
template <class F, std::size_t N, class... Ts>
struct own_rule<map<F, N>, Ts...> {
  using type = std::remove_cvref_t<std::invoke_result_t<const F&, Ts...>>;
  static constexpr bool accepts = element<type>;
};

template <class A, class B, class C>
struct choice_rule {
  static constexpr bool accepts = boolean_element<A>;
  using type = promote_t<B, C>;
};

}  // namespace detail

/// Tells whether the function `Op` takes operands of dtypes `Ts...`, before they are promoted.
template <class Op, element... Ts>
consteval bool accepts() {
  constexpr dtype_rule rule = rule_of<Op>;
  if constexpr (rule == dtype_rule::numeric || rule == dtype_rule::floating ||
                rule == dtype_rule::predicate) {
    return numeric_element<promote_t<Ts...>>;
  } else if constexpr (rule == dtype_rule::boolean) {
    return (boolean_element<Ts> && ...);
  } else if constexpr (rule == dtype_rule::bits) {
    return ((boolean_element<Ts> || integer_element<Ts>)&&...) &&
           !floating_element<promote_t<Ts...>>;
  } else if constexpr (rule == dtype_rule::shift) {
    return (integer_element<Ts> && ...) && integer_element<promote_t<Ts...>>;
  } else if constexpr (rule == dtype_rule::choice) {
    return detail::choice_rule<Ts...>::accepts;
  } else if constexpr (rule == dtype_rule::own) {
    return detail::own_rule<Op, Ts...>::accepts;
  } else {
    return true;
  }
}

namespace detail {

template <class Op, class... Ts>
consteval auto result_tag() {
  constexpr dtype_rule rule = rule_of<Op>;
  if constexpr (rule == dtype_rule::comparison || rule == dtype_rule::predicate ||
                rule == dtype_rule::boolean) {
    return type_tag<bool>{};
  } else if constexpr (rule == dtype_rule::floating) {
    return type_tag<floating_t<promote_t<Ts...>>>{};
  } else if constexpr (rule == dtype_rule::choice) {
    return type_tag<typename choice_rule<Ts...>::type>{};
  } else if constexpr (rule == dtype_rule::own) {
    return type_tag<typename own_rule<Op, Ts...>::type>{};
  } else {
    return type_tag<promote_t<Ts...>>{};
  }
}

template <class Op, std::size_t I, class... Ts>
consteval auto operand_tag() {
  constexpr dtype_rule rule = rule_of<Op>;
  if constexpr (rule == dtype_rule::own || (rule == dtype_rule::choice && I == 0)) {
    return type_tag<std::tuple_element_t<I, std::tuple<Ts...>>>{};
  } else if constexpr (rule == dtype_rule::choice) {
    return type_tag<typename choice_rule<Ts...>::type>{};
  } else if constexpr (rule == dtype_rule::floating || rule == dtype_rule::predicate) {
    return type_tag<floating_t<promote_t<Ts...>>>{};
  } else {
    return type_tag<promote_t<Ts...>>{};
  }
}

}  // namespace detail

/// The dtype of the result of `Op` for operands of dtypes `Ts...`.
template <class Op, element... Ts>
using result_t = typename decltype(detail::result_tag<Op, Ts...>())::type;

/// The dtype that operand `I` is converted to before `Op` computes.
template <class Op, std::size_t I, element... Ts>
using operand_t = typename decltype(detail::operand_tag<Op, I, Ts...>())::type;

}  // namespace op
}  // namespace tessera
