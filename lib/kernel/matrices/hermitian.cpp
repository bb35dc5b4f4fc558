// SPDX-License-Identifier: Apache-2.0
/// \file
/// Eigenvalues and eigenvectors of Hermitian matrices: A v = w v.
///
/// Only the lower triangle of A is read. Eigenvalues ascend; column k of the vectors belongs to
/// eigenvalue k.
///
/// Invariant: a matrix with NaN gives NaN; the library never sees it.
/// Reference: Golub and Van Loan, "Matrix Computations", chapter 8.

#include "tessera/kernel/matrix_kernel.hpp"

#include "kernel/matrices/decompositions.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace tessera::matrices {
namespace {

/// Calls `f(values, vectors)` with the eigenvalues and eigenvectors of each matrix. A matrix with
/// NaN gives NaN.
template <class T, class F>
void for_each_decomposed(matrix_call& batch, bool has_vectors, F f) {
  const index_t n = batch.extent_in(0, 1);
  batch.for_each([&] {
    matrix_map<T> a = batch.make<T>(n, n);
    batch.read<T>(0, a);
    a.template triangularView<Eigen::StrictlyUpper>().setZero();
    if (!has_nan(a)) {
      const std::optional<hermitian_parts<T>> parts = decompose<T>::hermitian(a, has_vectors);
      if (!parts) throw not_found("eigenvalues", batch);
      return f(parts->values, parts->vectors);
    }
    constexpr real_of<T> nan = std::numeric_limits<real_of<T>>::quiet_NaN();
    const auto values = vector<real_of<T>>::Constant(n, nan);
    f(values, matrix<T>::Constant(n, n, nan));
  });
}

template <class T>
struct eigvalsh_of : by_signature<"(n,n)->(n)"> {
  static constexpr const char* label = "eigvalsh";
  static std::vector<dtype> outputs() { return {dtype_of<real_of<T>>}; }
  static std::size_t workspace(const block_shapes& of) {
    return bytes_of_matrix<T>(last(of.inputs[0], 1), last(of.inputs[0], 1));
  }
  static std::size_t kept(const block_shapes& of) {
    return decompose<T>::kept_by_hermitian(last(of.inputs[0], 1), false);
  }
  static void run(const block_call& call) {
    matrix_call batch(call, core);
    for_each_decomposed<T>(batch, false, [&](const auto& values, const auto&) {
      batch.write_line<real_of<T>>(0, values);
    });
  }
};

template <class T>
struct eigh_of : by_signature<"(n,n)->(n),(n,n)"> {
  static constexpr const char* label = "eigh";
  static std::vector<dtype> outputs() { return {dtype_of<real_of<T>>, dtype_of<T>}; }
  static std::size_t workspace(const block_shapes& of) { return eigvalsh_of<T>::workspace(of); }
  static std::size_t kept(const block_shapes& of) {
    return decompose<T>::kept_by_hermitian(last(of.inputs[0], 1), true);
  }
  static void run(const block_call& call) {
    matrix_call batch(call, core);
    for_each_decomposed<T>(batch, true, [&](const auto& values, const auto& vectors) {
      batch.write_line<real_of<T>>(0, values);
      batch.write<T>(1, vectors);
    });
  }
};

const bool eigenvalues_are_registered =
    register_kernels<eigvalsh_of>() && register_kernels<eigh_of>();

}  // namespace

const block_kernel& eigvalsh(dtype type) {
  static_cast<void>(eigenvalues_are_registered);
  return kernel_for<eigvalsh_of>(type);
}
const block_kernel& eigh(dtype type) { return kernel_for<eigh_of>(type); }

}  // namespace tessera::matrices
