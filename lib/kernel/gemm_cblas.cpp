// SPDX-License-Identifier: Apache-2.0
/// \file
/// Matrix products by OpenBLAS.
///
/// The library packs parts of both factors into buffers of its own, and plans must bound their
/// bytes: up to all rows of a call times one step of the inner axis, and one step of the columns
/// times one step of the inner axis. Panels bound all three.
/// Reference: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008).

#include "core/api/resident_library.hpp"
#include "kernel/gemm.hpp"
#include "kernel/openblas.hpp"

#include <algorithm>
#include <cblas.h>
#include <cstddef>
#include <vector>

namespace tessera::detail {
namespace {

blasint narrow(index_t extent) { return static_cast<blasint>(extent); }

CBLAS_TRANSPOSE order(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

/// The product of elements of type `T`.
template <class T>
struct product;
template <>
struct product<float> {
  using function = decltype(cblas_sgemm);
  static constexpr auto* name = "cblas_sgemm";
};
template <>
struct product<double> {
  using function = decltype(cblas_dgemm);
  static constexpr auto* name = "cblas_dgemm";
};

template <class T>
void gemm_by_cblas(index_t rows, index_t columns, index_t inner, const dense_matrix<T>& a,
                   const dense_matrix<T>& b, T* out, index_t out_stride) {
  const single_thread_guard guard;
  static auto* const multiply =
      function_of_openblas<typename product<T>::function>(product<T>::name);
  multiply(CblasRowMajor, order(a.transposed), order(b.transposed), narrow(rows), narrow(columns),
           narrow(inner), T{1}, a.data, narrow(a.stride), b.data, narrow(b.stride), T{1}, out,
           narrow(out_stride));
}

/// OpenBLAS takes a processor that is newer than itself for one of long ago: on one with AVX-512
/// the kernels for SSE are four times slower than Eigen's.
bool is_eigen_faster() {
  static const bool is_faster = has_eigen_wide_steps() && are_kernels_narrow();
  return is_faster;
}

}  // namespace

template <class T>
void gemm(index_t rows, index_t columns, index_t inner, const dense_matrix<T>& a,
          const dense_matrix<T>& b, T* out, index_t out_stride) {
  if (is_eigen_faster()) return gemm_by_eigen(rows, columns, inner, a, b, out, out_stride);
  gemm_by_cblas(rows, columns, inner, a, b, out, out_stride);
}

template <class T>
std::size_t gemm_workspace(index_t rows, index_t columns, index_t inner) {
  if (is_eigen_faster()) return gemm_by_eigen_workspace<T>(rows, columns, inner);
  const index_t packed_rows = std::min(rows, row_panel);
  const index_t packed_columns = std::min({columns, column_panel, longest_column_step});
  const index_t elements =
      (packed_rows + packed_columns) * std::min({inner, inner_panel, longest_inner_step});
  return static_cast<std::size_t>(elements) * sizeof(T) + fixed_workspace;
}

template void gemm<float>(index_t, index_t, index_t, const dense_matrix<float>&,
                          const dense_matrix<float>&, float*, index_t);
template void gemm<double>(index_t, index_t, index_t, const dense_matrix<double>&,
                           const dense_matrix<double>&, double*, index_t);
template std::size_t gemm_workspace<float>(index_t, index_t, index_t);
template std::size_t gemm_workspace<double>(index_t, index_t, index_t);

namespace {

// Large enough that OpenBLAS chooses no kernel for small matrices, which allocates nothing.
// Decompositions use the library's memory even if Eigen multiplies.
void prepare() {
  constexpr index_t extent = 128;
  const std::vector<double> ones(static_cast<std::size_t>(extent * extent), 1.0);
  std::vector<double> product(ones.size());
  const dense_matrix<double> matrix{ones.data(), false, extent};
  gemm_by_cblas(extent, extent, extent, matrix, matrix, product.data(), extent);
}

[[maybe_unused]] const bool is_known =
    register_resident_library("openblas", {address_of_openblas, prepare});

}  // namespace

}  // namespace tessera::detail
