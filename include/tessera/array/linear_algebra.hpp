// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Linear algebra.

#include "tessera/array/manipulation.hpp"
#include "tessera/expr/contraction.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/meta/promotion.hpp"

#include <concepts>
#include <cstddef>

namespace tessera {

/// Tells whether two ranks are those of matrices.
template <std::size_t A, std::size_t B>
inline constexpr bool are_matrices = A == 2 && B == 2;

/// Returns the product of two matrices.
///
/// Shape:    (rows of a, columns of b).
/// Chunks:   (row chunk of a, column chunk of b).
/// Dtype:    the promotion of both; floats and complex numbers accumulate in the dtype itself,
///           float16 in float32.
/// Memory:   one block each of `a`, `b` and the result; no partial product is ever stored.
/// Requires: two arrays of rank 2 whose elements are numbers.
/// Throws:   shape_error <- the columns of `a` are not as many as the rows of `b`.
///           value_error <- specs differ.
template <array_argument A, array_argument B>
requires requires { A::rank, B::rank; }
[[nodiscard]] auto matmul(const A& a, const B& b) {
  detail::lazy(a);
  detail::lazy(b);
  static_assert(are_matrices<A::rank, B::rank>,
                "tessera::matmul(a, b): requires two arrays of rank 2");
  using type = promote_t<typename A::value_type, typename B::value_type>;
  constexpr bool are_numbers = numeric_element<type>;
  static_assert(are_numbers, "tessera::matmul(a, b): requires elements that are numbers, not bool");
  if constexpr (!are_operands<A, B>) {
    return a;
  } else if constexpr (are_matrices<A::rank, B::rank> && std::same_as<type, float16>) {
    return converted<float16>(make_matmul(converted<float>(a), converted<float>(b)));
  } else if constexpr (are_matrices<A::rank, B::rank> && are_numbers) {
    return make_matmul(converted<type>(a), converted<type>(b));
  } else {
    return a;
  }
}

/// Returns `x` with its last two axes exchanged.
///
/// Shape:    (..., columns, rows).
/// Requires: a rank of at least 2.
template <array_expression X>
[[nodiscard]] auto matrix_transpose(const X& x) {
  static_assert(rank_at_least<X::rank, 2>,
                "tessera::matrix_transpose(x): requires an array of rank 2 or more");
  if constexpr (rank_at_least<X::rank, 2>) {
    std::array<std::size_t, X::rank> order{};
    for (std::size_t axis = 0; axis < X::rank; ++axis) order[axis] = axis;
    std::swap(order[X::rank - 2], order[X::rank - 1]);
    return make_view<X::rank>("matrix_transpose", x, map_permuted(x.layout().shape, order));
  } else {
    return x;
  }
}

}  // namespace tessera
