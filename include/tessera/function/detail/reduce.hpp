// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the reductions have in common: their options, rules and nodes.

#include "tessera/expr/reduction.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/meta/axes.hpp"

#include <concepts>
#include <cstddef>

namespace tessera {

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

}  // namespace detail

/// Tells whether each of `Options` is one of a reduction: axes or `keepdims`.
template <class... Options>
inline constexpr bool are_reduction_options = ((detail::is_axis_list<Options> ||
                                                std::same_as<Options, keepdims_t>)&&...);

/// Tells whether each axis is in `[-Rank, Rank)`.
template <std::size_t Rank, class Axes>
inline constexpr bool axes_fit = detail::axes_rule<Rank, Axes>::in_range;

/// Tells whether no axis is named twice.
template <std::size_t Rank, class Axes>
inline constexpr bool axes_differ = detail::axes_rule<Rank, Axes>::distinct;

namespace detail {

/// Returns the node of a reduction whose rules have been checked; `x` itself where one is broken.
template <class Fold, class X, class... Options>
auto reduce(const Fold& fold, const X& x, const Options&... /*options*/) {
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
    return reduce(fold, add_axes<X::rank + 1>(Fold::name, x, axis_mask{1} << X::rank), axis<last>);
  } else {
    using op_type = op::reduce<Fold, rule::mask>;
    expression<op_type, X> folded(op_type{fold}, x);
    if constexpr ((std::same_as<Options, keepdims_t> || ...)) {
      return add_axes<X::rank>(Fold::name, folded, rule::mask);
    } else {
      return folded;
    }
  }
}

}  // namespace detail
}  // namespace tessera
