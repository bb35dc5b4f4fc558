// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Solutions of linear systems and inverses, and figures about their existence. Matrices lie along
/// the last two axes.
///
/// Names and conventions follow the Python Array API standard and numpy.linalg.
/// Dtype:    float32, float64 and complex numbers of both unchanged; float64 for integers,
///           float32 for float16.
/// Memory:   whole matrices: as many at once as are allowed. Some functions, as stated there,
///           take matrices of many more rows than columns, or columns than rows, in several chunks,
///           block by block.
/// NaN:      gives NaN.
/// Requires: a rank of at least 2; elements that are numbers.
/// Throws:   memory_error <- a matrix is too large for a task. If a matrix has no result, as the
///           inverse of a singular one, the run fails and names the matrix.

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
#include "tessera/kernel/matrix_kernel.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace tessera {

/// The fraction of the greatest singular value that counts as zero: `rtol(1e-10)`.
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

/// Returns the determinants of matrices; 1 of a matrix without elements.
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

/// Returns the signs of determinants (phases, of complex ones), and the logarithms of their
/// magnitudes, as a tuple: 0 and -infinity of singular matrices.
template <array_expression X>
[[nodiscard]] auto slogdet(const X& x) {
  static_assert(detail::are_matrices<X>,
                "tessera::slogdet(x): requires an array of rank 2 or more, of numbers");
  if constexpr (detail::are_matrices<X>) {
    using type = detail::matrix_element_t<typename X::value_type>;
    detail::require_square("slogdet", x.layout());
    const std::vector<laid_out_array> results =
        make_matrices({.name = "slogdet",
                       .kernel = &matrices::slogdet,
                       .signature = &signature_of<"(n,n)->(),()">,
                       .of_nothing = {1, 0}},
                      dtype_of<type>, {detail::laid_out<type>(x)});
    return std::tuple{detail::array_of<type, X::rank - 2>(results[0]),
                      detail::array_of<real_t<type>, X::rank - 2>(results[1])};
  } else {
    return std::tuple{x, x};
  }
}

/// Returns `x` with `a x = b`, for the matrices in `a` and in `b`; a `b` of rank 1 is one vector
/// for all.
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
/// lower ones: `solve_triangular(a, b, lower_triangle)`. The elements of the other triangle are not
/// used.
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

/// The result of `lstsq`.
template <class T, std::size_t N, std::size_t NumLoops>
struct least_squares {
  using real = real_t<T>;
  array<T, N> x;
  /// The sums of squares of `b - a x`, a sum for each column; none if NumPy gives none.
  array<real, N - 1> residuals;
  array<std::int64_t, NumLoops> rank;
  array<real, NumLoops + 1> singular_values;
};

/// Returns the `x` for which the squares of `b - a x` have the least sum, for matrices in `a` and
/// `b`: `auto [x, residuals, rank, s] = lstsq(a, b)`. Of several solutions it has the least norm. A
/// `b` of rank 1 is one vector for all.
///
/// Singular values below the fraction `rtol(1e-10)` of the greatest count as 0. The default is the
/// greater extent times the dtype's epsilon.
/// Memory: one matrix of many more rows than columns, in several chunks, is factorised by blocks of
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
    const auto solution = lstsq(a, add_axes<2>("lstsq", b, axis_mask{2}), options...);
    using type = typename decltype(solution.x)::value_type;
    return least_squares<type, A::rank - 1, A::rank - 2>{solution.x(ellipsis, 0),
                                                         solution.residuals(ellipsis, 0),
                                                         solution.rank, solution.singular_values};
  } else {
    using type =
        detail::matrix_element_t<promote_t<typename A::value_type, typename B::value_type>>;
    constexpr std::size_t rank = std::max(A::rank, B::rank);
    double least = detail::least_part<type>(a);
    ((least = options.value), ...);
    const std::vector<laid_out_array> results =
        make_lstsq(dtype_of<type>, detail::laid_out<type>(a), detail::laid_out<type>(b), least);
    using result = least_squares<type, rank, rank - 2>;
    return result{detail::array_of<type, rank>(results[0]),
                  detail::array_of<typename result::real, rank - 1>(results[1]),
                  detail::array_of<std::int64_t, rank - 2>(results[2]),
                  detail::array_of<typename result::real, rank - 1>(results[3])};
  }
}

/// Returns the pseudo-inverses of matrices, by their singular values. Values below the fraction
/// `rtol(1e-10)` of the greatest count as 0. The default is the greater extent times the dtype's
/// epsilon.
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

/// Returns the ranks of matrices, as int64: the number of singular values above the fraction
/// `rtol(1e-10)` of the greatest. The default is the greater extent times the dtype's epsilon.
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
