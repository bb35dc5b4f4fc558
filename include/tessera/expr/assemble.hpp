// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Assemblies: nodes that join arrays along an axis.

#include "tessera/expr/elementwise.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/meta/promotion.hpp"

#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

namespace tessera {
namespace op {

/// Joins arrays along an axis that they have.
template <std::size_t Axis>
struct concat {
  static constexpr std::string_view name = "concat";
};

/// Joins arrays along a new axis.
template <std::size_t Axis>
struct stack {
  static constexpr std::string_view name = "stack";
};

}  // namespace op

template <std::size_t Axis, class... Xs>
struct node_rule<op::concat<Axis>, Xs...> {
  using value_type = promote_t<typename Xs::value_type...>;
  static constexpr std::size_t rank = std::tuple_element_t<0, std::tuple<Xs...>>::rank;

  static array_layout lay_out(const op::concat<Axis>&, const Xs&... xs) {
    return concat_layout(detail::layouts_of(xs...), Axis);
  }
};

template <std::size_t Axis, class... Xs>
struct node_rule<op::stack<Axis>, Xs...> {
  using value_type = promote_t<typename Xs::value_type...>;
  static constexpr std::size_t rank = std::tuple_element_t<0, std::tuple<Xs...>>::rank + 1;

  static array_layout lay_out(const op::stack<Axis>&, const Xs&... xs) {
    return stack_layout(detail::layouts_of(xs...), Axis);
  }
};

/// Returns the node of `op`, a concat or a stack, with arrays of one dtype.
template <class Op, array_expression... Xs>
[[nodiscard]] auto make_assembly(Op op, Xs... xs) {
  return expression<Op, Xs...>(op, std::move(xs)...);
}

}  // namespace tessera
