// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decompositions of a matrix, by Eigen; its singular parts have sources of their own.

#include "kernel/matrices/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>

namespace tessera::matrices {

library_use::library_use() {}
library_use::~library_use() {}

template <class T>
void decompose<T>::add_product(T factor, const map& a, bool is_adjoint, const map& b, map& out) {
  if (is_adjoint) {
    out.noalias() += factor * (a.adjoint() * b);
  } else {
    out.noalias() += factor * (a * b);
  }
}

template <class T>
std::size_t decompose<T>::kept_by_product(index_t rows, index_t columns, index_t inner) {
  return packed_bytes<T>(rows, columns, inner);
}

template <class T>
bool decompose<T>::cholesky(map& a) {
  matrix_ref<T> in_place(a);
  return Eigen::LLT<matrix_ref<T>>(in_place).info() == Eigen::Success;
}

template <class T>
std::size_t decompose<T>::kept_by_cholesky(index_t n) {
  // Eigen goes by panels of at most so many columns.
  constexpr index_t panel = 128;
  return packed_bytes<T>(n, n, std::min(n, panel));
}

template <class T>
row_exchanges decompose<T>::lu(map& a) {
  // `PartialPivLU` does not say in which order it exchanges.
  Eigen::Transpositions<Eigen::Dynamic, Eigen::Dynamic, int> exchanged(a.cols());
  int num_exchanged = 0;
  Eigen::internal::partial_lu_inplace(a, exchanged, num_exchanged);
  const auto first = exchanged.indices().begin();
  return {first, first + std::min(a.rows(), a.cols())};
}

template <class T>
void decompose<T>::solve_by_lu(const map& lu, const row_exchanges& exchanges, map& b) {
  for (index_t i = 0; i < b.rows(); ++i) {
    b.row(i).swap(b.row(exchanges[static_cast<std::size_t>(i)]));
  }
  lu.template triangularView<Eigen::UnitLower>().solveInPlace(b);
  lu.template triangularView<Eigen::Upper>().solveInPlace(b);
}

template <class T>
void decompose<T>::solve_triangular(const map& a, bool is_lower, map& b) {
  if (is_lower) {
    a.template triangularView<Eigen::Lower>().solveInPlace(b);
  } else {
    a.template triangularView<Eigen::Upper>().solveInPlace(b);
  }
}

template <class T>
std::size_t decompose<T>::kept_by_lu(index_t n, index_t others) {
  return packed_bytes<T>(n, std::max(n, others), n) +
         5 * static_cast<std::size_t>(n) * sizeof(Eigen::Index);
}

template <class T>
vector<T> decompose<T>::reflections(map& a) {
  matrix_ref<T> in_place(a);
  return Eigen::HouseholderQR<matrix_ref<T>>(in_place).hCoeffs();
}

template <class T>
void decompose<T>::reflect(const map& a, const vector<T>& scales, map& of) {
  of.applyOnTheLeft(
      Eigen::householderSequence(a, scales.conjugate()).setLength(std::min(a.rows(), a.cols())));
}

template <class T>
std::size_t decompose<T>::kept_by_reflections(index_t rows, index_t columns, index_t others) {
  constexpr index_t block = 48;
  const index_t size = std::min(rows, columns);
  return 2 * bytes_of_matrix<T>(size, 1) + bytes_of_matrix<T>(columns, 1) +
         bytes_of_matrix<T>(block, block) +
         2 * bytes_of_matrix<T>(std::min(block, size), std::max(columns, others)) +
         packed_bytes<T>(rows, std::max(columns, others), std::min(block, size));
}

template <class T>
std::optional<hermitian_parts<T>> decompose<T>::hermitian(map& a, bool has_vectors) {
  Eigen::SelfAdjointEigenSolver<matrix<T>> solver(a.rows());
  solver.compute(a, has_vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return std::nullopt;
  if (!has_vectors) return hermitian_parts<T>{solver.eigenvalues(), {}};
  return hermitian_parts<T>{solver.eigenvalues(), solver.eigenvectors()};
}

template <class T>
std::size_t decompose<T>::kept_by_hermitian(index_t n, bool has_vectors) {
  // The vectors, twice, the diagonals, and two panels of as many columns as Eigen takes.
  constexpr index_t panels = 2 * 48;
  return (has_vectors ? 2 : 1) * bytes_of_matrix<T>(n, n) + bytes_of_matrix<T>(n, 9 + panels);
}

// With vectors, products are allocated after some of these are freed.
template <class T>
std::size_t decompose<T>::kept_by_singular(index_t n, bool has_vectors) {
  const std::size_t matrix_bytes = bytes_of_matrix<T>(n + 1, n + 1);
  return has_vectors ? 8 * matrix_bytes : 3 * matrix_bytes + packed_bytes<T>(n, n, n);
}

template struct decompose<float>;
template struct decompose<double>;
template struct decompose<complex64>;
template struct decompose<complex128>;

}  // namespace tessera::matrices
