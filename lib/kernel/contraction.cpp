// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/contraction.hpp"

#include "tessera/kernel/registry.hpp"

#include "kernel/gemm.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace tessera {
namespace {

/// The product of two blocks that is added to a third: `out[i, j] += sum over k of a[i, k] * b[k,
/// j]`. Strides in elements.
struct product_of_blocks {
  index_t rows = 0;
  index_t columns = 0;
  index_t inner = 0;
  const std::byte* a = nullptr;
  index_t a_row_stride = 0;
  index_t a_inner_stride = 0;
  const std::byte* b = nullptr;
  index_t b_inner_stride = 0;
  index_t b_column_stride = 0;
  std::byte* out = nullptr;  // row-major with unit stride along columns
  index_t out_row_stride = 0;
};

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

  panel(const product_of_blocks& block, index_t first_inner, index_t first_column) {
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
void accumulate_by_panels(const product_of_blocks& block) {
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
void accumulate(const product_of_blocks& block) {
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
void run(const block_call& call) {
  constexpr auto size = static_cast<index_t>(sizeof(T));
  const block_input& a = call.inputs[0];
  const block_input& b = call.inputs[1];
  const block_output& out = call.outputs[0];
  accumulate<T>({.rows = out.extents[0],
                 .columns = out.extents[1],
                 .inner = a.extents[1],
                 .a = a.data,
                 .a_row_stride = a.strides[0] / size,
                 .a_inner_stride = a.strides[1] / size,
                 .b = b.data,
                 .b_inner_stride = b.strides[0] / size,
                 .b_column_stride = b.strides[1] / size,
                 .out = out.data,
                 .out_row_stride = out.strides[0] / size});
}

template <class T>
void set_to_zero(const block_call& call) {
  const block_output& out = call.outputs[0];
  for (index_t row = 0; row < out.extents[0]; ++row) {
    std::memset(out.data + row * out.strides[0], 0,
                static_cast<std::size_t>(out.extents[1]) * sizeof(T));
  }
}

bool are_factors(const block_shapes& of) {
  const index_vector& a = of.inputs[0];
  const index_vector& b = of.inputs[1];
  return a.size() == 2 && b.size() == 2 && a[1] == b[0] &&
         of.outputs[0] == index_vector{a[0], b[1]};
}

template <class T>
std::size_t kept(const block_shapes& of) {
  const index_t rows = of.inputs[0][0];
  const index_t inner = of.inputs[0][1];
  const index_t columns = of.inputs[1][1];
  if constexpr (std::floating_point<T>) {
    if (!is_small(rows, columns, inner)) return detail::gemm_workspace<T>(rows, columns, inner);
  }
  return 0;
}

}  // namespace

namespace contraction {

template <element T>
requires(!std::same_as<T, bool>) const block_kernel& matmul() {
  static_cast<void>(&detail::known_at_start<&matmul<T>>::is_known);
  static const std::string name = "matmul<" + std::string(name_of(dtype_of<T>)) + ">";
  static const block_kernel kernel{.name = name,
                                   .label = "matmul",
                                   .inputs = {dtype_of<T>, dtype_of<T>},
                                   .outputs = {dtype_of<T>},
                                   .run = &run<T>,
                                   .start = &set_to_zero<T>,
                                   .takes = &are_factors,
                                   .kept = &kept<T>,
                                   .restore = &detail::no_parameters};
  static const block_kernel& known = register_kernel(kernel);
  return known;
}

template const block_kernel& matmul<std::int8_t>();
template const block_kernel& matmul<std::int16_t>();
template const block_kernel& matmul<std::int32_t>();
template const block_kernel& matmul<std::int64_t>();
template const block_kernel& matmul<std::uint8_t>();
template const block_kernel& matmul<std::uint16_t>();
template const block_kernel& matmul<std::uint32_t>();
template const block_kernel& matmul<std::uint64_t>();
template const block_kernel& matmul<float>();
template const block_kernel& matmul<double>();
template const block_kernel& matmul<complex64>();
template const block_kernel& matmul<complex128>();

}  // namespace contraction
}  // namespace tessera
