// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elementwise nodes: a function of one element of each operand, operands broadcast.

#include "tessera/core/error.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/meta/dtype_rule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tessera {

/// The tag of an elementwise function.
template <class Op>
concept elementwise_op = requires {
  { Op::name } -> std::convertible_to<std::string_view>;
  { Op::arity } -> std::convertible_to<std::size_t>;
  { Op::rule } -> std::convertible_to<op::dtype_rule>;
};

/// A C++ scalar that may stand beside arrays.
template <class X>
concept weak_scalar = std::is_arithmetic_v<X> || complex_element<X> || std::same_as<X, float16>;

/// The operands of an elementwise function.
template <class X>
concept elementwise_operand = array_expression<X> || weak_scalar<X>;

namespace detail {

template <class T>
inline constexpr bool is_scalar = false;
template <class T>
inline constexpr bool is_scalar<scalar<T>> = true;

template <class Operand>
const array_layout* layout_of(const Operand& operand) {
  if constexpr (is_scalar<Operand>) {
    return nullptr;
  } else {
    return &operand.layout();
  }
}

template <class... Operands>
std::array<const array_layout*, sizeof...(Operands)> layouts_of(const Operands&... operands) {
  return {layout_of(operands)...};
}

[[noreturn]] void throw_does_not_fit(std::string_view function, const std::string& value,
                                     dtype type);

/// Returns `value` as a `T`, rounded if `T` is a float.
template <element T, weak_scalar S>
scalar<T> rounded(S value) {
  if constexpr (complex_element<T> && !complex_element<S>) {
    return {T(static_cast<real_t<T>>(value))};
  } else {
    return {static_cast<T>(value)};
  }
}

/// A C++ integer, which may be of a type that is no element type, as char is.
template <class S>
concept integer_number = std::integral<S> && !std::same_as<S, bool>;
/// The element type that holds all of an `S`.
template <integer_number S>
using integer_number_t = std::conditional_t<std::is_signed_v<S>, std::int64_t, std::uint64_t>;

/// As `rounded`. Throws: value_error <- `value` does not fit.
template <element T, weak_scalar S>
scalar<T> fit(std::string_view function, S value) {
  if constexpr (integer_element<T> && integer_number<S>) {
    if (!std::in_range<T>(static_cast<integer_number_t<S>>(value))) {
      throw_does_not_fit(function, std::to_string(value), dtype_of<T>);
    }
  } else if constexpr (floating_element<T> && std::floating_point<S>) {
    // A number above the greatest value of a narrower type may round to it.
    const auto nearest = static_cast<double>(static_cast<T>(value));
    if (std::isfinite(value) && !std::isfinite(nearest)) {
      throw_does_not_fit(function, std::to_string(value), dtype_of<T>);
    }
  }
  return rounded<T>(value);
}

/// The dtype that a scalar takes if there is no array that has one.
template <class S>
using default_t = std::conditional_t<std::is_integral_v<S>,
                                     std::conditional_t<std::same_as<S, bool>, bool, std::int64_t>,
                                     std::conditional_t<complex_element<S>, complex128, double>>;

/// The common dtype of those of `Args` that are arrays, and of `Found`; void without any.
template <class Found, class... Args>
struct array_dtype {
  using type = Found;
};
template <class Found, class Arg, class... Args>
struct array_dtype<Found, Arg, Args...> : array_dtype<Found, Args...> {};
template <class Found, array_expression Arg, class... Args>
struct array_dtype<Found, Arg, Args...>
    : array_dtype<promote_t<Found, typename Arg::value_type>, Args...> {};
template <array_expression Arg, class... Args>
struct array_dtype<void, Arg, Args...> : array_dtype<typename Arg::value_type, Args...> {};

/// The operands that say which dtype a scalar takes: not the condition of a choice.
template <class Op, class... Args>
struct deciding_dtype : array_dtype<void, Args...> {};
template <class Op, class Arg, class... Args>
requires(Op::rule == op::dtype_rule::choice) struct deciding_dtype<Op, Arg, Args...>
    : array_dtype<void, Args...> {
};

/// Tells whether `S` is a number that `Op` compares with integers: as it is, as it may be none of
/// theirs.
template <class Op, class Common, class S>
inline constexpr bool is_compared_number =
    is_comparison(Op::rule) && integer_element<Common>&& integer_number<S>;

/// The dtype that `Arg` has as an operand of `Op`, beside arrays of the common dtype `Common`.
template <class Op, class Common, class Arg>
consteval auto argument_tag() {
  if constexpr (array_expression<Arg>) {
    return type_tag<typename Arg::value_type>{};
  } else if constexpr (is_compared_number<Op, Common, Arg>) {
    return type_tag<integer_number_t<Arg>>{};
  } else if constexpr (std::is_void_v<Common> || Op::rule == op::dtype_rule::custom) {
    return type_tag<default_t<Arg>>{};
  } else {
    return type_tag<weak_t<Arg, Common>>{};
  }
}
template <class Op, class Common, class Arg>
using argument_t = typename decltype(argument_tag<Op, Common, Arg>())::type;

/// Returns `arg` as an operand: an array by value, a C++ scalar in the dtype that it takes.
template <class Op, class Common, class Arg>
auto as_operand(const Arg& arg) {
  if constexpr (array_expression<Arg>) {
    return arg;
  } else if constexpr (is_comparison(Op::rule)) {
    return rounded<argument_t<Op, Common, Arg>>(arg);
  } else {
    return fit<argument_t<Op, Common, Arg>>(Op::name, arg);
  }
}

template <class Op, class... Args>
consteval bool accepts_operands() {
  if constexpr ((elementwise_operand<Args> && ...)) {
    using common = typename deciding_dtype<Op, Args...>::type;
    return op::accepts<Op, argument_t<Op, common, Args>...>();
  } else {
    return true;
  }
}

}  // namespace detail

template <elementwise_op Op, class... Operands>
struct node_rule<Op, Operands...> {
  using value_type = op::result_t<Op, typename Operands::value_type...>;
  static constexpr std::size_t rank = std::max({Operands::rank...});

  static array_layout lay_out(const Op&, const Operands&... operands) {
    return broadcast_layout(Op::name, detail::layouts_of(operands...));
  }
};

/// Tells whether the function `Op` takes operands of the dtypes that `Args...` have. It is true if
/// one of them is no operand at all: that is another mistake.
template <class Op, class... Args>
inline constexpr bool dtypes_accepted = detail::accepts_operands<Op, detail::unnamed_t<Args>...>();

/// Returns the node of `op` with `args`, at least one of them an array.
///
/// Shape:  broadcast.
/// Chunks: as `broadcast_layout`.
/// Dtype:  as `op::result_t`; C++ scalars take the dtype that the arrays have in common, but for
///         integers that are compared.
/// Throws: shape_error <- extents do not broadcast. value_error <- a scalar does not fit into the
///         dtype that it takes, or specs differ.
template <class Op, elementwise_operand... Args>
[[nodiscard]] auto make_elementwise(Op op, const Args&... args) {
  using common = typename detail::deciding_dtype<Op, Args...>::type;
  return expression<Op, decltype(detail::as_operand<Op, common>(args))...>(
      std::move(op), detail::as_operand<Op, common>(args)...);
}

}  // namespace tessera
