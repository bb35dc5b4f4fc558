// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/contraction.hpp"

#include "tessera/kernel/registry.hpp"

#include "kernel/gemm.hpp"

#include <algorithm>
#include <array>
#include <complex>
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
template <class T>
struct arithmetic<std::complex<T>> {
  using type = std::complex<T>;
};

template <class T>
T product(T a, T b) {
  return a * b;
}
/// Without the branches by which C++'s own product recovers infinities.
template <class T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// A part of `b` with unit stride along columns: `b` itself, or a copy in `packed`.
template <class T>
struct panel {
  static constexpr index_t depth = 32;
  static constexpr index_t width = 128;

  panel(const contraction_block& block, index_t first_inner, index_t first_column) {
    const T* const b = typed<T>(block.b) + first_inner * block.b_inner_stride +
                       first_column * block.b_column_stride;
    inner = std::min(depth, block.inner - first_inner);
    columns = std::min(width, block.columns - first_column);
    if (block.b_column_stride == 1) {
      data = b;
      stride = block.b_inner_stride;
      return;
    }
    data = packed.data();
    stride = width;
    for (index_t k = 0; k < inner; ++k) {
      for (index_t j = 0; j < columns; ++j) {
        packed[static_cast<std::size_t>(k * width + j)] =
            b[k * block.b_inner_stride + j * block.b_column_stride];
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
void accumulate_by_panels(const contraction_block& block) {
  using wide = typename arithmetic<T>::type;
  const auto add_panel = [&block](const panel<T>& b, index_t first_inner, index_t first_column) {
    for (index_t i = 0; i < block.rows; ++i) {
      T* __restrict const out =
          static_cast<T*>(static_cast<void*>(block.out)) + i * block.out_row_stride + first_column;
      for (index_t k = 0; k < b.inner; ++k) {
        const auto factor = static_cast<wide>(
            typed<T>(block.a)[i * block.a_row_stride + (first_inner + k) * block.a_inner_stride]);
        const T* __restrict const b_row = b.data + k * b.stride;
        for (index_t j = 0; j < b.columns; ++j) {
          out[j] = static_cast<T>(static_cast<wide>(out[j]) +
                                  product(factor, static_cast<wide>(b_row[j])));
        }
      }
    }
  };
  for (index_t j = 0; j < block.columns; j += panel<T>::width) {
    for (index_t k = 0; k < block.inner; k += panel<T>::depth) add_panel({block, k, j}, k, j);
  }
}

/// Tells whether a product has so few terms that BLAS's packing would cost more than it saves, in
/// time and in memory.
bool is_small(index_t rows, index_t columns, index_t inner) {
  constexpr double most_terms = 32.0 * 32.0 * 32.0;
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(inner) <=
         most_terms;
}

template <class T>
void accumulate(const contraction_block& block) {
  if (block.rows == 0 || block.columns == 0 || block.inner == 0) return;
  if constexpr (std::floating_point<T>) {
    if (is_small(block.rows, block.columns, block.inner)) return accumulate_by_panels<T>(block);
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
  accumulate_by_panels<T>(block);
}

template <class T>
std::size_t workspace(index_t rows, index_t columns, index_t inner) {
  if constexpr (std::floating_point<T>) {
    if (!is_small(rows, columns, inner)) return detail::gemm_workspace<T>(rows, columns, inner);
  }
  return 0;
}

}  // namespace

namespace contraction {

template <element T>
requires(!std::same_as<T, bool>) const contraction_kernel& matmul() {
  static_cast<void>(&detail::known_at_start<&matmul<T>>::is_known);
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
template const contraction_kernel& matmul<complex64>();
template const contraction_kernel& matmul<complex128>();

}  // namespace contraction
}  // namespace tessera
