// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/detail/eigen_core.hpp"

#include "kernel/gemm.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::detail {
namespace {

template <class T, int Order>
using strided_map = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Order>,
                               Eigen::Unaligned, Eigen::OuterStride<>>;

/// Calls `f` with `matrix` as a map of Eigen's, in its own order.
template <class T, class F>
void with_map(const dense_matrix<T>& matrix, index_t rows, index_t columns, F&& f) {
  const Eigen::OuterStride<> stride(matrix.stride);
  if (matrix.transposed) {
    f(strided_map<T, Eigen::ColMajor>(matrix.data, rows, columns, stride));
  } else {
    f(strided_map<T, Eigen::RowMajor>(matrix.data, rows, columns, stride));
  }
}

// The library's pages and the alignment of its buffers.
constexpr std::size_t fixed_workspace = 1 << 18;

}  // namespace

template <class T>
void gemm_by_eigen(index_t rows, index_t columns, index_t inner, const dense_matrix<T>& a,
                   const dense_matrix<T>& b, T* out, index_t out_stride) {
  using row_major = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  with_map(a, rows, inner, [&](const auto& factor) {
    with_map(b, inner, columns, [&](const auto& right) {
      Eigen::Map<row_major, Eigen::Unaligned, Eigen::OuterStride<>> result(
          out, rows, columns, Eigen::OuterStride<>(out_stride));
      result.noalias() += factor * right;
    });
  });
}

/// Eigen packs both operands' panels, as long as its step along the inner axis. It computes the
/// length of that step by the same function as here.
template <class T>
std::size_t gemm_by_eigen_workspace(index_t rows, index_t columns, index_t inner) {
  const Eigen::Index packed_rows = std::min(rows, row_panel);
  const Eigen::Index packed_columns = std::min(columns, column_panel);
  Eigen::Index depth = std::min(inner, inner_panel);
  Eigen::Index height = packed_columns;  // a row-major product is the transposes' column-major one
  Eigen::Index width = packed_rows;
  Eigen::internal::computeProductBlockingSizes<T, T>(depth, height, width, Eigen::Index{1});
  return static_cast<std::size_t>(depth * (packed_columns + packed_rows)) * sizeof(T) +
         fixed_workspace;
}

bool has_eigen_wide_steps() {
#if defined(__AVX2__) && defined(__FMA__)
  return true;
#else
  return false;
#endif
}

template void gemm_by_eigen<float>(index_t, index_t, index_t, const dense_matrix<float>&,
                                   const dense_matrix<float>&, float*, index_t);
template void gemm_by_eigen<double>(index_t, index_t, index_t, const dense_matrix<double>&,
                                    const dense_matrix<double>&, double*, index_t);
template std::size_t gemm_by_eigen_workspace<float>(index_t, index_t, index_t);
template std::size_t gemm_by_eigen_workspace<double>(index_t, index_t, index_t);

}  // namespace tessera::detail
