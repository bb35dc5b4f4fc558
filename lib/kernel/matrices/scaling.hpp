// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Powers of two that keep squares of elements in range.
///
/// Problem: the square of 1e200 is infinite and that of 1e-200 is 0, so that lengths of columns and
/// reflections of such matrices are NaN or lose their digits.
///
/// Idea: elements are multiplied by a power of two before a decomposition, and results by the power
/// that undoes it. Both are exact, so a matrix in range has the same bits with and without it:
///
///     A = 2^e B,    B = Q R = U diag(s) V^H    =>    A = Q (2^e R) = U diag(2^e s) V^H
///
/// Invariant: the greatest component of B is in [1/2, 1). Elements that underflow in B are
/// negligible beside it.
/// Reference: LAPACK's xGESDD and xGELSD scale in the same way.

#include "kernel/matrices/matrix_call.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <vector>

namespace tessera::matrices {

/// Returns the greatest magnitude of a real or imaginary part of `m`, or 0 if `m` has no elements.
template <class M>
auto greatest_component(const M& m) {
  if constexpr (complex_element<typename M::Scalar>) {
    return std::max(m.real().template lpNorm<Eigen::Infinity>(),
                    m.imag().template lpNorm<Eigen::Infinity>());
  } else {
    return m.template lpNorm<Eigen::Infinity>();
  }
}

/// Returns the exponent e of the power of two of `m`, or 0 if squares of elements are in range, or
/// if `m` has NaN, infinities or zeros alone.
template <class M>
int scale_of(const M& m) {
  using real = real_of<typename M::Scalar>;
  constexpr int in_range = std::numeric_limits<real>::max_exponent / 4;
  const real greatest = greatest_component(m);
  if (!(greatest > 0 && greatest <= std::numeric_limits<real>::max())) return 0;
  int exponent = 0;
  static_cast<void>(std::frexp(greatest, &exponent));
  return std::abs(exponent) <= in_range ? 0 : exponent;
}

/// Multiplies `m` by 2^exponent.
template <class M>
void scale(M&& m, int exponent) {
  using T = typename std::remove_cvref_t<M>::Scalar;
  if (exponent == 0) return;
  for (index_t j = 0; j < m.cols(); ++j) {
    for (index_t i = 0; i < m.rows(); ++i) {
      T& x = m(i, j);
      if constexpr (complex_element<T>) {
        x = {std::ldexp(x.real(), exponent), std::ldexp(x.imag(), exponent)};
      } else {
        x = std::ldexp(x, exponent);
      }
    }
  }
}

/// Divides each column of `m` by its power of two. Returns the exponents, or nothing if all are 0.
template <class M>
std::vector<int> scale_columns(M& m) {
  std::vector<int> exponents;
  for (index_t j = 0; j < m.cols(); ++j) {
    const int exponent = scale_of(m.col(j));
    if (exponent == 0) continue;
    exponents.resize(static_cast<std::size_t>(m.cols()));
    exponents[static_cast<std::size_t>(j)] = exponent;
    scale(m.col(j), -exponent);
  }
  return exponents;
}

/// Returns the most bytes that the exponents of `columns` columns take.
inline std::size_t bytes_of_exponents(index_t columns) {
  return static_cast<std::size_t>(columns) * sizeof(int);
}

}  // namespace tessera::matrices
