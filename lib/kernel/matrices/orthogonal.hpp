// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Orthogonal factors of matrices, whose triangular ones have diagonals that are not negative.

#include "kernel/matrices/matrix_call.hpp"

#include <Eigen/QR>

namespace tessera::matrices {

/// The factors of a matrix, in its place.
template <class T>
class orthogonal_factors {
 public:
  explicit orthogonal_factors(matrix_map<T>& a) : a_(a), in_place_(a_), factors_(in_place_) {}

  /// Returns how many columns of Q matter.
  [[nodiscard]] index_t size() const { return std::min(a_.rows(), a_.cols()); }

  /// Returns element (i, j) of R; 0 beyond its last row.
  [[nodiscard]] T r(index_t i, index_t j) const {
    return i > j || i >= size() ? T{} : conjugate(phase(i)) * a_(i, j);
  }

  /// Puts the product of Q and what is in the first `size()` rows of `of` in the place of `of`.
  template <class M>
  void multiply(M& of) const {
    for (index_t i = 0; i < size(); ++i) of.row(i) *= phase(i);
    of.applyOnTheLeft(factors_.householderQ());
  }

  /// Returns the bytes that are allocated for the factors of such a matrix, and a product of Q.
  static std::size_t kept(index_t rows, index_t columns, index_t multiplied) {
    constexpr index_t block = 48;
    const index_t size = std::min(rows, columns);
    return 2 * bytes_of_matrix<T>(size, 1) + bytes_of_matrix<T>(columns, 1) +
           bytes_of_matrix<T>(block, block) +
           2 * bytes_of_matrix<T>(std::min(block, size), std::max(columns, multiplied)) +
           packed_bytes<T>(rows, std::max(columns, multiplied), std::min(block, size));
  }

 private:
  static T conjugate(T x) {
    if constexpr (complex_element<T>) {
      return std::conj(x);
    } else {
      return x;
    }
  }
  /// What R's diagonal element `i` must be divided by.
  [[nodiscard]] T phase(index_t i) const {
    const T x = a_(i, i);
    if constexpr (complex_element<T>) {
      const real_of<T> size = std::abs(x);
      return size == real_of<T>{} ? T{1} : x / size;
    } else {
      return std::signbit(x) ? T{-1} : T{1};
    }
  }

  matrix_map<T>& a_;
  matrix_ref<T> in_place_;
  Eigen::HouseholderQR<matrix_ref<T>> factors_;
};

}  // namespace tessera::matrices
