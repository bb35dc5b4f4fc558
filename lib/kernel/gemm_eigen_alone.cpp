// SPDX-License-Identifier: Apache-2.0
#include "kernel/gemm.hpp"

namespace tessera::detail {

template <class T>
void gemm(index_t rows, index_t columns, index_t inner, const dense_matrix<T>& a,
          const dense_matrix<T>& b, T* out, index_t out_stride) {
  gemm_by_eigen(rows, columns, inner, a, b, out, out_stride);
}

template <class T>
std::size_t gemm_workspace(index_t rows, index_t columns, index_t inner) {
  return gemm_by_eigen_workspace<T>(rows, columns, inner);
}

template void gemm<float>(index_t, index_t, index_t, const dense_matrix<float>&,
                          const dense_matrix<float>&, float*, index_t);
template void gemm<double>(index_t, index_t, index_t, const dense_matrix<double>&,
                           const dense_matrix<double>&, double*, index_t);
template std::size_t gemm_workspace<float>(index_t, index_t, index_t);
template std::size_t gemm_workspace<double>(index_t, index_t, index_t);

}  // namespace tessera::detail
