// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes the nodes of a plan that are functions of whole matrices: what linear algebra calls.
///
/// Matrices lie along the last two axes; others are broadcast. A matrix is in one task, which must
/// hold it. Where rows are in many chunks, and few columns, tasks hold some rows each.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/block_form.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/meta/signature.hpp"
#include "tessera/plan/node.hpp"

#include <string_view>
#include <vector>

namespace tessera {

/// An array, as it is seen and laid out.
struct laid_out_array {
  array_view view;
  array_layout layout;
};

/// A function of whole matrices.
struct matrix_function {
  std::string_view name;
  const block_kernel& (*kernel)(dtype) = nullptr;
  const gufunc_signature* signature = nullptr;
  std::vector<named_extent> own = {};
  kernel_parameters parameters = {};
  /// The elements of results, where matrices have none.
  std::vector<double> of_nothing = {0};
};

/// Returns what `what` makes of `operands`, of elements of `type`; one operation makes all.
///
/// Throws: shape_error <- extents differ. memory_error <- matrices too large for a task.
[[nodiscard]] std::vector<laid_out_array> make_matrices(
    const matrix_function& what, dtype type, const std::vector<laid_out_array>& operands);

/// Returns P, L and U.
[[nodiscard]] std::vector<laid_out_array> make_lu(dtype type, const laid_out_array& x);

/// Return Q and R; U, the singular values and V^H; the singular values; and what `matrices::lstsq`
/// makes of `a` and `b`. `is_full`: Q, or U and V, are square.
///
/// Of one matrix of many more rows than columns, in several chunks, tasks take `R` of some rows
/// each, then of several such, up to one; Q, or U, is made from there back. It is read once for R,
/// and once more for Q.
/// Source: Demmel, Grigori, Hoemmen, Langou, "Communication-optimal parallel and sequential QR".
[[nodiscard]] std::vector<laid_out_array> make_qr(dtype type, const laid_out_array& x,
                                                  bool is_full);
[[nodiscard]] std::vector<laid_out_array> make_svd(dtype type, const laid_out_array& x,
                                                   bool is_full);
[[nodiscard]] laid_out_array make_svdvals(dtype type, const laid_out_array& x);
[[nodiscard]] std::vector<laid_out_array> make_lstsq(dtype type, const laid_out_array& a,
                                                     const laid_out_array& b, double least);

}  // namespace tessera
