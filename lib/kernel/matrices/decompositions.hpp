// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Decompositions of a matrix, by whichever library this build has: LAPACK, or Eigen.

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

/// Decompositions, each with the most bytes that it takes besides its arguments.
template <class T>
struct decompose {
  using map = matrix_map<T>;

  /// Puts L of `a = L L^H` in the lower triangle, which alone is read. Returns whether there is
  /// one.
  [[nodiscard]] static bool cholesky(map& a);
  [[nodiscard]] static std::size_t kept_by_cholesky(index_t n);

  /// Puts L, without its diagonal of 1, and U in the place of a matrix whose rows are exchanged, as
  /// many as its lesser extent.
  [[nodiscard]] static row_exchanges lu(map& a);
  /// Puts what solves `a x = b` in the place of `b`.
  static void solve_by_lu(const map& lu, const row_exchanges& exchanges, map& b);
  /// Of a matrix of `n` rows, and one of `others` columns that is solved for.
  [[nodiscard]] static std::size_t kept_by_lu(index_t n, index_t others);

  /// Puts what solves `a x = b` in the place of `b`, of a triangle of `a`: the lower or the upper
  /// one, which alone is read.
  static void solve_triangular(const map& a, bool is_lower, map& b);

  /// Puts R in the upper triangle of `a`, and the reflections of which Q is the product below it.
  /// Returns by how much each reflects.
  [[nodiscard]] static vector<T> reflections(map& a);
  /// Puts the product of Q and `of` in the place of `of`.
  static void reflect(const map& a, const vector<T>& scales, map& of);
  /// Of such a matrix, and one of `others` columns that is reflected.
  [[nodiscard]] static std::size_t kept_by_reflections(index_t rows, index_t columns,
                                                       index_t others);

  /// Returns the eigenvalues of a Hermitian matrix, which is lost, and of which the lower triangle
  /// is read, and the vectors where they are asked for; nothing where they are not found. Requires:
  /// no NaN.
  [[nodiscard]] static std::optional<hermitian_parts<T>> hermitian(map& a, bool has_vectors);
  /// Of what is returned as well.
  [[nodiscard]] static std::size_t kept_by_hermitian(index_t n, bool has_vectors);

  /// Returns the singular values, in descending order, of a square matrix, which is lost, and the
  /// vectors where they are asked for; nothing where they are not found. Requires: no NaN, no
  /// infinity.
  [[nodiscard]] static std::optional<singular_parts<T>> singular(map& a, bool has_vectors);
  /// Of what is returned as well.
  [[nodiscard]] static std::size_t kept_by_singular(index_t n, bool has_vectors);
};

}  // namespace tessera::matrices
