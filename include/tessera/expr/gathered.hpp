// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Gathers: nodes that see an array through tables of indices, or with other axes. Unlike a view a
/// gather is an operation, of which others may make a part of their own.

#include "tessera/core/index_map.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/gather_maps.hpp"
#include "tessera/expr/view_maps.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

namespace tessera {
namespace op {

/// An array of rank `N`, seen through a map from its indices to those of the operand, which ends in
/// a gather or is affine.
template <std::size_t N>
struct gathered {
  std::string_view name;
  index_map map;
  index_vector shape;
};

}  // namespace op

template <std::size_t N, class X>
struct node_rule<op::gathered<N>, X> {
  using value_type = typename X::value_type;
  static constexpr std::size_t rank = N;

  static array_layout lay_out(const op::gathered<N>& op, const X& x) {
    return op.map.gather() == nullptr ? view_layout(x.layout(), op.map, op.shape)
                                      : gathered_layout(x.layout(), op.map, op.shape);
  }
};

/// Returns the view `mapped` of `x`; `name` is a string literal.
template <std::size_t N, array_expression X>
[[nodiscard]] auto make_gathered(std::string_view name, const X& x, mapped_shape mapped) {
  return expression<op::gathered<N>, X>(
      op::gathered<N>{name, std::move(mapped.map), std::move(mapped.shape)}, x);
}

}  // namespace tessera
