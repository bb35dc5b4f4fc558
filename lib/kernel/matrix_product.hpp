// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The product of two matrices that is added to a third, of any type and strides.

#include "tessera/core/index.hpp"

#include "kernel/gemm.hpp"
#include "kernel/library_product.hpp"
#include "kernel/matrix_axis.hpp"
#include "kernel/panel_product.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <span>

namespace tessera::detail {

/// Tells whether the library's products of panels need no copies.
template <class T>
bool needs_no_copies(const matrix_product<T>& product) {
  return is_in_place(product) && !depends_on_order<T>() &&
         as_dense(product.a, product.a_rows, product.a_inner, {0, 0, product.rows, product.inner},
                  false) &&
         as_dense(product.b, product.b_inner, product.b_columns,
                  {0, 0, product.inner, product.columns}, false);
}

/// Adds a product. Floats go through the library if panels need no copies, or if `workspace` has
/// room for the copies.
template <class T>
void accumulate(const matrix_product<T>& product, std::span<std::byte> workspace) {
  const auto [rows, columns, inner] = std::array{product.rows, product.columns, product.inner};
  if (rows == 0 || columns == 0 || inner == 0) return;
  if constexpr (std::floating_point<T>) {
    const std::size_t most = packed_bytes<T>(rows, columns, inner) +
                             (is_in_place(product) ? 0 : copied_bytes<T>(rows, columns, inner));
    if (!is_small(rows, columns, inner) && (workspace.size() >= most || needs_no_copies(product))) {
      auto* const packed = static_cast<T*>(static_cast<void*>(workspace.data()));
      return library_product<T>(product, packed).run();
    }
  }
  accumulate_by_panels(product);
}

}  // namespace tessera::detail
