// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The kernels of sums of products: the product of two blocks, accumulated into a third, and
/// products and sums of elements.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"

#include <concepts>
#include <cstddef>

namespace tessera::contraction {

/// The numbers of axes of the blocks of a product: `a` has those of the batch, of rows and of the
/// sum; `b` those of the batch, of the sum and of columns; the result those of the batch, of rows
/// and of columns.
struct axis_counts {
  std::size_t batch = 0;
  std::size_t rows = 1;
  std::size_t columns = 1;
  std::size_t inner = 1;
  /// 1 if the last axis of the result in memory is an axis of rows, else 0.
  std::size_t are_rows_last = 0;
};

/// Returns the parameters of `matmul`; without any, blocks are matrices.
[[nodiscard]] kernel_parameters parameters(const axis_counts& counts);

/// Returns the kernel of `out += a * b`; its start sets `out` to zero.
///
/// Axes of one role are one axis of a matrix, in row-major order; axes of the batch are loops.
/// float32 and float64 call BLAS if the library was built with one, and Eigen otherwise. Both run
/// on the calling thread alone, and accumulate in the dtype itself. While calls are under way,
/// OpenBLAS is held at one thread for the whole process; its setting is put back when the last of
/// them returns. Products and sums of integers wrap. The bits depend on the extents of a call, and
/// on the order of the output's axes, not on strides.
/// Requires: `T` is a number's type, and not float16.
template <element T>
requires(!std::same_as<T, bool>) [[nodiscard]] const block_kernel& matmul();

/// The kernels of a dtype `T`: products of blocks and of elements, and the fold that sums elements
/// in a `T`, as accurately as `tessera::sum`.
struct kernels {
  const block_kernel& matmul;
  const strip_kernel& multiply;
  const fold_kernel& sum;
};

/// Throws: value_error <- `type` is bool or float16.
[[nodiscard]] kernels kernels_of(dtype type);

}  // namespace tessera::contraction
