// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the reductions have in common: their options, rules and nodes.

#include "tessera/array/detail/arguments.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/meta/axes.hpp"

#include <concepts>
#include <cstddef>

namespace tessera {

/// What `var` and `stddev` take from the number of elements that they divide by: 1 for a sample.
struct correction {
  constexpr explicit correction(double given) : value(given) {}
  double value;
};

namespace detail {

template <std::size_t Rank, class Axes>
struct axes_rule {
  static constexpr bool in_range = true;
  static constexpr bool distinct = true;
  static constexpr axis_mask mask = axis_mask_of<Rank>;
};
template <std::size_t Rank, int... Axes>
struct axes_rule<Rank, axis_list<Axes...>> {
  static constexpr bool in_range = axes_in_range<Rank, Axes...>;
  static constexpr bool distinct = !in_range || axes_distinct<Rank, Axes...>;
  static constexpr axis_mask mask = [] {
    if constexpr (sizeof...(Axes) == 0 || !in_range) {
      return axis_mask{0};
    } else {
      return axis_mask_of<Rank, Axes...>;
    }
  }();
};

/// Which dtypes a fold takes.
enum class fold_rule {
  any,      ///< all of them
  numeric,  ///< numbers
  real,     ///< real numbers
};
// clang-format off
template <class Fold> inline constexpr fold_rule fold_rule_of = fold_rule::any;
template <> inline constexpr fold_rule fold_rule_of<op::mean> = fold_rule::numeric;
template <> inline constexpr fold_rule fold_rule_of<op::min> = fold_rule::real;
template <> inline constexpr fold_rule fold_rule_of<op::max> = fold_rule::real;
template <> inline constexpr fold_rule fold_rule_of<op::var> = fold_rule::real;
template <> inline constexpr fold_rule fold_rule_of<op::stddev> = fold_rule::real;
// clang-format on

}  // namespace detail

/// Tells whether each of `Options` is one of a reduction: axes or `keepdims`.
template <class... Options>
inline constexpr bool are_reduction_options = ((detail::is_axis_list<Options> ||
                                                std::same_as<Options, keepdims_t>)&&...);
/// Tells whether each of `Options` is one of a variance: as of a reduction, or a `correction`.
template <class... Options>
inline constexpr bool are_variance_options = ((are_reduction_options<Options> ||
                                               std::same_as<Options, correction>)&&...);

/// Tells whether each axis is in `[-Rank, Rank)`.
template <std::size_t Rank, class Axes>
inline constexpr bool axes_fit = detail::axes_rule<Rank, Axes>::in_range;
/// Tells whether no axis is named twice.
template <std::size_t Rank, class Axes>
inline constexpr bool axes_differ = detail::axes_rule<Rank, Axes>::distinct;
/// Tells whether the reduction `Fold` takes elements of type `T`.
template <class Fold, class T>
inline constexpr bool fold_takes = detail::fold_rule_of<Fold> == detail::fold_rule::any ||
                                   (detail::fold_rule_of<Fold> == detail::fold_rule::numeric
                                        ? numeric_element<T>
                                        : real_element<T>);

namespace detail {

template <class Option>
void note_correction(double&, const Option&) {}
inline void note_correction(double& value, const correction& given) { value = given.value; }

template <class... Options>
double correction_of(const Options&... options) {
  double value = 0;
  (note_correction(value, options), ...);
  return value;
}

/// Returns the node of a reduction whose rules have been checked; `x` itself where one is broken.
template <class Fold, class X, class... Options>
auto reduce(const X& x, const Options&... options) {
  using rule = axes_rule<X::rank, axes_of<Options...>>;
  lazy(x);
  if constexpr (!are_operands<X>) {
    return x;
  } else if constexpr (!rule::in_range || !rule::distinct ||
                       !fold_takes<Fold, typename X::value_type>) {
    return x;
  } else if constexpr (rule::mask == 0) {
    // A fold needs an axis: one of extent 1 changes nothing.
    constexpr auto last = static_cast<int>(X::rank);
    return reduce<Fold>(add_axes<X::rank + 1>(Fold::name, x, axis_mask{1} << X::rank), axis<last>,
                        correction(correction_of(options...)));
  } else {
    using op_type = op::reduce<Fold, rule::mask>;
    expression<op_type, X> folded(op_type{correction_of(options...)}, x);
    if constexpr ((std::same_as<Options, keepdims_t> || ...)) {
      return add_axes<X::rank>(Fold::name, folded, rule::mask);
    } else {
      return folded;
    }
  }
}

}  // namespace detail
}  // namespace tessera
