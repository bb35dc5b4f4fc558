// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The product of two matrices of any element type, without a library.

#include "tessera/core/index.hpp"

#include "kernel/matrix_axis.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tessera::detail {

/// The type in which `T` is computed: unsigned for integers, since integers wrap.
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
    inner = std::min(depth, product.inner - first_inner);
    columns = std::min(width, product.columns - first_column);
    if (product.b_columns.is_dense() && product.b_inner.is_one()) {
      data = product.b + product.b_inner.offset(first_inner) + first_column;
      stride = product.b_inner.stride();
      return;
    }
    data = packed.data();
    stride = width;
    for (index_t j = 0; j < columns; ++j) {
      const T* const column = product.b + product.b_columns.offset(first_column + j);
      for (index_t k = 0; k < inner; ++k) {
        packed[static_cast<std::size_t>(k * width + j)] =
            column[product.b_inner.offset(first_inner + k)];
      }
    }
  }

  const T* data;
  index_t inner;
  index_t columns;
  index_t stride;
  std::array<T, static_cast<std::size_t>(depth* width)> packed;
};

/// A row of a panel of `a`.
template <class T>
struct factor_row {
  const T* data;
  /// The position of each element in `data`.
  const index_t* offsets;
};

/// Adds the product of a row of a panel of `a` and of a panel of `b` to a row of the result.
template <class T>
void add_row(factor_row<T> a, const T* b, index_t b_stride, index_t inner, index_t columns,
             T* out_row) {
  using wide = typename arithmetic<T>::type;
  T* __restrict const out = out_row;
  for (index_t k = 0; k < inner; ++k) {
    const auto factor = static_cast<wide>(a.data[a.offsets[k]]);
    const T* __restrict const b_row = b + k * b_stride;
    for (index_t j = 0; j < columns; ++j) {
      out[j] =
          static_cast<T>(static_cast<wide>(out[j]) + times(factor, static_cast<wide>(b_row[j])));
    }
  }
}

/// Adds the product of a row of a panel of `a` and of the panel `b` from column `first` on to a row
/// of the result that is not dense.
template <class T>
void add_to_strided_row(factor_row<T> a, const panel<T>& b, const matrix_axis& out_columns,
                        index_t first, T* out_row) {
  std::array<T, static_cast<std::size_t>(panel<T>::width)> copied;
  for (index_t j = 0; j < b.columns; ++j) {
    copied[static_cast<std::size_t>(j)] = out_row[out_columns.offset(first + j)];
  }
  add_row(a, b.data, b.stride, b.inner, b.columns, copied.data());
  for (index_t j = 0; j < b.columns; ++j) {
    out_row[out_columns.offset(first + j)] = copied[static_cast<std::size_t>(j)];
  }
}

/// Any strides and any element type. The innermost loop walks rows of `out` and of `b`, so that it
/// vectorises; panels of `b` stay in the first-level cache while all rows of `a` pass. An element
/// adds up its terms in their order, whatever the strides.
template <class T>
void accumulate_by_panels(const matrix_product<T>& product) {
  std::array<index_t, static_cast<std::size_t>(panel<T>::depth)> offsets;
  const bool is_dense = product.out_columns.is_dense();
  for (index_t j = 0; j < product.columns; j += panel<T>::width) {
    for (index_t k = 0; k < product.inner; k += panel<T>::depth) {
      const panel<T> b(product, k, j);
      for (index_t d = 0; d < b.inner; ++d) {
        offsets[static_cast<std::size_t>(d)] = product.a_inner.offset(k + d);
      }
      for (index_t i = 0; i < product.rows; ++i) {
        T* const out_row = product.out + product.out_rows.offset(i);
        const factor_row<T> a{product.a + product.a_rows.offset(i), offsets.data()};
        if (is_dense) {
          add_row(a, b.data, b.stride, b.inner, b.columns, out_row + j);
        } else {
          add_to_strided_row(a, b, product.out_columns, j, out_row);
        }
      }
    }
  }
}

}  // namespace tessera::detail
