// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Contractions: nodes that sum products over an axis that two arrays share.

#include "tessera/expr/expression.hpp"

#include <concepts>
#include <cstddef>
#include <string_view>
#include <utility>

namespace tessera {
namespace op {

/// The product of two matrices.
struct matmul {
  static constexpr std::string_view name = "matmul";
};

}  // namespace op

template <class A, class B>
struct node_rule<op::matmul, A, B> {
  using value_type = typename A::value_type;
  static constexpr std::size_t rank = 2;

  static array_layout lay_out(const op::matmul&, const A& a, const B& b) {
    return matmul_layout(a.layout(), b.layout());
  }
};

/// Returns the node of the product of two matrices of one dtype.
template <array_expression A, array_expression B>
requires std::same_as<typename A::value_type, typename B::value_type>
[[nodiscard]] auto make_matmul(A a, B b) {
  return expression<op::matmul, A, B>({}, std::move(a), std::move(b));
}

}  // namespace tessera
