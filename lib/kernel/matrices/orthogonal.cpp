// SPDX-License-Identifier: Apache-2.0
/// \file
/// QR factors of matrices, and the steps of a QR factorisation by row blocks.
///
/// Problem: a matrix with very many rows fits into no task.
///
/// Idea (tall and skinny QR): the R factor of a matrix is that of the R factors of its row blocks,
/// one above the other. `triangle` computes R of a block or of two R factors, level by level up to
/// the root. `orthonormal` goes down again, and multiplies the Q factor of a node by the rows of
/// its parent that belong to it:
///
///     A1 = Q1 R1
///                   [R1; R2] = Q R,    A = [Q1 Q_top; Q2 Q_bottom] R
///     A2 = Q2 R2
///
/// Invariant: the diagonal of R is not negative, so that the factors are unique if A has full rank.
/// Reference: Demmel, Grigori, Hoemmen, Langou, "Communication-optimal parallel and sequential QR
/// and LU factorizations" (2012).

#include "kernel/matrices/orthogonal.hpp"

#include "tessera/kernel/matrix_kernel.hpp"

#include <numeric>
#include <vector>

namespace tessera::matrices {
namespace {

/// Tells whether results are of the factors of a matrix, of as many columns as rows, or all rows.
bool are_factors(const block_shapes& of) {
  if (!detail::fit_signature(signature_of<"(m,n)->(m,k),(k,n)">, of)) return false;
  const index_t rows = last(of.inputs[0], 2);
  const index_t size = last(of.outputs[0], 1);
  return size == rows || size == std::min(rows, last(of.inputs[0], 1));
}

template <class T>
struct qr_of : by_signature<"(m,n)->(m,k),(k,n)"> {
  static constexpr const char* label = "qr";
  static std::vector<dtype> outputs() { return {dtype_of<T>, dtype_of<T>}; }
  static bool takes(const block_shapes& of) { return are_factors(of); }
  static std::size_t workspace(const block_shapes& of) {
    const index_t rows = last(of.inputs[0], 2);
    return bytes_of_matrix<T>(rows, last(of.inputs[0], 1)) +
           bytes_of_matrix<T>(rows, last(of.outputs[0], 1));
  }
  static std::size_t kept(const block_shapes& of) {
    return orthogonal_factors<T>::kept(last(of.inputs[0], 2), last(of.inputs[0], 1),
                                       last(of.outputs[0], 1));
  }
  static void run(const block_call& call) {
    matrix_call batch(call, core);
    const index_t rows = batch.extent_in(0, 2);
    batch.for_each([&] {
      matrix_map<T> a = batch.make<T>(rows, batch.extent_in(0, 1));
      matrix_map<T> q = batch.make<T>(rows, batch.extent_out(0, 1));
      batch.read<T>(0, a);
      const orthogonal_factors<T> factors(a);
      q.setIdentity();
      factors.multiply(q);
      batch.write<T>(0, q);
      batch.write<T>(1, [&](index_t i, index_t j) { return factors.r(i, j); });
    });
  }
};

/// Returns the rows of a block: all elements along all axes but the last.
index_t rows_of(const index_vector& extents) {
  return std::accumulate(extents.begin(), extents.end() - 1, index_t{1}, std::multiplies<>());
}

bool is_block(const index_vector& extents) { return extents.size() == 2 || extents.size() == 3; }

/// The members of functions of a whole block, which have no loops.
struct of_whole_block {
  static constexpr bool is_separable = false;
  static constexpr restore_function restore = &detail::no_parameters;
};

template <class T, bool HasSecond>
struct triangle_of : of_whole_block {
  static constexpr const char* label = HasSecond ? "triangle of both" : "triangle";
  static constexpr std::size_t num_inputs = HasSecond ? 2 : 1;
  static std::vector<dtype> outputs() { return {dtype_of<T>}; }

  static index_t columns_of(const block_shapes& of) {
    index_t columns = 0;
    for (const index_vector& extents : of.inputs) columns += extents.back();
    return columns;
  }
  static bool takes(const block_shapes& of) {
    if (of.inputs.size() != num_inputs || of.outputs.size() != 1) return false;
    for (const index_vector& extents : of.inputs) {
      if (!is_block(extents) || rows_of(extents) != rows_of(of.inputs[0])) return false;
    }
    return is_block(of.outputs[0]) && rows_of(of.outputs[0]) == of.outputs[0].back() &&
           of.outputs[0].back() == columns_of(of);
  }
  static std::size_t workspace(const block_shapes& of) {
    return bytes_of_matrix<T>(rows_of(of.inputs[0]), columns_of(of));
  }
  static std::size_t kept(const block_shapes& of) {
    return orthogonal_factors<T>::kept(rows_of(of.inputs[0]), columns_of(of), 0);
  }
  static void run(const block_call& call) {
    matrix_call batch(call, call.inputs[0].extents.size());
    const index_t columns = batch.extent_in(0, 1);
    const index_t others = HasSecond ? batch.extent_in(1, 1) : 0;
    matrix_map<T> a = batch.make<T>(rows_of(call.inputs[0].extents), columns + others);
    batch.read<T>(0, a);
    if constexpr (HasSecond) batch.read<T>(1, a.rightCols(others));
    const orthogonal_factors<T> factors(a);
    batch.write<T>(0, [&](index_t i, index_t j) { return factors.r(i, j); });
  }
};
template <class T>
using triangle_of_one = triangle_of<T, false>;
template <class T>
using triangle_of_both = triangle_of<T, true>;

template <class T, bool HasFactor>
struct orthonormal_of : of_whole_block {
  static constexpr const char* label = HasFactor ? "orthonormal times" : "orthonormal";
  static constexpr std::size_t num_inputs = HasFactor ? 2 : 1;
  static std::vector<dtype> outputs() { return {dtype_of<T>}; }

  static bool takes(const block_shapes& of) {
    if (of.inputs.size() != num_inputs || of.outputs.size() != 1) return false;
    const index_vector& a = of.inputs[0];
    const index_vector& out = of.outputs[0];
    if (!is_block(a) || !is_block(out) || rows_of(a) != rows_of(out)) return false;
    if (!HasFactor) return out.back() == a.back();
    return of.inputs[1].size() == 2 && of.inputs[1][0] == a.back() && of.inputs[1][1] == out.back();
  }
  static std::size_t workspace(const block_shapes& of) {
    const index_t rows = rows_of(of.inputs[0]);
    return bytes_of_matrix<T>(rows, of.inputs[0].back()) +
           bytes_of_matrix<T>(rows, of.outputs[0].back());
  }
  static std::size_t kept(const block_shapes& of) {
    return orthogonal_factors<T>::kept(rows_of(of.inputs[0]), of.inputs[0].back(),
                                       of.outputs[0].back());
  }
  static void run(const block_call& call) {
    matrix_call batch(call, call.inputs[0].extents.size());
    const index_t rows = rows_of(call.inputs[0].extents);
    matrix_map<T> a = batch.make<T>(rows, batch.extent_in(0, 1));
    matrix_map<T> product = batch.make<T>(rows, batch.extent_out(0, 1));
    batch.read<T>(0, a);
    const orthogonal_factors<T> factors(a);
    if constexpr (HasFactor) {
      product.setZero();
      const block_input& factor = call.inputs[1];
      for (index_t i = 0; i < factors.size(); ++i) {
        const std::byte* at = factor.data + i * factor.strides[0];
        for (index_t j = 0; j < product.cols(); ++j, at += factor.strides[1]) {
          product(i, j) = *static_cast<const T*>(static_cast<const void*>(at));
        }
      }
    } else {
      product.setZero();
      for (index_t i = 0; i < factors.size(); ++i) product(i, i) = T{1};
    }
    factors.multiply(product);
    batch.write<T>(0, product);
  }
};
template <class T>
using orthonormal_alone = orthonormal_of<T, false>;
template <class T>
using orthonormal_times = orthonormal_of<T, true>;

const bool factors_are_registered =
    register_kernels<qr_of>() && register_kernels<triangle_of_one>() &&
    register_kernels<triangle_of_both>() && register_kernels<orthonormal_alone>() &&
    register_kernels<orthonormal_times>();

}  // namespace

const block_kernel& qr(dtype type) {
  static_cast<void>(factors_are_registered);
  return kernel_for<qr_of>(type);
}
const block_kernel& triangle(dtype type, bool has_second) {
  return has_second ? kernel_for<triangle_of_both>(type) : kernel_for<triangle_of_one>(type);
}
const block_kernel& orthonormal(dtype type, bool has_factor) {
  return has_factor ? kernel_for<orthonormal_times>(type) : kernel_for<orthonormal_alone>(type);
}

}  // namespace tessera::matrices
