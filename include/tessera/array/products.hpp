// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Products of two arrays of any ranks, summed or not.
///
/// Dtype: the promotion of both; see `einsum`, of which all sums of products are spellings.

#include "tessera/array/broadcasting.hpp"
#include "tessera/array/einsum.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/expr/contraction_node.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/complex.hpp"
#include "tessera/meta/axes.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tessera {

namespace detail {

/// Returns the sums of products over pairs of axes, which are in the ranges of both and differ.
template <std::size_t Count, class A, class B>
auto contract_pairs(std::string_view function, const std::array<std::size_t, Count>& of_a,
                    const std::array<std::size_t, Count>& of_b, const A& a, const B& b) {
  return contract<A::rank + B::rank - 2 * Count>(
      function, letters_of_pairs(A::rank, B::rank, of_a, of_b), a, b);
}

/// Returns `x` as one axis.
template <class X>
auto as_vector(const X& x) {
  if constexpr (X::rank == 1) {
    return x;
  } else {
    return ravel(x);
  }
}

/// Returns `x` with each element repeated `counts[k]` times along each axis `k` from `Axis` on.
template <std::size_t Axis, class X, std::size_t N>
auto repeated(const X& x, const std::array<index_t, N>& counts) {
  if constexpr (Axis == N) {
    return x;
  } else {
    return repeated<Axis + 1>(repeat(x, counts[Axis], axis<static_cast<int>(Axis)>), counts);
  }
}

/// Returns `x` with axes of extent 1 in front, so that it has rank `N`.
template <std::size_t N, class X>
auto with_rank(std::string_view function, const X& x) {
  constexpr auto added = static_cast<axis_mask>((std::uint64_t{1} << (N - X::rank)) - 1);
  return add_axes<N>(function, x, added);
}

}  // namespace detail

/// Returns the sums of products of `a` and `b` along pairs of their axes:
/// `tensordot(a, b, axis<1, 2>, axis<0, 1>)`.
///
/// Shape:  the free axes of `a`, and then the free axes of `b`.
/// Throws: shape_error <- extents of a pair differ. Source: numpy.tensordot.
template <array_expression A, array_expression B, int... I, int... J>
[[nodiscard]] auto tensordot(const A& a, const B& b, axis_list<I...>, axis_list<J...>) {
  constexpr bool are_pairs = sizeof...(I) == sizeof...(J) && axes_in_range<A::rank, I...> &&
                             axes_in_range<B::rank, J...> && axes_distinct<A::rank, I...> &&
                             axes_distinct<B::rank, J...>;
  static_assert(are_pairs,
                "tessera::tensordot(a, b, axis<i...>, axis<j...>): requires as many axes of a as "
                "of b, each in [-rank, rank) and no two the same");
  constexpr bool are_numbers = detail::have_products<A, B>;
  static_assert(are_numbers,
                "tessera::tensordot(a, b): requires elements that are numbers, not bool");
  if constexpr (are_pairs && are_numbers) {
    return detail::contract_pairs<sizeof...(I)>("tensordot", {normalised_axis(I, A::rank)...},
                                                {normalised_axis(J, B::rank)...}, a, b);
  } else {
    return a;
  }
}
/// As this, along one axis of each that is known when the program runs. Throws: shape_error <- an
/// array has it not.
template <array_expression A, array_expression B>
[[nodiscard]] auto tensordot(const A& a, const B& b, run_time_axis of_a, run_time_axis of_b) {
  constexpr bool are_right = A::rank > 0 && B::rank > 0 && detail::have_products<A, B>;
  static_assert(are_right,
                "tessera::tensordot(a, b, axis_at(i), axis_at(j)): requires arrays of numbers of "
                "rank 1 or more");
  if constexpr (are_right) {
    return detail::contract_pairs<1>("tensordot", {checked_axis("tensordot", of_a.value, A::rank)},
                                     {checked_axis("tensordot", of_b.value, B::rank)}, a, b);
  } else {
    return a;
  }
}
/// As this, along the last `N` axes of `a` and the first `N` of `b`.
template <std::size_t N = 2, array_expression A, array_expression B>
[[nodiscard]] auto tensordot(const A& a, const B& b) {
  constexpr bool are_right = N <= std::min(A::rank, B::rank) && detail::have_products<A, B>;
  static_assert(are_right,
                "tessera::tensordot<n>(a, b): requires arrays of numbers of rank n or more; n is 2 "
                "where none is given");
  if constexpr (are_right) {
    std::array<std::size_t, N> of_a{};
    std::array<std::size_t, N> of_b{};
    for (std::size_t k = 0; k < N; ++k) {
      of_a[k] = A::rank - N + k;
      of_b[k] = k;
    }
    return detail::contract_pairs<N>("tensordot", of_a, of_b, a, b);
  } else {
    return a;
  }
}

/// Returns the sums of `conj(a) * b` along an axis of both, the last one unless another is given.
/// The remaining axes are broadcast.
///
/// Source: the Python Array API standard.
template <array_expression A, array_expression B, int Axis = -1>
[[nodiscard]] auto vecdot(const A& a, const B& b, axis_list<Axis> = {}) {
  constexpr bool is_in_both = axes_in_range<A::rank, Axis> && axes_in_range<B::rank, Axis>;
  static_assert(is_in_both,
                "tessera::vecdot(a, b, axis<k>): requires an axis in [-rank, rank) of both");
  constexpr bool are_numbers = detail::have_products<A, B>;
  static_assert(are_numbers, "tessera::vecdot(a, b): requires elements that are numbers, not bool");
  if constexpr (is_in_both && are_numbers) {
    const contraction_letters letters = letters_along(A::rank, normalised_axis(Axis, A::rank),
                                                      B::rank, normalised_axis(Axis, B::rank));
    return detail::contract<std::max(A::rank, B::rank) - 1>("vecdot", letters, conj(a), b);
  } else {
    return a;
  }
}

/// Returns the sums of products of `a` and `b` along the last axis of both.
///
/// Shape:  the free axes of `a`, and then of `b`. Source: numpy.inner.
template <array_expression A, array_expression B>
[[nodiscard]] auto inner(const A& a, const B& b) {
  constexpr bool are_right = A::rank > 0 && B::rank > 0 && detail::have_products<A, B>;
  static_assert(are_right, "tessera::inner(a, b): requires arrays of numbers of rank 1 or more");
  if constexpr (are_right) {
    return detail::contract_pairs<1>("inner", {A::rank - 1}, {B::rank - 1}, a, b);
  } else {
    return a;
  }
}

/// Returns the sums of products along the last axis of `a` and the last but one of `b`. A `b` of
/// rank 1 has one axis.
///
/// Shape:  the free axes of `a`, and then of `b`. Source: numpy.dot.
template <array_expression A, array_expression B>
[[nodiscard]] auto dot(const A& a, const B& b) {
  constexpr bool are_right = A::rank > 0 && B::rank > 0 && detail::have_products<A, B>;
  static_assert(are_right, "tessera::dot(a, b): requires arrays of numbers of rank 1 or more");
  if constexpr (are_right) {
    return detail::contract_pairs<1>("dot", {A::rank - 1}, {B::rank == 1 ? 0 : B::rank - 2}, a, b);
  } else {
    return a;
  }
}

/// Returns the products of each element of `a` with each of `b`, both in row-major order.
///
/// Shape:  (size of a, size of b).
/// Source: numpy.outer.
template <array_expression A, array_expression B>
[[nodiscard]] auto outer(const A& a, const B& b) {
  return multiply(detail::as_vector(a)(whole, newaxis), detail::as_vector(b)(newaxis, whole));
}

/// Returns Kronecker's product: `b` as a block for each element of `a`, times that.
///
/// Shape:  the product of the extents of both along each axis; the array of lower rank gets axes
///         of extent 1 in front.
/// Source: numpy.kron.
template <array_expression A, array_expression B>
[[nodiscard]] auto kron(const A& a, const B& b) {
  constexpr std::size_t rank = std::max(A::rank, B::rank);
  const auto blocks = detail::with_rank<rank>("kron", b);
  const auto factors = detail::with_rank<rank>("kron", a);
  return multiply(detail::repeated<0>(factors, blocks.shape()), tile(blocks, factors.shape()));
}

}  // namespace tessera
