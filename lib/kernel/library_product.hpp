// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The product of two matrices of floats by a library: panels of any strides.

#include "tessera/core/index.hpp"

#include "kernel/gemm.hpp"
#include "kernel/matrix_axis.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>

namespace tessera::detail {

/// Returns the operand as BLAS takes it, or nullopt if neither of its axes has unit stride.
template <class T>
std::optional<dense_matrix<T>> as_dense(const T* data, index_t rows, index_t columns,
                                        index_t row_stride, index_t column_stride) {
  constexpr index_t greatest = std::numeric_limits<int>::max();
  // The stride along an axis of one element is never used, but it must be one that BLAS accepts.
  if (columns == 1) column_stride = 1;
  if (rows == 1 && column_stride == 1) row_stride = columns;
  if (column_stride == 1 && row_stride >= columns && row_stride <= greatest) {
    return dense_matrix<T>{data, false, row_stride};
  }
  if (rows == 1) row_stride = 1;
  if (row_stride == 1 && column_stride >= rows && column_stride <= greatest) {
    return dense_matrix<T>{data, true, column_stride};
  }
  return std::nullopt;
}

/// Tells whether a product has so few terms that BLAS's packing would cost more than it saves, in
/// time and in memory.
inline bool is_small(index_t rows, index_t columns, index_t inner) {
  constexpr double most_terms = 32.0 * 32.0 * 32.0;
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner) <=
         most_terms;
}

/// Tells whether a call of the library is so small that its bits may depend on the order of the
/// operands in memory: a library may have kernels for small matrices and for vectors.
inline bool may_depend_on_order(index_t rows, index_t columns, index_t inner) {
  constexpr double most_terms = 128.0 * 128.0 * 128.0;
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner) <=
         most_terms;
}

/// A box of a matrix: its first row and column, and its extents.
struct matrix_box {
  index_t row = 0;
  index_t column = 0;
  index_t rows = 0;
  index_t columns = 0;
};

/// Returns `box` of a matrix as BLAS takes it, or nullopt if its elements are neighbours along
/// neither axis, or along its columns and `are_rows_dense`.
template <class T>
std::optional<dense_matrix<T>> as_dense(const T* data, const matrix_axis& rows,
                                        const matrix_axis& columns, const matrix_box& box,
                                        bool are_rows_dense) {
  if (!rows.is_one() || !columns.is_one()) return std::nullopt;
  auto dense = as_dense(data + rows.offset(box.row) + columns.offset(box.column), box.rows,
                        box.columns, rows.stride(), columns.stride());
  if (dense && dense->transposed && are_rows_dense) dense.reset();
  return dense;
}

/// Returns `box` of a matrix as BLAS takes it, copied to `packed` if need be.
template <class T>
dense_matrix<T> dense_copy(const T* data, const matrix_axis& rows, const matrix_axis& columns,
                           const matrix_box& box, bool are_rows_dense, T* packed) {
  if (const auto dense = as_dense(data, rows, columns, box, are_rows_dense)) return *dense;
  for (index_t j = 0; j < box.columns; ++j) {
    const T* const column = data + columns.offset(box.column + j);
    for (index_t i = 0; i < box.rows; ++i) {
      packed[i * box.columns + j] = column[rows.offset(box.row + i)];
    }
  }
  return {packed, false, box.columns};
}

/// Tells whether BLAS can add to the result in place.
template <class T>
bool is_in_place(const matrix_product<T>& product) {
  return product.out_rows.is_one() && product.out_columns.is_dense() &&
         product.out_rows.stride() <= std::numeric_limits<int>::max();
}

/// Any strides, by the library's products of panels, which are copied if need be. The extents of
/// panels do not depend on strides, so that the bits do not.
template <class T>
class library_product {
 public:
  /// `workspace` is null if no panel needs a copy.
  library_product(const matrix_product<T>& product, T* workspace)
      : product_(product), is_in_place_(is_in_place(product)) {
    if (workspace == nullptr) return;
    const index_t inner = std::min(inner_panel, product.inner);
    packed_a_ = workspace;
    packed_b_ = packed_a_ + std::min(row_panel, product.rows) * inner;
    packed_out_ = packed_b_ + std::min(column_panel, product.columns) * inner;
  }

  void run() const {
    for (index_t j = 0; j < product_.columns; j += column_panel) {
      for (index_t i = 0; i < product_.rows; i += row_panel) {
        const matrix_box box{i, j, std::min(row_panel, product_.rows - i),
                             std::min(column_panel, product_.columns - j)};
        if (is_in_place_) {
          const index_t stride = product_.rows == 1 ? product_.columns : product_.out_rows.stride();
          add_panels(box, product_.out + product_.out_rows.offset(i) + j, stride);
          continue;
        }
        copy_out(box, [](const T& element, T& copied) { copied = element; });
        add_panels(box, packed_out_, box.columns);
        copy_out(box, [](T& element, const T& copied) { element = copied; });
      }
    }
  }

 private:
  void add_panels(const matrix_box& box, T* out, index_t stride) const {
    for (index_t k = 0; k < product_.inner; k += inner_panel) {
      const index_t inner = std::min(inner_panel, product_.inner - k);
      const bool are_rows_dense =
          may_depend_on_order(box.rows, box.columns, inner) && depends_on_order<T>();
      const dense_matrix<T> a =
          dense_copy(product_.a, product_.a_rows, product_.a_inner, {box.row, k, box.rows, inner},
                     are_rows_dense, packed_a_);
      const dense_matrix<T> b =
          dense_copy(product_.b, product_.b_inner, product_.b_columns,
                     {k, box.column, inner, box.columns}, are_rows_dense, packed_b_);
      gemm<T>(box.rows, box.columns, inner, a, b, out, stride);
    }
  }

  /// Calls `f` with each element of the result and its copy.
  template <class F>
  void copy_out(const matrix_box& box, F f) const {
    for (index_t i = 0; i < box.rows; ++i) {
      T* const row = product_.out + product_.out_rows.offset(box.row + i);
      for (index_t j = 0; j < box.columns; ++j) {
        f(row[product_.out_columns.offset(box.column + j)], packed_out_[i * box.columns + j]);
      }
    }
  }

  const matrix_product<T>& product_;
  bool is_in_place_;
  T* packed_a_ = nullptr;
  T* packed_b_ = nullptr;
  T* packed_out_ = nullptr;
};

/// Returns the bytes of the copy of a panel of the result, if it does not lie as one matrix.
template <class T>
std::size_t copied_bytes(index_t rows, index_t columns, index_t inner) {
  if constexpr (std::floating_point<T>) {
    if (!is_small(rows, columns, inner)) {
      return static_cast<std::size_t>(std::min(row_panel, rows) * std::min(column_panel, columns)) *
             sizeof(T);
    }
  }
  return 0;
}

/// Returns the bytes in which panels of matrices of these extents are packed.
template <class T>
std::size_t packed_bytes(index_t rows, index_t columns, index_t inner) {
  if constexpr (std::floating_point<T>) {
    if (!is_small(rows, columns, inner)) {
      const index_t elements = (std::min(row_panel, rows) + std::min(column_panel, columns)) *
                               std::min(inner_panel, inner);
      return static_cast<std::size_t>(elements) * sizeof(T);
    }
  }
  return 0;
}

/// Returns the most bytes that `accumulate` takes by itself, and may keep.
template <class T>
std::size_t kept_bytes(index_t rows, index_t columns, index_t inner) {
  if constexpr (std::floating_point<T>) {
    if (!is_small(rows, columns, inner)) return gemm_workspace<T>(rows, columns, inner);
  }
  return 0;
}

}  // namespace tessera::detail
