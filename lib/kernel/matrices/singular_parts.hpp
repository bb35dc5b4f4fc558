// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Singular parts of square matrices. Compilers take long for these: each pair of types has a
/// source of its own.

#include "kernel/matrices/matrix_call.hpp"

namespace tessera::matrices {

/// `U diag(s) V^H` of a square matrix.
template <class T>
struct singular_parts {
  matrix<T> u;
  vector<real_of<T>> s;
  matrix<T> v;
};

/// Returns the singular values, in descending order, and the vectors where they are asked for; NaN
/// where the matrix has NaN or infinities.
template <class T>
singular_parts<T> parts_of(const matrix<T>& a, bool has_vectors);

}  // namespace tessera::matrices
