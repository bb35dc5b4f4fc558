// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Views: nodes that see an array through an index map. Slices, permutations, new axes and
/// broadcasts are views; none of them computes anything.

#include "tessera/core/index_map.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/view_maps.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

namespace tessera {
namespace op {

/// An array of rank `N`, seen through a map from its indices to those of the operand.
template <std::size_t N>
struct view {
  std::string_view name;
  index_map map;
  index_vector shape;
};

}  // namespace op

template <std::size_t N, class X>
struct node_rule<op::view<N>, X> {
  using value_type = typename X::value_type;
  static constexpr std::size_t rank = N;

  static array_layout lay_out(const op::view<N>& op, const X& x) {
    return view_layout(x.layout(), op.map, op.shape);
  }
};

/// Returns the view of `x` that `mapped` describes; `name` is a string literal.
template <std::size_t N, array_expression X>
[[nodiscard]] auto make_view(std::string_view name, const X& x, mapped_shape mapped) {
  return expression<op::view<N>, X>(
      op::view<N>{name, std::move(mapped.map), std::move(mapped.shape)}, x);
}

/// Returns `x` with axes of extent 1 at the axes in `added`, a mask over the new axes.
template <std::size_t N, array_expression X>
[[nodiscard]] auto add_axes(std::string_view name, const X& x, axis_mask added) {
  return make_view<N>(name, x, map_added_axes(x.layout().shape, added, N));
}

}  // namespace tessera
