// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is solved by matrices, which lie along the last two axes, and what tells whether it can be.
///
/// Names and conventions are those of the Python Array API standard and numpy.linalg.
/// Dtype:    float32, float64 and complex numbers of both as they are; float64 for integers,
///           float32 for float16.
/// Memory:   whole matrices: as many at once as are allowed. Functions that say so take matrices of
///           many more rows than columns, or columns than rows, in several chunks, block by block.
/// NaN:      gives NaN.
/// Requires: a rank of at least 2; elements that are numbers.
/// Throws:   memory_error <- a matrix is too large for a task. Where a matrix has no result, as a
///           singular one that is to be inverted, the run fails and says which.

#include "tessera/array/detail/matrix_calls.hpp"
#include "tessera/array/factors.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/choice.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/complex.hpp"
#include "tessera/function/division.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/kernel/matrices.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace tessera {

/// What part of the greatest singular value counts as nothing: `rtol(1e-10)`.
struct rtol {
  explicit rtol(double value_) : value(value_) {}
  double value;
};

/// The type of `lower_triangle`.
struct lower_triangle_t {
  explicit lower_triangle_t() = default;
};

/// Tells `solve_triangular` that the lower triangle is meant.
inline constexpr lower_triangle_t lower_triangle{};

/// Returns the inverses of matrices.
///
/// Throws: a run fails <- a matrix is singular.
template <array_expression X>
[[nodiscard]] auto inv(const X& x) {
  static_assert(detail::are_matrices<X>,
                "tessera::inv(x): requires an array of rank 2 or more, of numbers");
  if constexpr (detail::are_matrices<X>) {
    using type = detail::matrix_element_t<typename X::value_type>;
    return detail::array_of<type, X::rank>(
        detail::of_square<type>("inv", &matrices::inv, signature_of<"(n,n)->(n,n)">, x, 0));
  } else {
    return x;
  }
}

/// Returns the determinants of matrices; 1 of those without elements.
template <array_expression X>
[[nodiscard]] auto det(const X& x) {
  static_assert(detail::are_matrices<X>,
                "tessera::det(x): requires an array of rank 2 or more, of numbers");
  if constexpr (detail::are_matrices<X>) {
    using type = detail::matrix_element_t<typename X::value_type>;
    return detail::array_of<type, X::rank - 2>(
        detail::of_square<type>("det", &matrices::det, signature_of<"(n,n)->()">, x, 1));
  } else {
    return x;
  }
}

/// Returns the signs, or what complex ones have in their place, of determinants, and the logarithms
/// of their magnitudes, as a tuple: 0 and -infinity of singular matrices.
template <array_expression X>
[[nodiscard]] auto slogdet(const X& x) {
  static_assert(detail::are_matrices<X>,
                "tessera::slogdet(x): requires an array of rank 2 or more, of numbers");
  if constexpr (detail::are_matrices<X>) {
    using type = detail::matrix_element_t<typename X::value_type>;
    detail::require_square("slogdet", x.layout());
    const std::vector<laid_out_array> made =
        make_matrices({.name = "slogdet",
                       .kernel = &matrices::slogdet,
                       .signature = &signature_of<"(n,n)->(),()">,
                       .of_nothing = {1, 0}},
                      dtype_of<type>, {detail::laid_out<type>(x)});
    return std::tuple{detail::array_of<type, X::rank - 2>(made[0]),
                      detail::array_of<real_t<type>, X::rank - 2>(made[1])};
  } else {
    return std::tuple{x, x};
  }
}

/// Returns `x` with `a x = b`, for the matrices in `a`, and those in `b`; where `b` has rank 1, it
/// is one vector for all.
///
/// Throws: shape_error <- a matrix in `a` is not square, or has other rows than `b`. A run fails <-
///         one is singular.
template <array_expression A, array_expression B>
[[nodiscard]] auto solve(const A& a, const B& b) {
  constexpr bool are_right = detail::are_matrices<A> && rank_at_least<B::rank, 1> &&
                             numeric_element<typename B::value_type>;
  static_assert(are_right,
                "tessera::solve(a, b): requires an array of rank 2 or more, and one of rank 1 or "
                "more, of numbers");
  if constexpr (!are_right) {
    return a;
  } else if constexpr (B::rank == 1) {
    return solve(a, add_axes<2>("solve", b, axis_mask{2}))(ellipsis, 0);
  } else {
    using type =
        detail::matrix_element_t<promote_t<typename A::value_type, typename B::value_type>>;
    detail::require_square("solve", a.layout());
    return detail::array_of<type, std::max(A::rank, B::rank)>(
        make_matrices({.name = "solve",
                       .kernel = &matrices::solve,
                       .signature = &signature_of<"(n,n),(n,k)->(n,k)">},
                      dtype_of<type>, {detail::laid_out<type>(a), detail::laid_out<type>(b)})
            .front());
  }
}

/// Returns `x` with `a x = b`, as `solve`, of the upper triangles of the matrices in `a`, or of the
/// lower ones: `solve_triangular(a, b, lower_triangle)`. What is in the other triangle counts for
/// nothing.
///
/// Throws: shape_error <- a matrix in `a` is not square, or has other rows than `b`. A run fails <-
///         one has a zero on its diagonal.
/// Source: scipy.linalg.solve_triangular.
template <array_expression A, array_expression B, std::same_as<lower_triangle_t>... Lower>
[[nodiscard]] auto solve_triangular(const A& a, const B& b, Lower... lower) {
  constexpr bool are_right = detail::are_matrices<A> && rank_at_least<B::rank, 1> &&
                             numeric_element<typename B::value_type> && sizeof...(Lower) <= 1;
  static_assert(are_right,
                "tessera::solve_triangular(a, b), solve_triangular(a, b, lower_triangle): requires "
                "an array of rank 2 or more, and one of rank 1 or more, of numbers");
  if constexpr (!are_right) {
    return a;
  } else if constexpr (B::rank == 1) {
    const auto columns = add_axes<2>("solve_triangular", b, axis_mask{2});
    return solve_triangular(a, columns, lower...)(ellipsis, 0);
  } else {
    using type =
        detail::matrix_element_t<promote_t<typename A::value_type, typename B::value_type>>;
    detail::require_square("solve_triangular", a.layout());
    return detail::array_of<type, std::max(A::rank, B::rank)>(
        make_matrices({.name = "solve_triangular",
                       .kernel = &matrices::solve_triangular,
                       .signature = &signature_of<"(n,n),(n,k)->(n,k)">,
                       .parameters = matrices::triangular_parameters(sizeof...(Lower) > 0)},
                      dtype_of<type>, {detail::laid_out<type>(a), detail::laid_out<type>(b)})
            .front());
  }
}

/// What `lstsq` makes.
template <class T, std::size_t N, std::size_t NumLoops>
struct least_squares {
  using real = real_t<T>;
  array<T, N> x;
  /// The sums of squares of `b - a x`, a sum for each column; where NumPy gives none as well.
  array<real, N - 1> residuals;
  array<std::int64_t, NumLoops> rank;
  array<real, NumLoops + 1> singular_values;
};

/// Returns the `x` for which the squares of `b - a x` have the least sum, of several the one of the
/// least norm, for matrices in `a` and `b`: `auto [x, residuals, rank, s] = lstsq(a, b)`; where `b`
/// has rank 1, it is one vector for all.
///
/// Singular values below the part `rtol(1e-10)` of the greatest count as 0; where it is not given,
/// below the greater extent times the dtype's epsilon.
/// Memory: one matrix of many more rows than columns, in several chunks, is taken by blocks of
///         rows: it is read once.
/// Throws: shape_error <- matrices have different numbers of rows.
template <array_expression A, array_expression B, class... Options>
[[nodiscard]] auto lstsq(const A& a, const B& b, Options... options) {
  constexpr bool are_right = detail::are_matrices<A> && rank_at_least<B::rank, 1> &&
                             numeric_element<typename B::value_type> && sizeof...(Options) <= 1 &&
                             (std::same_as<Options, rtol> && ...);
  static_assert(are_right,
                "tessera::lstsq(a, b), lstsq(a, b, rtol(1e-10)): requires an array of rank 2 or "
                "more, and one of rank 1 or more, of numbers");
  if constexpr (!are_right) {
    return a;
  } else if constexpr (B::rank == 1) {
    const auto found = lstsq(a, add_axes<2>("lstsq", b, axis_mask{2}), options...);
    using type = typename decltype(found.x)::value_type;
    return least_squares<type, A::rank - 1, A::rank - 2>{
        found.x(ellipsis, 0), found.residuals(ellipsis, 0), found.rank, found.singular_values};
  } else {
    using type =
        detail::matrix_element_t<promote_t<typename A::value_type, typename B::value_type>>;
    constexpr std::size_t rank = std::max(A::rank, B::rank);
    double least = detail::least_part<type>(a);
    ((least = options.value), ...);
    const std::vector<laid_out_array> made =
        make_lstsq(dtype_of<type>, detail::laid_out<type>(a), detail::laid_out<type>(b), least);
    using result = least_squares<type, rank, rank - 2>;
    return result{detail::array_of<type, rank>(made[0]),
                  detail::array_of<typename result::real, rank - 1>(made[1]),
                  detail::array_of<std::int64_t, rank - 2>(made[2]),
                  detail::array_of<typename result::real, rank - 1>(made[3])};
  }
}

/// Returns the pseudo-inverses of matrices, by their singular values: those below the part
/// `rtol(1e-10)` of the greatest count as 0; where it is not given, below the greater extent times
/// the dtype's epsilon.
///
/// Memory: as `svd`. Source: the Python Array API standard; numpy.linalg.pinv.
template <array_expression X, class... Options>
[[nodiscard]] auto pinv(const X& x, Options... options) {
  constexpr bool are_right =
      detail::are_matrices<X> && sizeof...(Options) <= 1 && (std::same_as<Options, rtol> && ...);
  static_assert(are_right,
                "tessera::pinv(x), pinv(x, rtol(1e-10)): requires an array of rank 2 or more, of "
                "numbers");
  if constexpr (are_right) {
    using type = detail::matrix_element_t<typename X::value_type>;
    using real = real_t<type>;
    double least = detail::least_part<type>(x);
    ((least = options.value), ...);
    if (num_elements(x.layout().shape) == 0) {
      return array<type, X::rank>(matrix_transpose(converted<type>(x)));
    }
    const auto [u, s, vh] = svd(x);
    const auto greatest = max(s, axis<-1>, keepdims);
    // Not so: NaN stays.
    const auto inverse = where(s <= static_cast<real>(least) * greatest, real(0), real(1) / s);
    return array<type, X::rank>(
        matmul(matrix_transpose(conj(vh)), inverse(ellipsis, newaxis) * matrix_transpose(conj(u))));
  } else {
    return x;
  }
}

/// Returns the ranks of matrices, as int64: how many singular values are above the part
/// `rtol(1e-10)` of the greatest; where it is not given, the greater extent times the dtype's
/// epsilon.
///
/// Memory: as `svdvals`. Source: the Python Array API standard; numpy.linalg.matrix_rank.
template <array_expression X, class... Options>
[[nodiscard]] auto matrix_rank(const X& x, Options... options) {
  constexpr bool are_right =
      detail::are_matrices<X> && sizeof...(Options) <= 1 && (std::same_as<Options, rtol> && ...);
  static_assert(are_right,
                "tessera::matrix_rank(x), matrix_rank(x, rtol(1e-10)): requires an array of rank 2 "
                "or more, of numbers");
  if constexpr (are_right) {
    using type = detail::matrix_element_t<typename X::value_type>;
    using real = real_t<type>;
    double least = detail::least_part<type>(x);
    ((least = options.value), ...);
    const auto s = svdvals(x);
    // The values descend.
    const auto greatest = s(ellipsis, slice(0, 1));
    return sum(converted<std::int64_t>(s > static_cast<real>(least) * greatest), axis<-1>);
  } else {
    return x;
  }
}

}  // namespace tessera
