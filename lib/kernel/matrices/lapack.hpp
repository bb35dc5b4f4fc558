// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The functions of LAPACK that are called, by their names in Fortran: matrices lie column by
/// column; the lengths of strings come last.

#include "tessera/core/dtype.hpp"

#include <cstddef>

namespace tessera::matrices::lapack {

using size = const int*;
using text = const char*;
using length = std::size_t;

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

extern "C" {
potrf<float> spotrf_;
potrf<double> dpotrf_;
potrf<complex64> cpotrf_;
potrf<complex128> zpotrf_;
getrf<float> sgetrf_;
getrf<double> dgetrf_;
getrf<complex64> cgetrf_;
getrf<complex128> zgetrf_;
getrs<float> sgetrs_;
getrs<double> dgetrs_;
getrs<complex64> cgetrs_;
getrs<complex128> zgetrs_;
trtrs<float> strtrs_;
trtrs<double> dtrtrs_;
trtrs<complex64> ctrtrs_;
trtrs<complex128> ztrtrs_;
geqrf<float> sgeqrf_;
geqrf<double> dgeqrf_;
geqrf<complex64> cgeqrf_;
geqrf<complex128> zgeqrf_;
ormqr<float> sormqr_;
ormqr<double> dormqr_;
ormqr<complex64> cunmqr_;
ormqr<complex128> zunmqr_;
syevr<float> ssyevr_;
syevr<double> dsyevr_;
heevr<complex64, float> cheevr_;
heevr<complex128, double> zheevr_;
gesdd<float> sgesdd_;
gesdd<double> dgesdd_;
gesdd_of_complex<complex64, float> cgesdd_;
gesdd_of_complex<complex128, double> zgesdd_;
}

/// Those for elements of type `T`.
template <class T>
struct functions;
template <>
struct functions<float> {
  static constexpr auto* factor_positive = &spotrf_;
  static constexpr auto* factor = &sgetrf_;
  static constexpr auto* solve = &sgetrs_;
  static constexpr auto* solve_triangle = &strtrs_;
  static constexpr auto* make_reflections = &sgeqrf_;
  static constexpr auto* reflect = &sormqr_;
  static constexpr auto* find_eigenvectors = &ssyevr_;
  static constexpr auto* find_singular_parts = &sgesdd_;
};
template <>
struct functions<double> {
  static constexpr auto* factor_positive = &dpotrf_;
  static constexpr auto* factor = &dgetrf_;
  static constexpr auto* solve = &dgetrs_;
  static constexpr auto* solve_triangle = &dtrtrs_;
  static constexpr auto* make_reflections = &dgeqrf_;
  static constexpr auto* reflect = &dormqr_;
  static constexpr auto* find_eigenvectors = &dsyevr_;
  static constexpr auto* find_singular_parts = &dgesdd_;
};
template <>
struct functions<complex64> {
  static constexpr auto* factor_positive = &cpotrf_;
  static constexpr auto* factor = &cgetrf_;
  static constexpr auto* solve = &cgetrs_;
  static constexpr auto* solve_triangle = &ctrtrs_;
  static constexpr auto* make_reflections = &cgeqrf_;
  static constexpr auto* reflect = &cunmqr_;
  static constexpr auto* find_eigenvectors = &cheevr_;
  static constexpr auto* find_singular_parts = &cgesdd_;
};
template <>
struct functions<complex128> {
  static constexpr auto* factor_positive = &zpotrf_;
  static constexpr auto* factor = &zgetrf_;
  static constexpr auto* solve = &zgetrs_;
  static constexpr auto* solve_triangle = &ztrtrs_;
  static constexpr auto* make_reflections = &zgeqrf_;
  static constexpr auto* reflect = &zunmqr_;
  static constexpr auto* find_eigenvectors = &zheevr_;
  static constexpr auto* find_singular_parts = &zgesdd_;
};

}  // namespace tessera::matrices::lapack
