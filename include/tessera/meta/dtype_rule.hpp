// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The dtypes of operands and results of elementwise functions: the `rule` of a tag.

#include "tessera/core/dtype.hpp"
#include "tessera/meta/promotion.hpp"

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace tessera {

namespace op {

/// The dtypes of operands and results of an elementwise function.
enum class dtype_rule {
  numeric,         ///< numbers -> their promotion
  real,            ///< real numbers -> their promotion
  part,            ///< numbers -> the dtype of the parts of their promotion
  ordered,         ///< anything but complex numbers -> its promotion
  floating,        ///< numbers, integers as float64 -> the same
  real_floating,   ///< real numbers, integers as float64 -> the same
  comparison,      ///< anything, int64 beside uint64 as it is -> bool
  ordering,        ///< anything but complex numbers, likewise -> bool
  predicate,       ///< numbers, integers as float64 -> bool
  real_predicate,  ///< real numbers, integers as float64 -> bool
  boolean,         ///< bool -> bool
  bits,            ///< bool and integers -> their promotion
  shift,           ///< integers -> their promotion
  choice,          ///< a bool and two of anything -> the promotion of the two
  custom,          ///< operands as they are; `accepts<Ts...>` and `result<Ts...>` of the tag
};

}  // namespace op

namespace detail {

/// Tells whether functions of a rule compare their operands.
constexpr bool is_comparison(op::dtype_rule rule) {
  return rule == op::dtype_rule::comparison || rule == op::dtype_rule::ordering;
}

template <class A, class B, class C>
struct choice_rule {
  static constexpr bool accepts = boolean_element<A>;
  using type = promote_t<B, C>;
};

template <class Op, class... Ts>
consteval auto result_tag() {
  constexpr op::dtype_rule rule = Op::rule;
  if constexpr (is_comparison(rule) || rule == op::dtype_rule::predicate ||
                rule == op::dtype_rule::real_predicate || rule == op::dtype_rule::boolean) {
    return type_tag<bool>{};
  } else if constexpr (rule == op::dtype_rule::floating || rule == op::dtype_rule::real_floating) {
    return type_tag<floating_t<promote_t<Ts...>>>{};
  } else if constexpr (rule == op::dtype_rule::part) {
    return type_tag<real_t<promote_t<Ts...>>>{};
  } else if constexpr (rule == op::dtype_rule::choice) {
    return type_tag<typename choice_rule<Ts...>::type>{};
  } else if constexpr (rule == op::dtype_rule::custom) {
    return type_tag<typename Op::template result<Ts...>>{};
  } else {
    return type_tag<promote_t<Ts...>>{};
  }
}

/// Tells whether `Ts` are int64 and uint64, which promotion rounds.
template <class... Ts>
inline constexpr bool are_rounded_integers = (integer_element<Ts> && ...) &&
                                             !integer_element<promote_t<Ts...>>;

template <class Op, std::size_t I, class... Ts>
consteval auto operand_tag() {
  constexpr op::dtype_rule rule = Op::rule;
  if constexpr (rule == op::dtype_rule::custom || (rule == op::dtype_rule::choice && I == 0) ||
                (is_comparison(rule) && are_rounded_integers<Ts...>)) {
    return type_tag<std::tuple_element_t<I, std::tuple<Ts...>>>{};
  } else if constexpr (rule == op::dtype_rule::choice) {
    return type_tag<typename choice_rule<Ts...>::type>{};
  } else if constexpr (rule == op::dtype_rule::floating || rule == op::dtype_rule::real_floating ||
                       rule == op::dtype_rule::predicate ||
                       rule == op::dtype_rule::real_predicate) {
    return type_tag<floating_t<promote_t<Ts...>>>{};
  } else {
    return type_tag<promote_t<Ts...>>{};
  }
}

}  // namespace detail

namespace op {

/// Tells whether the function `Op` takes operands of dtypes `Ts...`, before they are promoted.
template <class Op, element... Ts>
consteval bool accepts() {
  constexpr dtype_rule rule = Op::rule;
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
  } else if constexpr (rule == dtype_rule::custom) {
    return Op::template accepts<Ts...>;
  } else {
    return true;
  }
}

/// The dtype of the result of `Op` for operands of dtypes `Ts...`.
template <class Op, element... Ts>
using result_t = typename decltype(detail::result_tag<Op, Ts...>())::type;

/// The dtype that operand `I` is converted to before `Op` computes.
template <class Op, std::size_t I, element... Ts>
using operand_t = typename decltype(detail::operand_tag<Op, I, Ts...>())::type;

}  // namespace op
}  // namespace tessera
