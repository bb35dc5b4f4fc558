// SPDX-License-Identifier: Apache-2.0
/// \file
/// Contractions of blocks: sums of products over shared axes, as matrix products inside of loops.
///
/// Problem: a contraction has any number of batch, row, column and contracted axes, in any memory
/// order; BLAS has two axes a matrix, of which one is contiguous. The bits of its sums depend on
/// the extents of a call. Memory orders depend on the plan: bits must not depend on them.
///
/// Idea: all axes of a role are one axis, in row-major order. Only the batch is a loop:
///
///     for batch:  out[rows, columns] += sum over inner of a[rows, inner] * b[inner, columns]
///
/// Panels of a matrix that does not lie so in memory are copied (`matrix_product.hpp`). If the rows
/// of the output are contiguous, and not its columns, the factors exchange places:
/// (A B)^T = B^T A^T. The parameters decide that: strides along axes of one element depend on
/// plans.
#include "kernel/api/contraction_kernel.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/detail/monoid_sums.hpp"
#include "tessera/kernel/registry.hpp"

#include "kernel/matrix_product.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using contraction::axis_counts;
using detail::matrix_product;

/// Without parameters, blocks are matrices.
axis_counts counts_of(const void* parameters) {
  return parameters == nullptr ? axis_counts{} : *static_cast<const axis_counts*>(parameters);
}

/// A loop over the batch: its extent, and the stride along it in each array, in elements.
struct loop_axis {
  index_t extent = 1;
  index_t a = 0;
  index_t b = 0;
  index_t out = 0;
};

/// Calls `f(offset in a, in b, in out)` at each position along `axes` from `axis` on.
template <class F>
void for_each_position(const std::vector<loop_axis>& axes, std::size_t axis, index_t a, index_t b,
                       index_t out, F& f) {
  if (axis == axes.size()) return f(a, b, out);
  const loop_axis& along = axes[axis];
  for (index_t i = 0; i < along.extent; ++i) {
    for_each_position(axes, axis + 1, a + i * along.a, b + i * along.b, out + i * along.out, f);
  }
}

/// The matrices of a call, without their elements, and the loops around them.
template <class T>
struct matrices_of_call {
  matrix_product<T> product;
  std::vector<loop_axis> batch;
};

template <class T>
matrices_of_call<T> matrices_of(const block_call& call, const axis_counts& counts) {
  constexpr auto size = static_cast<index_t>(sizeof(T));
  const block_input& a = call.inputs[0];
  const block_input& b = call.inputs[1];
  const block_output& out = call.outputs[0];
  const auto [batch, rows, columns, inner, are_rows_last] = counts;
  matrices_of_call<T> result;
  matrix_product<T>& product = result.product;
  for (std::size_t k = 0; k < batch; ++k) {
    if (out.extents[k] == 1) continue;
    result.batch.push_back(
        {out.extents[k], a.strides[k] / size, b.strides[k] / size, out.strides[k] / size});
  }
  for (std::size_t k = batch; k < batch + rows; ++k) {
    product.a_rows.append(out.extents[k], a.strides[k] / size);
    product.out_rows.append(out.extents[k], out.strides[k] / size);
  }
  for (std::size_t k = 0; k < columns; ++k) {
    const std::size_t of_out = batch + rows + k;
    product.b_columns.append(out.extents[of_out], b.strides[batch + inner + k] / size);
    product.out_columns.append(out.extents[of_out], out.strides[of_out] / size);
  }
  for (std::size_t k = batch; k < batch + inner; ++k) {
    product.a_inner.append(b.extents[k], a.strides[rows + k] / size);
    product.b_inner.append(b.extents[k], b.strides[k] / size);
  }
  product.rows = product.out_rows.extent();
  product.columns = product.out_columns.extent();
  product.inner = product.b_inner.extent();
  return result;
}

/// Exchanges the factors.
template <class T>
void transpose(matrices_of_call<T>& matrices) {
  matrix_product<T>& product = matrices.product;
  std::swap(product.rows, product.columns);
  std::swap(product.a_rows, product.b_columns);
  std::swap(product.a_inner, product.b_inner);
  std::swap(product.out_rows, product.out_columns);
  for (loop_axis& axis : matrices.batch) std::swap(axis.a, axis.b);
}

template <class T>
void run(const block_call& call) {
  for (const block_input& input : call.inputs) {
    if (num_elements(input.extents) == 0) return;
  }
  const axis_counts counts = counts_of(call.parameters);
  matrices_of_call<T> matrices = matrices_of<T>(call, counts);
  matrix_product<T>& product = matrices.product;
  auto* a = static_cast<const T*>(static_cast<const void*>(call.inputs[0].data));
  auto* b = static_cast<const T*>(static_cast<const void*>(call.inputs[1].data));
  // The library requires unit stride along columns.
  if (counts.are_rows_last == 1 && product.columns > 1) {
    std::swap(a, b);
    transpose(matrices);
  }
  auto* const out = static_cast<T*>(static_cast<void*>(call.outputs[0].data));
  const auto add = [&](index_t in_a, index_t in_b, index_t in_out) {
    product.a = a + in_a;
    product.b = b + in_b;
    product.out = out + in_out;
    detail::accumulate(product, call.workspace);
  };
  for_each_position(matrices.batch, 0, 0, 0, 0, add);
}

/// Sets a block of elements of `size` bytes to zero, from `axis` on.
void clear(const block_output& out, std::size_t size, std::byte* at, std::size_t axis) {
  const index_t extent = axis < out.extents.size() ? out.extents[axis] : 1;
  if (axis + 1 >= out.extents.size()) {
    const auto stride = axis < out.strides.size() ? out.strides[axis] : static_cast<index_t>(size);
    if (extent == 1 || stride == static_cast<index_t>(size)) {
      std::memset(at, 0, static_cast<std::size_t>(extent) * size);
      return;
    }
    for (index_t i = 0; i < extent; ++i) std::memset(at + i * stride, 0, size);
    return;
  }
  for (index_t i = 0; i < extent; ++i) clear(out, size, at + i * out.strides[axis], axis + 1);
}

template <class T>
void set_to_zero(const block_call& call) {
  clear(call.outputs[0], sizeof(T), call.outputs[0].data, 0);
}

/// Returns `count` of `extents` from `first` on.
index_vector part(const index_vector& extents, std::size_t first, std::size_t count) {
  return index_vector(extents.begin() + static_cast<std::ptrdiff_t>(first),
                      extents.begin() + static_cast<std::ptrdiff_t>(first + count));
}

bool are_factors(const block_shapes& of) {
  const auto [batch, rows, columns, inner, are_rows_last] = counts_of(of.parameters);
  const index_vector& a = of.inputs[0];
  const index_vector& b = of.inputs[1];
  const index_vector& out = of.outputs[0];
  return a.size() == batch + rows + inner && b.size() == batch + inner + columns &&
         out.size() == batch + rows + columns && part(a, 0, batch) == part(b, 0, batch) &&
         part(a, batch + rows, inner) == part(b, batch, inner) &&
         part(out, 0, batch + rows) == part(a, 0, batch + rows) &&
         part(out, batch + rows, columns) == part(b, batch + inner, columns);
}

/// Returns `f(rows, columns, inner)`, in bytes, of the greatest product of a call.
template <class F>
std::size_t bytes_of_product(const block_shapes& of, F f) {
  const auto [batch, rows, columns, inner, are_rows_last] = counts_of(of.parameters);
  const auto count = [](const index_vector& extents) { return num_elements(extents); };
  const index_t num_rows = count(part(of.inputs[0], batch, rows));
  const index_t num_columns = count(part(of.inputs[1], batch + inner, columns));
  const index_t num_inner = count(part(of.inputs[1], batch, inner));
  // `run` may exchange rows and columns.
  return std::max(f(num_rows, num_columns, num_inner), f(num_columns, num_rows, num_inner));
}

/// Outputs of one row axis and one column axis lie as matrices.
template <class T>
std::size_t workspace(const block_shapes& of) {
  const auto [batch, rows, columns, inner, are_rows_last] = counts_of(of.parameters);
  const std::size_t packed = bytes_of_product(of, &detail::packed_bytes<T>);
  return rows <= 1 && columns <= 1 ? packed
                                   : packed + bytes_of_product(of, &detail::copied_bytes<T>);
}

/// A fused multiply-add of vectors of four elements takes one step.
double work_of_product(const block_shapes& of) {
  const std::size_t columns = counts_of(of.parameters).columns;
  const index_vector& out = of.outputs[0];
  return static_cast<double>(num_elements(of.inputs[0])) *
         static_cast<double>(num_elements(part(out, out.size() - columns, columns))) / 4;
}

template <class T>
std::size_t kept(const block_shapes& of) {
  return bytes_of_product(of, &detail::kept_bytes<T>);
}

kernel_parameters restore_counts(std::string_view identity) {
  if (identity.empty()) return {};
  detail::byte_reader bytes(identity);
  const auto counts = bytes.take<axis_counts>();
  bytes.require_end();
  for (const std::size_t count : {counts.batch, counts.rows, counts.columns, counts.inner}) {
    if (count > max_rank) throw value_error("kernel parameters: found more axes than arrays have");
  }
  if (counts.are_rows_last > 1) throw value_error("kernel parameters: found neither 0 nor 1");
  return contraction::parameters(counts);
}

/// The state of a sum of products is the state of a sum of elements.
template <class T>
struct kept_sum {
  using type = detail::plain_sum<T>;
};
template <>
struct kept_sum<double> {
  using type = detail::compensated_sum<double>;
};
template <complex_element T>
struct kept_sum<T> {
  using type = detail::complex_sum<T>;
};

struct sum_rule {
  static constexpr std::string_view name = "sum";
  static constexpr bool needs_count = false;
  template <class T>
  using result = T;
  template <class Sum>
  static Sum finish(Sum sum, double /*count*/) {
    return sum;
  }
};

/// The sum of elements of `T`, as a `T`.
template <class T>
struct sum_of_products : detail::sum_fold<sum_rule, T, typename kept_sum<T>::type> {
  static std::string name() { return "sum of products<" + std::string(name_of(dtype_of<T>)) + ">"; }
};

template <class T>
void multiply(const strip& s) {
  const T* __restrict const a = static_cast<const T*>(static_cast<const void*>(s.inputs[0]));
  const T* __restrict const b = static_cast<const T*>(static_cast<const void*>(s.inputs[1]));
  T* __restrict const out = static_cast<T*>(static_cast<void*>(s.outputs[0]));
  using wide = typename detail::arithmetic<T>::type;
  for (index_t i = 0; i < s.size; ++i) {
    out[i] = static_cast<T>(detail::times(static_cast<wide>(a[i]), static_cast<wide>(b[i])));
  }
}

template <class T>
const strip_kernel& multiply_kernel() {
  static_cast<void>(&detail::known_at_start<&multiply_kernel<T>>::is_known);
  static const std::string name = "multiply<" + std::string(name_of(dtype_of<T>)) + ">";
  static const strip_kernel kernel{.name = name,
                                   .label = "({0} * {1})",
                                   .inputs = {dtype_of<T>, dtype_of<T>},
                                   .outputs = {dtype_of<T>},
                                   .run = &multiply<T>,
                                   .restore = &detail::no_parameters};
  static const strip_kernel& known = register_kernel(kernel);
  return known;
}

}  // namespace

namespace contraction {

kernel_parameters parameters(const axis_counts& counts) {
  return {counts, detail::bytes_of(counts)};
}

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
                                   .workspace = &workspace<T>,
                                   .kept = &kept<T>,
                                   .work = &work_of_product,
                                   .restore = &restore_counts,
                                   .is_separable = true,
                                   .adds_up = &detail::known_fold<sum_of_products<T>>()};
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

kernels kernels_of(dtype type) {
  return visit_dtype(type, []<class T>(type_tag<T>) -> kernels {
    if constexpr (std::same_as<T, bool> || std::same_as<T, float16>) {
      throw value_error("contraction: found elements of " + std::string(name_of(dtype_of<T>)) +
                        ", of which there are no sums of products");
    } else {
      return {matmul<T>(), multiply_kernel<T>(), detail::known_fold<sum_of_products<T>>()};
    }
  });
}

}  // namespace contraction
}  // namespace tessera
