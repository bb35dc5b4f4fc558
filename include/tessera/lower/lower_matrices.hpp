// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes the nodes of a plan that are functions of whole matrices, for linear algebra.
///
/// Matrices lie along the last two axes; axes before them are broadcast. A matrix is in one task,
/// which must hold it. With rows in many chunks, and few columns, tasks hold some rows each.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/block_form.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/meta/signature.hpp"
#include "tessera/plan/array_view.hpp"

#include <string_view>
#include <vector>

namespace tessera {

/// A view of an array, and its layout.
struct laid_out_array {
  array_view view;
  array_layout layout;
};

/// A function of whole matrices.
struct matrix_function {
  std::string_view name;
  const block_kernel& (*kernel)(dtype) = nullptr;
  const gufunc_signature* signature = nullptr;
  std::vector<named_extent> result_extents = {};
  kernel_parameters parameters = {};
  /// The elements of results of matrices without elements.
  std::vector<double> of_nothing = {0};
};

/// Returns the results of `function` for `operands`, of elements of `type`; one operation computes
/// them.
///
/// Throws: shape_error <- extents differ. memory_error <- matrices too large for a task.
[[nodiscard]] std::vector<laid_out_array> make_matrices(
    const matrix_function& function, dtype type, const std::vector<laid_out_array>& operands);

/// Returns P, L and U.
[[nodiscard]] std::vector<laid_out_array> make_lu(dtype type, const laid_out_array& x);

/// Return Q and R; U, the singular values and V^H; the singular values; and the results of
/// `matrices::lstsq` for `a` and `b`. `is_full`: Q, or U and V, are square.
///
/// A matrix of many more rows than columns, in several chunks, is factorised by TSQR: tasks compute
/// `R` of some rows each, then of several of these, up to one `R`; Q, or U, follows from the last
/// one back. The matrix is read once for R, and once more for Q.
/// Source: Demmel, Grigori, Hoemmen, Langou, "Communication-optimal parallel and sequential QR".
[[nodiscard]] std::vector<laid_out_array> make_qr(dtype type, const laid_out_array& x,
                                                  bool is_full);
[[nodiscard]] std::vector<laid_out_array> make_svd(dtype type, const laid_out_array& x,
                                                   bool is_full);
[[nodiscard]] laid_out_array make_svdvals(dtype type, const laid_out_array& x);
[[nodiscard]] std::vector<laid_out_array> make_lstsq(dtype type, const laid_out_array& a,
                                                     const laid_out_array& b, double least);

}  // namespace tessera
