// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The product of two matrices that is added to a third, of any type and strides.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"

#include "kernel/gemm.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

namespace tessera::detail {

/// The product of two matrices that is added to a third: `out[i, j] += sum over k of a[i, k] *
/// b[k, j]`. Strides in elements; `out` has unit stride along columns.
template <class T>
struct matrix_product {
  index_t rows = 0;
  index_t columns = 0;
  index_t inner = 0;
  const T* a = nullptr;
  index_t a_row_stride = 0;
  index_t a_inner_stride = 0;
  const T* b = nullptr;
  index_t b_inner_stride = 0;
  index_t b_column_stride = 0;
  T* out = nullptr;
  index_t out_row_stride = 0;
};

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

/// The type in which `T` is computed: unsigned for integers, since these wrap.
template <class T>
struct arithmetic {
  using type = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
};
template <std::floating_point T>
struct arithmetic<T> {
  using type = T;
};
template <class T>
struct arithmetic<std::complex<T>> {
  using type = std::complex<T>;
};

template <class T>
T times(T a, T b) {
  return a * b;
}
/// Without the branches by which C++'s own product recovers infinities.
template <class T>
std::complex<T> times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// A part of `b` with unit stride along columns: `b` itself, or a copy in `packed`.
template <class T>
struct panel {
  static constexpr index_t depth = 32;
  static constexpr index_t width = 128;

  panel(const matrix_product<T>& product, index_t first_inner, index_t first_column) {
    const T* const b =
        product.b + first_inner * product.b_inner_stride + first_column * product.b_column_stride;
    inner = std::min(depth, product.inner - first_inner);
    columns = std::min(width, product.columns - first_column);
    if (product.b_column_stride == 1) {
      data = b;
      stride = product.b_inner_stride;
      return;
    }
    data = packed.data();
    stride = width;
    for (index_t k = 0; k < inner; ++k) {
      for (index_t j = 0; j < columns; ++j) {
        packed[static_cast<std::size_t>(k * width + j)] =
            b[k * product.b_inner_stride + j * product.b_column_stride];
      }
    }
  }

  const T* data;
  index_t inner;
  index_t columns;
  index_t stride;
  std::array<T, static_cast<std::size_t>(depth* width)> packed;
};

/// Any strides and any element type. The innermost loop walks rows of `out` and of `b`, so that it
/// vectorises; panels of `b` stay in the first-level cache while all rows of `a` pass.
template <class T>
void accumulate_by_panels(const matrix_product<T>& product) {
  using wide = typename arithmetic<T>::type;
  const auto add_panel = [&product](const panel<T>& b, index_t first_inner, index_t first_column) {
    for (index_t i = 0; i < product.rows; ++i) {
      T* __restrict const out = product.out + i * product.out_row_stride + first_column;
      for (index_t k = 0; k < b.inner; ++k) {
        const auto factor = static_cast<wide>(
            product.a[i * product.a_row_stride + (first_inner + k) * product.a_inner_stride]);
        const T* __restrict const b_row = b.data + k * b.stride;
        for (index_t j = 0; j < b.columns; ++j) {
          out[j] = static_cast<T>(static_cast<wide>(out[j]) +
                                  times(factor, static_cast<wide>(b_row[j])));
        }
      }
    }
  };
  for (index_t j = 0; j < product.columns; j += panel<T>::width) {
    for (index_t k = 0; k < product.inner; k += panel<T>::depth) {
      add_panel({product, k, j}, k, j);
    }
  }
}

/// Tells whether a product has so few terms that BLAS's packing would cost more than it saves, in
/// time and in memory.
inline bool is_small(index_t rows, index_t columns, index_t inner) {
  constexpr double most_terms = 32.0 * 32.0 * 32.0;
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner) <=
         most_terms;
}

// The extents of packed panels: packing them costs little against their product, and they stay in
// the second-level cache.
inline constexpr index_t packed_rows = 256;
inline constexpr index_t packed_inner = 512;
inline constexpr index_t packed_columns = 512;

/// Returns a matrix of `rows` and `columns` as BLAS takes it, copied to `packed` if need be.
template <class T>
dense_matrix<T> made_dense(const T* data, index_t rows, index_t columns, index_t row_stride,
                           index_t column_stride, T* packed) {
  const auto dense = as_dense(data, rows, columns, row_stride, column_stride);
  if (dense) return *dense;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) {
      packed[i * columns + j] = data[i * row_stride + j * column_stride];
    }
  }
  return {packed, false, columns};
}

/// Any strides, by products of panels that are packed if need be.
template <class T>
void accumulate_packed(const matrix_product<T>& product, T* workspace) {
  T* const packed_b =
      workspace + std::min(packed_rows, product.rows) * std::min(packed_inner, product.inner);
  for (index_t j = 0; j < product.columns; j += packed_columns) {
    const index_t columns = std::min(packed_columns, product.columns - j);
    for (index_t k = 0; k < product.inner; k += packed_inner) {
      const index_t inner = std::min(packed_inner, product.inner - k);
      const dense_matrix<T> b =
          made_dense(product.b + k * product.b_inner_stride + j * product.b_column_stride, inner,
                     columns, product.b_inner_stride, product.b_column_stride, packed_b);
      for (index_t i = 0; i < product.rows; i += packed_rows) {
        const index_t rows = std::min(packed_rows, product.rows - i);
        const dense_matrix<T> a =
            made_dense(product.a + i * product.a_row_stride + k * product.a_inner_stride, rows,
                       inner, product.a_row_stride, product.a_inner_stride, workspace);
        gemm<T>(rows, columns, inner, a, b, product.out + i * product.out_row_stride + j,
                product.rows == 1 ? product.columns : product.out_row_stride);
      }
    }
  }
}

/// Returns the bytes in which matrices of these extents are packed.
template <class T>
std::size_t packed_bytes(index_t rows, index_t columns, index_t inner) {
  if constexpr (std::floating_point<T>) {
    if (!is_small(rows, columns, inner)) {
      const index_t elements = (std::min(packed_rows, rows) + std::min(packed_columns, columns)) *
                               std::min(packed_inner, inner);
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

/// Adds a product. If a matrix of floats has unit stride along neither axis, it is packed into
/// `workspace`, if that has room, for the library's product.
template <class T>
void accumulate(const matrix_product<T>& product, std::span<std::byte> workspace) {
  const auto& [rows, columns, inner, a_data, a_row, a_inner, b_data, b_inner, b_column, out,
               out_row] = product;
  if (rows == 0 || columns == 0 || inner == 0) return;
  if constexpr (std::floating_point<T>) {
    if (is_small(rows, columns, inner)) return accumulate_by_panels(product);
    const index_t out_stride = rows == 1 ? columns : out_row;
    if (std::max({rows, columns, out_stride}) <= std::numeric_limits<int>::max()) {
      const auto a = as_dense(a_data, rows, inner, a_row, a_inner);
      const auto b = as_dense(b_data, inner, columns, b_inner, b_column);
      if (a && b) return gemm<T>(rows, columns, inner, *a, *b, out, out_stride);
      if (workspace.size() >= packed_bytes<T>(rows, columns, inner)) {
        return accumulate_packed(product, static_cast<T*>(static_cast<void*>(workspace.data())));
      }
    }
  }
  accumulate_by_panels(product);
}

}  // namespace tessera::detail
