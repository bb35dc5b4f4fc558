// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Linear algebra.

#include "tessera/array/detail/along.hpp"
#include "tessera/array/einsum.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/products.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/meta/promotion.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace tessera {

namespace detail {

/// Throws shape_error <- the extent of `axis` is not 3.
void check_triple(const index_vector& shape, std::size_t axis);

}  // namespace detail

/// Returns the product of the matrices in the last two axes of `a` and `b`; axes before them are
/// broadcast.
///
/// An operand `a` of rank 1 is a row, and `b` of rank 1 a column; the result lacks that axis.
/// Shape:    (..., rows of a, columns of b).
/// Chunks:   (..., row chunk of a, column chunk of b). Chunks of less than 256 elements are longer
///           if large factors would be read more than eight times. Chunks of more than 2^22
///           elements are shorter, unless a factor has as many in a chunk.
/// Dtype:    the promotion of both, in which sums are accumulated; float32 if it is float16.
/// Memory:   one block each of `a`, `b` and the result.
/// Requires: elements that are numbers.
/// Throws:   shape_error <- the columns of `a` are not as many as the rows of `b`, or other axes do
///           not broadcast. value_error <- specs differ.
/// Complexity: each block of the result is one task, which reads `a` and `b` along the summed axis
///             step by step. If blocks are few and small, the summed axis is cut into parts, and
///             their sums are added.
/// Source:   the Python Array API standard, numpy.matmul.
template <unnamed_argument A, unnamed_argument B>
requires requires { A::rank, B::rank; }
[[nodiscard]] auto matmul(const A& a, const B& b) {
  detail::lazy(a);
  detail::lazy(b);
  constexpr bool have_axes = A::rank > 0 && B::rank > 0;
  static_assert(have_axes, "tessera::matmul(a, b): requires two arrays of rank 1 or more");
  using type = promote_t<typename A::value_type, typename B::value_type>;
  constexpr bool are_numbers = numeric_element<type>;
  static_assert(are_numbers, "tessera::matmul(a, b): requires elements that are numbers, not bool");
  if constexpr (!are_operands<A, B> || !have_axes || !are_numbers) {
    return a;
  } else if constexpr (A::rank == 1 && B::rank == 1) {
    return detail::contract_as<"k,k->">("matmul", a, b);
  } else if constexpr (A::rank == 1) {
    return detail::contract_as<"k,...kj->...j">("matmul", a, b);
  } else if constexpr (B::rank == 1) {
    return detail::contract_as<"...ik,k->...i">("matmul", a, b);
  } else {
    return detail::contract_as<"...ik,...kj->...ij">("matmul", a, b);
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

/// Returns the vector products of the vectors of three elements along an axis of `a` and `b`. The
/// last axis is the default.
///
/// Throws: shape_error <- the axis has another extent.
/// Source: the Python Array API standard.
template <array_expression A, array_expression B, int Axis = -1>
[[nodiscard]] auto cross(const A& a, const B& b, axis_list<Axis> = {}) {
  constexpr bool is_in_both = ranks_equal<A::rank, B::rank> && axes_in_range<A::rank, Axis>;
  static_assert(is_in_both,
                "tessera::cross(a, b, axis<k>): requires arrays of equal rank, and an axis in "
                "[-rank, rank)");
  if constexpr (is_in_both) {
    constexpr std::size_t along = normalised_axis(Axis, A::rank);
    detail::check_triple(a.layout().shape, along);
    detail::check_triple(b.layout().shape, along);
    const auto part = [&](index_t i, index_t j) {
      return subtract(multiply(detail::index_along(a, along, i), detail::index_along(b, along, j)),
                      multiply(detail::index_along(a, along, j), detail::index_along(b, along, i)));
    };
    return stack(part(1, 2), part(2, 0), part(0, 1), axis<static_cast<int>(along)>);
  } else {
    return a;
  }
}

}  // namespace tessera
