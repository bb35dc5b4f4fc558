// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Linear algebra.

#include "tessera/array/detail/along.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/expr/contraction.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/complex.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/meta/promotion.hpp"

#include <concepts>
#include <cstddef>

namespace tessera {

namespace detail {

/// Throws shape_error <- the extent of `axis` is not 3.
void check_triple(const index_vector& shape, std::size_t axis);

}  // namespace detail

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

/// Returns the products of each element of `a` with each of `b`, both of rank 1.
///
/// Shape:  (length of a, length of b).
/// Source: numpy.outer of vectors.
template <array_expression A, array_expression B>
[[nodiscard]] auto outer(const A& a, const B& b) {
  constexpr bool are_vectors = A::rank == 1 && B::rank == 1;
  static_assert(are_vectors, "tessera::outer(a, b): requires two arrays of rank 1");
  if constexpr (are_vectors) {
    return multiply(a(whole, newaxis), b(newaxis, whole));
  } else {
    return a;
  }
}

/// Returns the sums of `conj(a) * b` along an axis of both, the last one unless another is given.
///
/// Dtype:  as `sum`.
/// Source: the Python Array API standard.
template <array_expression A, array_expression B, int Axis = -1>
[[nodiscard]] auto vecdot(const A& a, const B& b, axis_list<Axis> along = {}) {
  constexpr bool is_in_both = axes_in_range<A::rank, Axis> && axes_in_range<B::rank, Axis>;
  static_assert(is_in_both,
                "tessera::vecdot(a, b, axis<k>): requires an axis in [-rank, rank) of both");
  if constexpr (is_in_both) {
    return sum(multiply(conj(a), b), along);
  } else {
    return a;
  }
}

/// Returns the sum of the products of the elements of `a` and `b`, both of rank 1, or their product
/// as matrices, both of rank 2.
///
/// Source: numpy.dot, for these ranks.
template <array_expression A, array_expression B>
[[nodiscard]] auto dot(const A& a, const B& b) {
  constexpr bool are_alike = A::rank == B::rank && (A::rank == 1 || A::rank == 2);
  static_assert(are_alike, "tessera::dot(a, b): requires two arrays of rank 1, or two of rank 2");
  if constexpr (!are_alike) {
    return a;
  } else if constexpr (A::rank == 1) {
    return sum(multiply(a, b));
  } else {
    return matmul(a, b);
  }
}

/// Returns the sum of the products of the elements of `a` and `b`, both of rank 1.
///
/// Source: numpy.inner of vectors.
template <array_expression A, array_expression B>
[[nodiscard]] auto inner(const A& a, const B& b) {
  constexpr bool are_vectors = A::rank == 1 && B::rank == 1;
  static_assert(are_vectors, "tessera::inner(a, b): requires two arrays of rank 1");
  if constexpr (are_vectors) {
    return sum(multiply(a, b));
  } else {
    return a;
  }
}

/// Returns the vector products of the vectors of three elements that lie along an axis of `a` and
/// `b`, the last one unless another is given.
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
