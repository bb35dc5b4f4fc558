// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The product of two dense matrices of floats, by the faster of the libraries of this build.

#include "tessera/core/index.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera::detail {

/// A matrix whose elements are neighbours along its rows, or along its columns if `transposed`.
template <class T>
struct dense_matrix {
  const T* data;
  bool transposed;
  index_t stride;  // between rows, or between columns if `transposed`
};

/// Adds `a * b` to `out`, which is row-major; runs on the calling thread alone.
template <class T>
void gemm(index_t rows, index_t columns, index_t inner, const dense_matrix<T>& a,
          const dense_matrix<T>& b, T* out, index_t out_stride);

/// Returns the most bytes that `gemm` touches besides its operands.
template <class T>
std::size_t gemm_workspace(index_t rows, index_t columns, index_t inner);

/// The same by Eigen, which each build has, for the processor that this library was compiled for.
template <class T>
void gemm_by_eigen(index_t rows, index_t columns, index_t inner, const dense_matrix<T>& a,
                   const dense_matrix<T>& b, T* out, index_t out_stride);
template <class T>
std::size_t gemm_by_eigen_workspace(index_t rows, index_t columns, index_t inner);

/// Tells whether Eigen multiplies and adds four or eight doubles in one step.
[[nodiscard]] bool has_eigen_wide_steps();

}  // namespace tessera::detail
