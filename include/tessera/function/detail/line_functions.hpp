// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Axis and nodes of functions of lines.

#include "tessera/expr/line_node.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/meta/promotion.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

namespace tessera {

/// Tells whether elements of type `T` have an order: all but complex numbers.
template <class T>
inline constexpr bool has_order = real_element<T> || boolean_element<T>;

namespace detail {

/// The axis that options name of an array of rank `Rank`; the last one if none does.
template <std::size_t Rank, class... Options>
struct line_axis {
  using named =
      std::conditional_t<std::is_void_v<axes_of<Options...>>, axis_list<-1>, axes_of<Options...>>;
  using rule = axes_rule<Rank, named>;
  static constexpr bool is_right = rule::in_range && rule::count == 1 && Rank > 0;

  static axis_mask of(std::string_view function, const Options&... options) {
    if constexpr (std::same_as<named, run_time_axis>) {
      return reduced_axes<Rank>(function, options...);
    } else {
      return rule::mask;
    }
  }
};

/// Returns the node of `line`, with the array of rank `N` that it computes from the lines of `x`.
template <std::size_t N, class Line, class X>
auto make_lines_node(const Line& line, const X& x, axis_mask lined, const line_output& result) {
  using op_type = op::lines<Line, N>;
  return expression<op_type, X>(op_type{line, lined, result}, x);
}

/// Returns the node of `line`, which keeps the length of each line of `x`.
template <class Line, class X>
auto keep_lines(const Line& line, const X& x, axis_mask lined) {
  const auto axis = static_cast<std::size_t>(std::countr_zero(lined));
  return make_lines_node<X::rank>(line, x, lined, {.length = x.layout().shape[axis]});
}

}  // namespace detail
}  // namespace tessera
