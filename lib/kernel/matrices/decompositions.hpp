// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Decompositions of a matrix, by the library of this build: LAPACK, or Eigen.

#include "kernel/matrices/matrix_call.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera::matrices {

/// The row with which each row was exchanged, one after the other.
using row_exchanges = std::vector<int>;

/// `U diag(s) V^H` of a square matrix.
template <class T>
struct singular_parts {
  matrix<T> u;
  vector<real_of<T>> s;
  matrix<T> v;
};

/// The eigenvalues, in ascending order, and eigenvectors, in columns, of a Hermitian matrix.
template <class T>
struct hermitian_parts {
  vector<real_of<T>> values;
  matrix<T> vectors;
};

/// Decompositions and products, each with the most bytes that it takes besides its arguments.
template <class T>
struct decompose {
  using map = matrix_map<T>;

  /// Adds `factor` times the product of `a`, or of its adjoint, and `b` to `out`.
  static void add_product(T factor, const map& a, bool is_adjoint, const map& b, map& out);
  /// Of a product of `rows` and `columns`, along `inner`.
  [[nodiscard]] static std::size_t kept_by_product(index_t rows, index_t columns, index_t inner);

  /// Puts L of `a = L L^H` in the lower triangle; only this triangle is read. Returns false if `a`
  /// is not positive definite.
  [[nodiscard]] static bool cholesky(map& a);
  [[nodiscard]] static std::size_t kept_by_cholesky(index_t n);

  /// Replaces `a` by L, without its diagonal of 1, and U. Returns the exchanges of rows, as many as
  /// the lesser extent.
  [[nodiscard]] static row_exchanges lu(map& a);
  /// Replaces `b` by the solution of `a x = b`.
  static void solve_by_lu(const map& lu, const row_exchanges& exchanges, map& b);
  /// Of a matrix of `n` rows, and a right side of `others` columns.
  [[nodiscard]] static std::size_t kept_by_lu(index_t n, index_t others);

  /// Replaces `b` by the solution of `a x = b`, with `a` the lower or the upper triangle. The
  /// other triangle is not read.
  static void solve_triangular(const map& a, bool is_lower, map& b);

  /// Puts R in the upper triangle of `a`, and below it the Householder reflections whose product is
  /// Q. Returns their scales.
  [[nodiscard]] static vector<T> reflections(map& a);
  /// Replaces `of` by the product of Q and `of`.
  static void reflect(const map& a, const vector<T>& scales, map& of);
  /// Of such a matrix, and a reflected matrix of `others` columns.
  [[nodiscard]] static std::size_t kept_by_reflections(index_t rows, index_t columns,
                                                       index_t others);

  /// Returns the eigenvalues, and eigenvectors if asked, of a Hermitian matrix, or nullopt if the
  /// iteration does not converge. Reads the lower triangle, and overwrites `a`. Requires: no NaN.
  [[nodiscard]] static std::optional<hermitian_parts<T>> hermitian(map& a, bool has_vectors);
  /// Includes the returned parts.
  [[nodiscard]] static std::size_t kept_by_hermitian(index_t n, bool has_vectors);

  /// Returns the singular values in descending order, and the vectors if asked, of a square matrix,
  /// or nullopt if the iteration does not converge. Overwrites `a`. Requires: no NaN, no infinity.
  [[nodiscard]] static std::optional<singular_parts<T>> singular(map& a, bool has_vectors);
  /// Includes the returned parts.
  [[nodiscard]] static std::size_t kept_by_singular(index_t n, bool has_vectors);
};

}  // namespace tessera::matrices
