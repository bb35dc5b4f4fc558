// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/contraction.hpp"

#include "tessera/kernel/registry.hpp"

#include "kernel/gemm.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace tessera {
namespace {

template <class T>
const T* typed(const std::byte* bytes) {
  return static_cast<const T*>(static_cast<const void*>(bytes));
}

/// Returns the operand as BLAS takes it, or nothing if neither of its axes has unit stride.
template <class T>
std::optional<detail::dense_matrix<T>> as_dense(const std::byte* data, index_t rows,
                                                index_t columns, index_t row_stride,
                                                index_t column_stride) {
  constexpr index_t greatest = std::numeric_limits<int>::max();
  // The stride along an axis of one element is never used, but it must be one that BLAS accepts.
  if (columns == 1) column_stride = 1;
  if (rows == 1 && column_stride == 1) row_stride = columns;
  if (column_stride == 1 && row_stride >= columns && row_stride <= greatest) {
    return detail::dense_matrix<T>{typed<T>(data), false, row_stride};
  }
  if (rows == 1) row_stride = 1;
  if (row_stride == 1 && column_stride >= rows && column_stride <= greatest) {
    return detail::dense_matrix<T>{typed<T>(data), true, column_stride};
  }
  return std::nullopt;
}

/// The type in which `T` is computed: integers wrap, which signed ones may not.
template <class T>
struct arithmetic {
  using type = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
};
template <std::floating_point T>
struct arithmetic<T> {
  using type = T;
};

/// Any strides and any element type; rows of `out` and of `b` are walked in their order, so that
/// the innermost loop vectorises where `b` has unit stride.
template <class T>
void accumulate_by_rows(const contraction_block& block) {
  using wide = typename arithmetic<T>::type;
  constexpr index_t column_panel = 1024;
  const T* const a = typed<T>(block.a);
  const T* const b = typed<T>(block.b);
  T* const out = static_cast<T*>(static_cast<void*>(block.out));
  const auto add_row = [&](index_t i, index_t k, index_t first, index_t size) {
    const wide factor = static_cast<wide>(a[i * block.a_row_stride + k * block.a_inner_stride]);
    const T* __restrict const b_row = b + k * block.b_inner_stride + first * block.b_column_stride;
    T* __restrict const out_row = out + i * block.out_row_stride + first;
    const auto add = [factor](T sum, T x) {
      return static_cast<T>(static_cast<wide>(sum) + factor * static_cast<wide>(x));
    };
    if (block.b_column_stride == 1) {
      for (index_t j = 0; j < size; ++j) out_row[j] = add(out_row[j], b_row[j]);
    } else {
      for (index_t j = 0; j < size; ++j) {
        out_row[j] = add(out_row[j], b_row[j * block.b_column_stride]);
      }
    }
  };
  for (index_t first = 0; first < block.columns; first += column_panel) {
    const index_t size = std::min(column_panel, block.columns - first);
    for (index_t i = 0; i < block.rows; ++i) {
      for (index_t k = 0; k < block.inner; ++k) add_row(i, k, first, size);
    }
  }
}

template <class T>
void accumulate(const contraction_block& block) {
  if (block.rows == 0 || block.columns == 0 || block.inner == 0) return;
  if constexpr (std::floating_point<T>) {
    const auto a =
        as_dense<T>(block.a, block.rows, block.inner, block.a_row_stride, block.a_inner_stride);
    const auto b = as_dense<T>(block.b, block.inner, block.columns, block.b_inner_stride,
                               block.b_column_stride);
    const index_t out_stride = block.rows == 1 ? block.columns : block.out_row_stride;
    if (a && b &&
        std::max({block.rows, block.columns, out_stride}) <= std::numeric_limits<int>::max()) {
      detail::gemm<T>(block.rows, block.columns, block.inner, *a, *b,
                      static_cast<T*>(static_cast<void*>(block.out)), out_stride);
      return;
    }
  }
  accumulate_by_rows<T>(block);
}

template <class T>
std::size_t workspace(index_t rows, index_t columns, index_t inner) {
  if constexpr (std::floating_point<T>) return detail::gemm_workspace<T>(rows, columns, inner);
  return 0;
}

}  // namespace

namespace contraction {

template <element T>
requires(!std::same_as<T, bool>) const contraction_kernel& matmul() {
  static const std::string name = "matmul<" + std::string(name_of(dtype_of<T>)) + ">";
  static const contraction_kernel kernel{name,        "matmul",       dtype_of<T>,
                                         dtype_of<T>, &accumulate<T>, &workspace<T>};
  static const contraction_kernel& known = register_kernel(kernel);
  return known;
}

template const contraction_kernel& matmul<std::int8_t>();
template const contraction_kernel& matmul<std::int16_t>();
template const contraction_kernel& matmul<std::int32_t>();
template const contraction_kernel& matmul<std::int64_t>();
template const contraction_kernel& matmul<std::uint8_t>();
template const contraction_kernel& matmul<std::uint16_t>();
template const contraction_kernel& matmul<std::uint32_t>();
template const contraction_kernel& matmul<std::uint64_t>();
template const contraction_kernel& matmul<float>();
template const contraction_kernel& matmul<double>();

}  // namespace contraction
}  // namespace tessera
