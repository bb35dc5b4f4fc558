// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rechunking: the same elements in other chunks.

#include "tessera/expr/expression.hpp"

#include <cstddef>
#include <string_view>

namespace tessera {
namespace op {

/// The same elements in other chunks.
struct rechunk {
  static constexpr std::string_view name = "rechunk";
  index_vector chunks;
};

}  // namespace op

template <class X>
struct node_rule<op::rechunk, X> {
  using value_type = typename X::value_type;
  static constexpr std::size_t rank = X::rank;

  static array_layout lay_out(const op::rechunk& op, const X& x) {
    return rechunked_layout(x.layout(), op.chunks);
  }
};

}  // namespace tessera
