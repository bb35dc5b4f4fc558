// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Factors of matrices, which lie along the last two axes, their eigenvalues and singular values.
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
#include "tessera/kernel/matrix_kernel.hpp"

#include <concepts>
#include <cstddef>
#include <tuple>
#include <vector>

namespace tessera {

/// The type of `full_matrices`.
struct full_matrices_t {
  explicit full_matrices_t() = default;
};

/// Asks `qr` for a square Q, and `svd` for square U and V.
inline constexpr full_matrices_t full_matrices{};

/// Returns the lower triangular `L` with `x = L L^H`, of Hermitian positive definite matrices, of
/// which the lower triangle is read.
///
/// Throws: a run fails <- a matrix is not positive definite.
template <array_expression X>
[[nodiscard]] auto cholesky(const X& x) {
  static_assert(detail::are_matrices<X>,
                "tessera::cholesky(x): requires an array of rank 2 or more, of numbers");
  if constexpr (detail::are_matrices<X>) {
    using type = detail::matrix_element_t<typename X::value_type>;
    return detail::array_of<type, X::rank>(detail::of_square<type>(
        "cholesky", &matrices::cholesky, signature_of<"(n,n)->(n,n)">, x, 0));
  } else {
    return x;
  }
}

/// Returns the eigenvalues, in ascending order, and the eigenvectors, in columns, of Hermitian
/// matrices, of which the lower triangle is read, as a tuple.
template <array_expression X>
[[nodiscard]] auto eigh(const X& x) {
  static_assert(detail::are_matrices<X>,
                "tessera::eigh(x): requires an array of rank 2 or more, of numbers");
  if constexpr (detail::are_matrices<X>) {
    using type = detail::matrix_element_t<typename X::value_type>;
    detail::require_square("eigh", x.layout());
    const std::vector<laid_out_array> results = make_matrices(
        {.name = "eigh", .kernel = &matrices::eigh, .signature = &signature_of<"(n,n)->(n),(n,n)">},
        dtype_of<type>, {detail::laid_out<type>(x)});
    return std::tuple{detail::array_of<real_t<type>, X::rank - 1>(results[0]),
                      detail::array_of<type, X::rank>(results[1])};
  } else {
    return std::tuple{x, x};
  }
}

/// Returns the eigenvalues of `eigh`.
template <array_expression X>
[[nodiscard]] auto eigvalsh(const X& x) {
  static_assert(detail::are_matrices<X>,
                "tessera::eigvalsh(x): requires an array of rank 2 or more, of numbers");
  if constexpr (detail::are_matrices<X>) {
    using type = detail::matrix_element_t<typename X::value_type>;
    return detail::array_of<real_t<type>, X::rank - 1>(
        detail::of_square<type>("eigvalsh", &matrices::eigvalsh, signature_of<"(n,n)->(n)">, x, 0));
  } else {
    return x;
  }
}

/// Returns P, L and U with `x = P L U`, as a tuple: P exchanges rows and holds real numbers, L is
/// lower triangular, of ones on the diagonal, U upper triangular; of as many columns, and rows, as
/// the lesser extent. Of each column the greatest magnitude that is left is the pivot.
///
/// Source: scipy.linalg.lu.
template <array_expression X>
[[nodiscard]] auto lu(const X& x) {
  static_assert(detail::are_matrices<X>,
                "tessera::lu(x): requires an array of rank 2 or more, of numbers");
  if constexpr (detail::are_matrices<X>) {
    using type = detail::matrix_element_t<typename X::value_type>;
    const std::vector<laid_out_array> results = make_lu(dtype_of<type>, detail::laid_out<type>(x));
    return std::tuple{detail::array_of<real_t<type>, X::rank>(results[0]),
                      detail::array_of<type, X::rank>(results[1]),
                      detail::array_of<type, X::rank>(results[2])};
  } else {
    return std::tuple{x, x, x};
  }
}

/// Returns Q, with columns that are orthonormal, and R, upper triangular, with `x = Q R`, as a
/// tuple: of as many columns, and rows, as the lesser extent; by `qr(x, full_matrices)` Q is
/// square.
///
/// The diagonal of R is real and not negative, so that Q and R are the same in any chunks, up to
/// rounding; NumPy leaves signs as they come.
/// Memory: one matrix of many more rows than columns, in several chunks, is factorised by blocks of
///         rows: it is read twice, once for R alone.
template <array_expression X, class... Options>
[[nodiscard]] auto qr(const X& x, Options...) {
  constexpr bool are_right =
      detail::are_matrices<X> && (std::same_as<Options, full_matrices_t> && ...);
  static_assert(are_right,
                "tessera::qr(x), qr(x, full_matrices): requires an array of rank 2 or more, of "
                "numbers");
  if constexpr (are_right) {
    using type = detail::matrix_element_t<typename X::value_type>;
    const std::vector<laid_out_array> results =
        make_qr(dtype_of<type>, detail::laid_out<type>(x), sizeof...(Options) > 0);
    return std::tuple{detail::array_of<type, X::rank>(results[0]),
                      detail::array_of<type, X::rank>(results[1])};
  } else {
    return std::tuple{x, x};
  }
}

/// Returns U, the singular values, in descending order, and the adjoint of V, with `x = U S V^H`,
/// as a tuple. U has as many columns, and the adjoint as many rows, as there are singular values.
/// With `svd(x, full_matrices)`, NumPy's default, U and V are square.
///
/// Memory: one matrix of many more rows than columns, or columns than rows, in several chunks, is
///         factorised by blocks of rows, or columns: it is read twice, once for the values alone.
template <array_expression X, class... Options>
[[nodiscard]] auto svd(const X& x, Options...) {
  constexpr bool are_right =
      detail::are_matrices<X> && (std::same_as<Options, full_matrices_t> && ...);
  static_assert(are_right,
                "tessera::svd(x), svd(x, full_matrices): requires an array of rank 2 or more, of "
                "numbers");
  if constexpr (are_right) {
    using type = detail::matrix_element_t<typename X::value_type>;
    const std::vector<laid_out_array> results =
        make_svd(dtype_of<type>, detail::laid_out<type>(x), sizeof...(Options) > 0);
    return std::tuple{detail::array_of<type, X::rank>(results[0]),
                      detail::array_of<real_t<type>, X::rank - 1>(results[1]),
                      detail::array_of<type, X::rank>(results[2])};
  } else {
    return std::tuple{x, x, x};
  }
}

/// Returns the singular values of `svd`.
template <array_expression X>
[[nodiscard]] auto svdvals(const X& x) {
  static_assert(detail::are_matrices<X>,
                "tessera::svdvals(x): requires an array of rank 2 or more, of numbers");
  if constexpr (detail::are_matrices<X>) {
    using type = detail::matrix_element_t<typename X::value_type>;
    return detail::array_of<real_t<type>, X::rank - 1>(
        make_svdvals(dtype_of<type>, detail::laid_out<type>(x)));
  } else {
    return x;
  }
}

}  // namespace tessera
