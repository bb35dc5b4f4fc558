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

/// The greatest extents of a call of a library. Longer products are cut into panels. The bits of a
/// sum depend on the extents of the call, so the extents depend on no library and on no packing.
/// The inner panel divides into the steps of every kernel evenly, and is as fast as longer ones.
inline constexpr index_t row_panel = 1024;
inline constexpr index_t column_panel = 1024;
inline constexpr index_t inner_panel = 256;

/// Adds `a * b` to `out`, which is row-major; runs on the calling thread alone. Requires: extents
/// of at most a panel.
template <class T>
void gemm(index_t rows, index_t columns, index_t inner, const dense_matrix<T>& a,
          const dense_matrix<T>& b, T* out, index_t out_stride);

/// Returns the most bytes that `gemm` touches besides its operands.
template <class T>
std::size_t gemm_workspace(index_t rows, index_t columns, index_t inner);

/// Tells whether the bits of a product of at most 128^3 terms depend on the order in which its
/// operands lie in memory. Small products show it, once for the process: OpenBLAS multiplies small
/// matrices by kernels of their own on processors with AVX-512, Eigen multiplies vectors so.
template <class T>
[[nodiscard]] bool depends_on_order();

/// The same by Eigen, which each build has, for the processor that this library was compiled for.
template <class T>
void gemm_by_eigen(index_t rows, index_t columns, index_t inner, const dense_matrix<T>& a,
                   const dense_matrix<T>& b, T* out, index_t out_stride);
template <class T>
std::size_t gemm_by_eigen_workspace(index_t rows, index_t columns, index_t inner);

/// Tells whether Eigen multiplies and adds four or eight doubles in one step.
[[nodiscard]] bool has_eigen_wide_steps();

}  // namespace tessera::detail
