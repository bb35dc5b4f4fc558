// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which dtypes the elementwise functions take and give.

#include "tessera/core/dtype.hpp"
#include "tessera/meta/op.hpp"
#include "tessera/meta/promotion.hpp"

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace tessera {
namespace op {

/// Which dtypes an elementwise function takes and gives.
enum class dtype_rule {
  numeric,         ///< numbers -> their promotion
  real,            ///< real numbers -> their promotion
  part,            ///< numbers -> the dtype of the parts of their promotion
  ordered,         ///< anything but complex numbers -> its promotion
  floating,        ///< numbers, integers as float64 -> the same
  real_floating,   ///< real numbers, integers as float64 -> the same
  comparison,      ///< anything -> bool
  ordering,        ///< anything but complex numbers -> bool
  predicate,       ///< numbers, integers as float64 -> bool
  real_predicate,  ///< real numbers, integers as float64 -> bool
  boolean,         ///< bool -> bool
  bits,            ///< bool and integers -> their promotion
  shift,           ///< integers -> their promotion
  choice,          ///< a bool and two of anything -> the promotion of the two
  own,             ///< operands as they are -> what the tag says
};

/// The rule of each function that is not listed is that of functions of real and complex numbers.
template <class Op>
inline constexpr dtype_rule rule_of = dtype_rule::floating;

// clang-format off
template <> inline constexpr dtype_rule rule_of<negative> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<positive> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<real> = dtype_rule::part;
template <> inline constexpr dtype_rule rule_of<imag> = dtype_rule::part;
template <> inline constexpr dtype_rule rule_of<conj> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<expm1> = dtype_rule::real_floating;
template <> inline constexpr dtype_rule rule_of<log1p> = dtype_rule::real_floating;
template <> inline constexpr dtype_rule rule_of<log2> = dtype_rule::real_floating;
template <> inline constexpr dtype_rule rule_of<atan2> = dtype_rule::real_floating;
template <> inline constexpr dtype_rule rule_of<hypot> = dtype_rule::real_floating;
template <> inline constexpr dtype_rule rule_of<logaddexp> = dtype_rule::real_floating;
template <> inline constexpr dtype_rule rule_of<copysign> = dtype_rule::real_floating;
template <> inline constexpr dtype_rule rule_of<nextafter> = dtype_rule::real_floating;
template <> inline constexpr dtype_rule rule_of<abs> = dtype_rule::part;
template <> inline constexpr dtype_rule rule_of<square> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<sign> = dtype_rule::real;
template <> inline constexpr dtype_rule rule_of<ceil> = dtype_rule::real;
template <> inline constexpr dtype_rule rule_of<floor> = dtype_rule::real;
template <> inline constexpr dtype_rule rule_of<round> = dtype_rule::real;
template <> inline constexpr dtype_rule rule_of<trunc> = dtype_rule::real;
template <> inline constexpr dtype_rule rule_of<add> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<subtract> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<multiply> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<floor_divide> = dtype_rule::real;
template <> inline constexpr dtype_rule rule_of<remainder> = dtype_rule::real;
template <> inline constexpr dtype_rule rule_of<pow> = dtype_rule::numeric;
template <> inline constexpr dtype_rule rule_of<maximum> = dtype_rule::ordered;
template <> inline constexpr dtype_rule rule_of<minimum> = dtype_rule::ordered;
template <> inline constexpr dtype_rule rule_of<clip> = dtype_rule::ordered;
template <> inline constexpr dtype_rule rule_of<equal> = dtype_rule::comparison;
template <> inline constexpr dtype_rule rule_of<not_equal> = dtype_rule::comparison;
template <> inline constexpr dtype_rule rule_of<less> = dtype_rule::ordering;
template <> inline constexpr dtype_rule rule_of<less_equal> = dtype_rule::ordering;
template <> inline constexpr dtype_rule rule_of<greater> = dtype_rule::ordering;
template <> inline constexpr dtype_rule rule_of<greater_equal> = dtype_rule::ordering;
template <> inline constexpr dtype_rule rule_of<isnan> = dtype_rule::predicate;
template <> inline constexpr dtype_rule rule_of<isinf> = dtype_rule::predicate;
template <> inline constexpr dtype_rule rule_of<isfinite> = dtype_rule::predicate;
template <> inline constexpr dtype_rule rule_of<signbit> = dtype_rule::real_predicate;
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
  static constexpr bool accepts = !complex_element<U> || complex_element<T> || boolean_element<T>;
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
  if constexpr (rule == dtype_rule::numeric || rule == dtype_rule::part ||
                rule == dtype_rule::floating || rule == dtype_rule::predicate) {
    return numeric_element<promote_t<Ts...>>;
  } else if constexpr (rule == dtype_rule::real || rule == dtype_rule::real_floating ||
                       rule == dtype_rule::real_predicate) {
    return real_element<promote_t<Ts...>>;
  } else if constexpr (rule == dtype_rule::ordered || rule == dtype_rule::ordering) {
    return !complex_element<promote_t<Ts...>>;
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
  if constexpr (rule == dtype_rule::comparison || rule == dtype_rule::ordering ||
                rule == dtype_rule::predicate || rule == dtype_rule::real_predicate ||
                rule == dtype_rule::boolean) {
    return type_tag<bool>{};
  } else if constexpr (rule == dtype_rule::floating || rule == dtype_rule::real_floating) {
    return type_tag<floating_t<promote_t<Ts...>>>{};
  } else if constexpr (rule == dtype_rule::part) {
    return type_tag<real_t<promote_t<Ts...>>>{};
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
  } else if constexpr (rule == dtype_rule::floating || rule == dtype_rule::real_floating ||
                       rule == dtype_rule::predicate || rule == dtype_rule::real_predicate) {
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
