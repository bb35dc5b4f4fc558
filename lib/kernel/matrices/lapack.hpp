// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The functions of BLAS and LAPACK that are called, by their names in Fortran: matrices lie column
/// by column; the lengths of strings come last.

#include "tessera/core/dtype.hpp"

#include "kernel/openblas.hpp"

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace tessera::matrices::lapack {

using size = const int*;
using text = const char*;
using length = std::size_t;

template <class T>
using gemm = void(text transa, text transb, size m, size n, size k, const T* alpha, const T* a,
                  size lda, const T* b, size ldb, const T* beta, T* c, size ldc, length, length);
template <class T>
using potrf = void(text uplo, size n, T* a, size lda, int* info, length);
template <class T>
using getrf = void(size m, size n, T* a, size lda, int* pivots, int* info);
template <class T>
using getrs = void(text trans, size n, size nrhs, const T* a, size lda, const int* pivots, T* b,
                   size ldb, int* info, length);
template <class T>
using trtrs = void(text uplo, text trans, text diag, size n, size nrhs, const T* a, size lda, T* b,
                   size ldb, int* info, length, length, length);
template <class T>
using geqrf = void(size m, size n, T* a, size lda, T* tau, T* work, size lwork, int* info);
template <class T>
using ormqr = void(text side, text trans, size m, size n, size k, const T* a, size lda,
                   const T* tau, T* c, size ldc, T* work, size lwork, int* info, length, length);
template <class T>
using syevr = void(text jobz, text range, text uplo, size n, T* a, size lda, const T* vl,
                   const T* vu, size il, size iu, const T* abstol, int* m, T* w, T* z, size ldz,
                   int* isuppz, T* work, size lwork, int* iwork, size liwork, int* info, length,
                   length, length);
template <class T, class Real>
using heevr = void(text jobz, text range, text uplo, size n, T* a, size lda, const Real* vl,
                   const Real* vu, size il, size iu, const Real* abstol, int* m, Real* w, T* z,
                   size ldz, int* isuppz, T* work, size lwork, Real* rwork, size lrwork, int* iwork,
                   size liwork, int* info, length, length, length);
template <class T>
using gesdd = void(text jobz, size m, size n, T* a, size lda, T* s, T* u, size ldu, T* vt,
                   size ldvt, T* work, size lwork, int* iwork, int* info, length);
template <class T, class Real>
using gesdd_of_complex = void(text jobz, size m, size n, T* a, size lda, Real* s, T* u, size ldu,
                              T* vt, size ldvt, T* work, size lwork, Real* rwork, int* iwork,
                              int* info, length);

/// Types and names of the functions for elements of type `T`.
template <class T>
struct naming {
  using reflect = ormqr<T>;
  using find_eigenvectors = syevr<T>;
  using find_singular_parts = gesdd<T>;
  static constexpr std::string_view letter = std::same_as<T, float> ? "s" : "d";
  static constexpr std::string_view reflect_name = "ormqr_";
  static constexpr std::string_view find_eigenvectors_name = "syevr_";
};
template <complex_element T>
struct naming<T> {
  using real = typename T::value_type;
  using reflect = ormqr<T>;
  using find_eigenvectors = heevr<T, real>;
  using find_singular_parts = gesdd_of_complex<T, real>;
  static constexpr std::string_view letter = std::same_as<real, float> ? "c" : "z";
  static constexpr std::string_view reflect_name = "unmqr_";
  static constexpr std::string_view find_eigenvectors_name = "heevr_";
};

/// The functions for elements of type `T`.
template <class T>
struct functions {
  gemm<T>* multiply = find<gemm<T>>("gemm_");
  potrf<T>* factor_positive = find<potrf<T>>("potrf_");
  getrf<T>* factor = find<getrf<T>>("getrf_");
  getrs<T>* solve = find<getrs<T>>("getrs_");
  trtrs<T>* solve_triangle = find<trtrs<T>>("trtrs_");
  geqrf<T>* make_reflections = find<geqrf<T>>("geqrf_");
  typename naming<T>::reflect* reflect = find<typename naming<T>::reflect>(naming<T>::reflect_name);
  typename naming<T>::find_eigenvectors* find_eigenvectors =
      find<typename naming<T>::find_eigenvectors>(naming<T>::find_eigenvectors_name);
  typename naming<T>::find_singular_parts* find_singular_parts =
      find<typename naming<T>::find_singular_parts>("gesdd_");

 private:
  template <class Function>
  static Function* find(std::string_view name) {
    return detail::function_of_openblas<Function>(
        std::string(naming<T>::letter).append(name).c_str());
  }
};

/// Returns the functions for elements of type `T`, which the first call looks up.
template <class T>
const functions<T>& of() {
  static const functions<T> table;
  return table;
}

}  // namespace tessera::matrices::lapack
