// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elementwise functions of users.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/elementwise_node.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/detail/tree_weight.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace op {

/// A user's scalar function of `Arity` operands.
template <class F, std::size_t Arity>
struct map {
  static constexpr std::string_view name = "map";
  static constexpr std::size_t arity = Arity;
  static constexpr dtype_rule rule = dtype_rule::custom;
  template <class... Xs>
  using result = std::remove_cvref_t<std::invoke_result_t<const F&, Xs...>>;
  template <class... Xs>
  static constexpr bool accepts = element<result<Xs...>>;

  /// Its member `weight`, a constant of its type.
  static constexpr double weight = [] {
    if constexpr (requires { typename std::bool_constant<(double(F::weight) >= 0)>; }) {
      return double(F::weight);
    } else {
      return detail::heavy_function;
    }
  }();

  F state;

  /// A function with a member `name` is printed by that name.
  static std::string label() {
    std::string label;
    if constexpr (requires { static_cast<const void*>(&F::name); }) {
      label.append(F::name).append("(");
    } else {
      label.append("map(f, ");
    }
    for (std::size_t i = 0; i < Arity; ++i) {
      label.append(i > 0 ? ", {" : "{").append(std::to_string(i)).append("}");
    }
    return label.append(")");
  }

  template <element... X>
  requires(sizeof...(X) == Arity) auto value(X... x) const { return std::invoke(state, x...); }
};

}  // namespace op

/// Tells whether a function object of type `F` can be called with one element of each operand.
template <class F, class... Args>
inline constexpr bool callable_with_elements =
    std::is_invocable_v<const F&, detail::argument_t<op::map<F, sizeof...(Args)>, void, Args>...>;

namespace detail {

template <class F, class... Args>
consteval bool returns_element() {
  if constexpr (callable_with_elements<F, Args...>) {
    return element<std::remove_cvref_t<
        std::invoke_result_t<const F&, argument_t<op::map<F, sizeof...(Args)>, void, Args>...>>>;
  } else {
    return true;
  }
}

}  // namespace detail

/// Tells whether a function object of type `F`, called with elements, returns an element type.
template <class F, class... Args>
inline constexpr bool returns_element = detail::returns_element<F, Args...>();

/// Returns `f` of the elements of `args`, which may be arrays or C++ scalars.
///
/// Dtype:    the type of the result of `f`.
/// Requires: `f` takes one scalar for each of `args`, and depends on nothing else. It is copied,
///           and called by several threads at once. Executors in other processes take it if it
///           holds plain values, as a lambda that captures numbers does. They also take it if it
///           has the members `std::string save() const` and `static F load(std::string_view)`. They
///           refuse pointers, references and owners of memory.
/// Complexity: plans take `f` to be as heavy as an exponential, 12 additions, unless it has a
///             member `static constexpr double weight`.
template <class F, class... Args>
requires has_array<Args...>
[[nodiscard]] auto map(const F& f, const Args&... args) {
  // Worked out here, before a lambda comes into a tuple: see there.
  static_cast<void>(detail::is_plain_bytes<F>);
  static_assert(are_operands<Args...>,
                "tessera::map(f, xs...): requires each of xs to be an array "
                "expression or a C++ number");
  if constexpr (have_names<Args...>) {
    return detail::by_names([&f](const auto&... xs) { return map(f, xs...); }, args...);
  } else if constexpr (are_operands<Args...>) {
    static_assert(callable_with_elements<F, Args...>,
                  "tessera::map(f, xs...): requires f to take one element of each of xs");
    static_assert(returns_element<F, Args...>,
                  "tessera::map(f, xs...): requires f to return an element type: bool, a number");
    if constexpr (callable_with_elements<F, Args...> && returns_element<F, Args...>) {
      return make_elementwise(op::map<F, sizeof...(Args)>{f}, args...);
    } else {
      return detail::first_array(args...);
    }
  } else {
    return detail::first_array(args...);
  }
}
}  // namespace tessera
