// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels of linear algebra: functions of whole matrices, which lie along the last two axes of
/// blocks, for float32, float64 and complex numbers of both. NaN gives NaN.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"

namespace tessera::matrices {

/// Return kernels of square matrices.
///
/// They throw value_error, which names the matrix: `cholesky` if one is not positive definite,
/// `solve`, `solve_triangular` and `inv` if one is singular.
[[nodiscard]] const block_kernel& cholesky(dtype type);
[[nodiscard]] const block_kernel& solve(dtype type);
[[nodiscard]] const block_kernel& solve_triangular(dtype type);
/// Returns its parameters: which triangle of the first matrix is read.
[[nodiscard]] kernel_parameters triangular_parameters(bool is_lower);
[[nodiscard]] const block_kernel& inv(dtype type);
[[nodiscard]] const block_kernel& det(dtype type);
/// Returns the kernel that gives the determinant's sign and the logarithm of its magnitude.
[[nodiscard]] const block_kernel& slogdet(dtype type);
/// Return the kernels of the eigenvalues of Hermitian matrices, of which the lower triangle is
/// read, in ascending order, and of these with the eigenvectors.
[[nodiscard]] const block_kernel& eigvalsh(dtype type);
[[nodiscard]] const block_kernel& eigh(dtype type);

/// Return kernels of matrices of any shape: of P, which exchanges rows and is real, L and U; of Q
/// and R, of which the diagonal is not negative; of singular values in descending order, and of
/// these between the vectors. Shapes of the results say whether Q, or U and V, are square.
[[nodiscard]] const block_kernel& lu(dtype type);
[[nodiscard]] const block_kernel& qr(dtype type);
[[nodiscard]] const block_kernel& svdvals(dtype type);
[[nodiscard]] const block_kernel& svd(dtype type);

/// Returns the kernel of least squares. Its outputs are the solutions of the least norm, the sums
/// of squares of the residuals, the rank as int64, and the singular values.
[[nodiscard]] const block_kernel& lstsq(dtype type);
/// Returns its parameters: the part of the greatest singular value that counts as nothing.
[[nodiscard]] kernel_parameters lstsq_parameters(double least);

/// Returns the kernel of the R factor of a matrix, or of two beside each other, whose rows are all
/// elements along all axes but the last. The factor is that of `qr`, with rows of zeros if there
/// are fewer than columns.
[[nodiscard]] const block_kernel& triangle(dtype type, bool has_second);
/// Returns the kernel of the product of the Q factor of such a matrix and another matrix, of which
/// only as many rows count as Q has columns; of the Q factor itself if there is none.
[[nodiscard]] const block_kernel& orthonormal(dtype type, bool has_factor);

}  // namespace tessera::matrices
