// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// QR factors of matrices; the diagonal of R is not negative.

#include "kernel/matrices/decompositions.hpp"
#include "kernel/matrices/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tessera::matrices {

/// The factors of a matrix, in its place.
///
/// Each column has a power of two of its own: with D of these powers, A = B D and B = Q R, R of A
/// is R D, and Q is the same.
template <class T>
class orthogonal_factors {
 public:
  explicit orthogonal_factors(matrix_map<T>& a) : a_(a) {
    const std::vector<int> exponents = scale_columns(a);
    scales_ = decompose<T>::reflections(a);
    for (std::size_t j = 0; j < exponents.size(); ++j) {
      const auto column = static_cast<index_t>(j);
      scale(a_.col(column).head(std::min(column + 1, size())), exponents[j]);
    }
  }

  /// Returns the number of columns of the reduced Q.
  [[nodiscard]] index_t size() const { return std::min(a_.rows(), a_.cols()); }

  /// Returns element (i, j) of R; 0 beyond its last row.
  [[nodiscard]] T r(index_t i, index_t j) const {
    return i > j || i >= size() ? T{} : conjugate(phase(i)) * a_(i, j);
  }

  /// Replaces `of` by the product of Q and the first `size()` rows of `of`.
  void multiply(matrix_map<T>& of) const {
    for (index_t i = 0; i < size(); ++i) of.row(i) *= phase(i);
    decompose<T>::reflect(a_, scales_, of);
  }

  /// Returns the bytes that are allocated for the factors of such a matrix, and a product of Q.
  static std::size_t kept(index_t rows, index_t columns, index_t multiplied) {
    return decompose<T>::kept_by_reflections(rows, columns, multiplied) +
           bytes_of_exponents(columns);
  }

 private:
  static T conjugate(T x) {
    if constexpr (complex_element<T>) {
      return std::conj(x);
    } else {
      return x;
    }
  }
  /// Returns the divisor of R's diagonal element `i`.
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
  vector<T> scales_;
};

}  // namespace tessera::matrices
