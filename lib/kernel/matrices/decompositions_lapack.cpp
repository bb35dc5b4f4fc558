// SPDX-License-Identifier: Apache-2.0
/// \file
/// Decompositions of a matrix, by LAPACK.

#include "tessera/core/error.hpp"

#include "kernel/matrices/decompositions.hpp"
#include "kernel/matrices/lapack.hpp"
#include "kernel/openblas.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::matrices {
namespace {

/// A workspace of this length asks LAPACK for the length that it needs.
constexpr int query = -1;

int narrow(index_t extent) { return static_cast<int>(extent); }

/// Throws if LAPACK refuses an argument, which would be a defect of this file.
void require_called_well(const char* function, int info) {
  if (info < 0) {
    throw std::logic_error(std::string(function) + ": LAPACK does not take argument " +
                           std::to_string(-info));
  }
}

/// Returns the length of a workspace, which LAPACK reports in its first element, rounded.
template <class T>
int length_in(const T& element) {
  return static_cast<int>(std::real(element) *
                          (1 + 2 * std::numeric_limits<real_of<T>>::epsilon()));
}

/// The workspace of a LAPACK function.
template <class T>
class room {
 public:
  explicit room(int length) : elements_(std::max(1, length)) {}
  T* data() { return elements_.data(); }

 private:
  vector<T> elements_;
};

/// Returns the bytes that OpenBLAS packs for a product of `rows` and `columns`, along `inner`.
///
/// Loads OpenBLAS: so it is loaded while a plan is made, before the processes that run the plan.
template <class T>
std::size_t packed_by_blas(index_t rows, index_t columns, index_t inner) {
  static_cast<void>(lapack::of<T>());
  const index_t packed = std::min(rows, detail::longest_column_step) + columns;
  return static_cast<std::size_t>(packed * std::min(inner, detail::longest_inner_step)) *
             sizeof(T) +
         detail::fixed_workspace;
}

/// A call of `find_eigenvectors`.
template <class T>
class eigenvectors_call {
 public:
  eigenvectors_call(index_t n, bool has_vectors) : n_(narrow(n)), job_(has_vectors ? "V" : "N") {
    T length{};
    real_of<T> real_length{};
    call(nullptr, nullptr, nullptr, nullptr, &length, query, &real_length, query, &whole_, query);
    length_ = length_in(length);
    if constexpr (complex_element<T>) real_ = length_in(real_length);
  }

  [[nodiscard]] std::size_t num_bytes() const {
    return static_cast<std::size_t>(length_) * sizeof(T) +
           static_cast<std::size_t>(real_) * sizeof(real_of<T>) +
           static_cast<std::size_t>(whole_ + 2 * n_) * sizeof(int);
  }

  bool run(T* a, real_of<T>* values, T* vectors) {
    room<T> work(length_);
    room<real_of<T>> real_work(real_);
    std::vector<int> support(2 * static_cast<std::size_t>(n_));
    std::vector<int> whole_work(static_cast<std::size_t>(whole_));
    return call(a, values, vectors, support.data(), work.data(), length_, real_work.data(), real_,
                whole_work.data(), whole_);
  }

 private:
  bool call(T* a, real_of<T>* values, T* vectors, int* support, T* work, int length,
            real_of<T>* real_work, int real_length, int* whole_work, int whole_length) {
    constexpr real_of<T> none{};
    constexpr int ignored_bound = 0;
    int num_found = 0;
    int info = 0;
    auto* const find = lapack::of<T>().find_eigenvectors;
    if constexpr (complex_element<T>) {
      find(job_, "A", "L", &n_, a, &n_, &none, &none, &ignored_bound, &ignored_bound, &none,
           &num_found, values, vectors, &n_, support, work, &length, real_work, &real_length,
           whole_work, &whole_length, &info, 1, 1, 1);
    } else {
      static_cast<void>(real_work);
      static_cast<void>(real_length);
      find(job_, "A", "L", &n_, a, &n_, &none, &none, &ignored_bound, &ignored_bound, &none,
           &num_found, values, vectors, &n_, support, work, &length, whole_work, &whole_length,
           &info, 1, 1, 1);
    }
    require_called_well("eigh", info);
    return info == 0;
  }

  int n_;
  const char* job_;
  int length_ = 0;
  int real_ = 0;
  int whole_ = 0;
};

/// A call of `find_singular_parts` of a square matrix.
template <class T>
class singular_parts_call {
 public:
  singular_parts_call(index_t n, bool has_vectors) : n_(narrow(n)), job_(has_vectors ? "A" : "N") {
    const auto extent = static_cast<std::size_t>(n);
    // Source: the manual of LAPACK's xGESDD.
    if (complex_element<T>) real_ = extent * (has_vectors ? 5 * extent + 7 : 7);
    whole_ = 8 * extent;
    T length{};
    call(nullptr, nullptr, nullptr, nullptr, &length, query, nullptr, nullptr);
    length_ = length_in(length);
  }

  [[nodiscard]] std::size_t num_bytes() const {
    return static_cast<std::size_t>(length_) * sizeof(T) + real_ * sizeof(real_of<T>) +
           whole_ * sizeof(int);
  }

  /// Returns whether the iteration converged.
  bool run(T* a, singular_parts<T>& parts) {
    room<T> work(length_);
    room<real_of<T>> real_work(static_cast<int>(real_));
    std::vector<int> whole_work(whole_);
    return call(a, parts.s.data(), parts.u.data(), parts.v.data(), work.data(), length_,
                real_work.data(), whole_work.data());
  }

 private:
  bool call(T* a, real_of<T>* s, T* u, T* v, T* work, int length, real_of<T>* real_work,
            int* whole_work) {
    int info = 0;
    if constexpr (complex_element<T>) {
      lapack::of<T>().find_singular_parts(job_, &n_, &n_, a, &n_, s, u, &n_, v, &n_, work, &length,
                                          real_work, whole_work, &info, 1);
    } else {
      static_cast<void>(real_work);
      lapack::of<T>().find_singular_parts(job_, &n_, &n_, a, &n_, s, u, &n_, v, &n_, work, &length,
                                          whole_work, &info, 1);
    }
    require_called_well("svd", info);
    return info == 0;
  }

  int n_;
  const char* job_;
  int length_ = 0;
  std::size_t real_ = 0;
  std::size_t whole_ = 0;
};

/// Return the lengths of the workspaces of `make_reflections` and `reflect`.
template <class T>
int length_for_reflections(index_t rows, index_t columns) {
  const int m = narrow(rows);
  const int n = narrow(columns);
  int info = 0;
  T length{};
  lapack::of<T>().make_reflections(&m, &n, nullptr, &m, nullptr, &length, &query, &info);
  require_called_well("qr", info);
  return length_in(length);
}

template <class T>
int length_to_reflect(index_t rows, index_t columns, index_t num_reflections) {
  const int m = narrow(rows);
  const int n = narrow(columns);
  const int k = narrow(num_reflections);
  int info = 0;
  T length{};
  lapack::of<T>().reflect("L", "N", &m, &n, &k, nullptr, &m, nullptr, nullptr, &m, &length, &query,
                          &info, 1, 1);
  require_called_well("qr", info);
  return length_in(length);
}

}  // namespace

library_use::library_use() { detail::hold_one_thread(); }
library_use::~library_use() { detail::release_one_thread(); }

template <class T>
void decompose<T>::add_product(T factor, const map& a, bool is_adjoint, const map& b, map& out) {
  const int m = narrow(out.rows());
  const int n = narrow(out.cols());
  const int k = narrow(b.rows());
  const int stride_of_a = std::max(1, narrow(a.rows()));
  const int stride_of_b = std::max(1, k);
  const int stride_of_out = std::max(1, m);
  const T unit{1};
  lapack::of<T>().multiply(is_adjoint ? "C" : "N", "N", &m, &n, &k, &factor, a.data(), &stride_of_a,
                           b.data(), &stride_of_b, &unit, out.data(), &stride_of_out, 1, 1);
}

template <class T>
std::size_t decompose<T>::kept_by_product(index_t rows, index_t columns, index_t inner) {
  return packed_by_blas<T>(rows, columns, inner);
}

template <class T>
bool decompose<T>::cholesky(map& a) {
  const int n = narrow(a.rows());
  int info = 0;
  lapack::of<T>().factor_positive("L", &n, a.data(), &n, &info, 1);
  require_called_well("cholesky", info);
  return info == 0;
}

template <class T>
std::size_t decompose<T>::kept_by_cholesky(index_t n) {
  return packed_by_blas<T>(n, n, n / 4 + 1);
}

template <class T>
row_exchanges decompose<T>::lu(map& a) {
  const int m = narrow(a.rows());
  const int n = narrow(a.cols());
  row_exchanges exchanges(static_cast<std::size_t>(std::min(m, n)));
  int info = 0;
  lapack::of<T>().factor(&m, &n, a.data(), &m, exchanges.data(), &info);
  require_called_well("lu", info);
  for (int& row : exchanges) --row;  // Fortran counts from 1
  return exchanges;
}

template <class T>
void decompose<T>::solve_by_lu(const map& lu, const row_exchanges& exchanges, map& b) {
  const int n = narrow(lu.rows());
  const int columns = narrow(b.cols());
  row_exchanges pivots = exchanges;
  for (int& row : pivots) ++row;
  int info = 0;
  lapack::of<T>().solve("N", &n, &columns, lu.data(), &n, pivots.data(), b.data(), &n, &info, 1);
  require_called_well("solve", info);
}

template <class T>
void decompose<T>::solve_triangular(const map& a, bool is_lower, map& b) {
  const int n = narrow(a.rows());
  const int columns = narrow(b.cols());
  int info = 0;
  lapack::of<T>().solve_triangle(is_lower ? "L" : "U", "N", "N", &n, &columns, a.data(), &n,
                                 b.data(), &n, &info, 1, 1, 1);
  require_called_well("solve_triangular", info);
}

template <class T>
std::size_t decompose<T>::kept_by_lu(index_t n, index_t others) {
  return packed_by_blas<T>(n, std::max(n, others), n / 2 + 1) +
         2 * static_cast<std::size_t>(n) * sizeof(int);
}

template <class T>
vector<T> decompose<T>::reflections(map& a) {
  const int m = narrow(a.rows());
  const int n = narrow(a.cols());
  vector<T> scales(std::min(m, n));
  const int length = length_for_reflections<T>(m, n);
  room<T> work(length);
  int info = 0;
  lapack::of<T>().make_reflections(&m, &n, a.data(), &m, scales.data(), work.data(), &length,
                                   &info);
  require_called_well("qr", info);
  return scales;
}

template <class T>
void decompose<T>::reflect(const map& a, const vector<T>& scales, map& of) {
  const int m = narrow(of.rows());
  const int n = narrow(of.cols());
  const int k = narrow(scales.size());
  const int length = length_to_reflect<T>(m, n, k);
  room<T> work(length);
  int info = 0;
  lapack::of<T>().reflect("L", "N", &m, &n, &k, a.data(), &m, scales.data(), of.data(), &m,
                          work.data(), &length, &info, 1, 1);
  require_called_well("qr", info);
}

template <class T>
std::size_t decompose<T>::kept_by_reflections(index_t rows, index_t columns, index_t others) {
  const index_t size = std::min(rows, columns);
  int length = length_for_reflections<T>(rows, columns);
  if (others > 0) length = std::max(length, length_to_reflect<T>(rows, others, size));
  // Columns are reflected by panels: the inner axis of products is a panel or all rows.
  constexpr index_t panel = 64;
  const index_t width = std::max(columns, others);
  return static_cast<std::size_t>(length + size) * sizeof(T) +
         std::max(packed_by_blas<T>(rows, width, panel), packed_by_blas<T>(panel, width, rows));
}

template <class T>
std::optional<hermitian_parts<T>> decompose<T>::hermitian(map& a, bool has_vectors) {
  const index_t of_vectors = has_vectors ? a.rows() : 1;
  hermitian_parts<T> parts{vector<real_of<T>>(a.rows()), matrix<T>(of_vectors, of_vectors)};
  eigenvectors_call<T> call(a.rows(), has_vectors);
  if (!call.run(a.data(), parts.values.data(), parts.vectors.data())) return std::nullopt;
  return parts;
}

template <class T>
std::size_t decompose<T>::kept_by_hermitian(index_t n, bool has_vectors) {
  constexpr index_t panel = 64;
  return eigenvectors_call<T>(n, has_vectors).num_bytes() + bytes_of_matrix<real_of<T>>(n, 1) +
         bytes_of_matrix<T>(n, has_vectors ? n : 1) + packed_by_blas<T>(n, n, panel);
}

template <class T>
std::optional<singular_parts<T>> decompose<T>::singular(map& a, bool has_vectors) {
  const index_t n = a.rows();
  const index_t of_vectors = has_vectors ? n : 0;
  singular_parts<T> parts{matrix<T>(of_vectors, of_vectors), vector<real_of<T>>(n),
                          matrix<T>(of_vectors, of_vectors)};
  if (!singular_parts_call<T>(n, has_vectors).run(a.data(), parts)) return std::nullopt;
  parts.v.adjointInPlace();
  return parts;
}

template <class T>
std::size_t decompose<T>::kept_by_singular(index_t n, bool has_vectors) {
  const std::size_t matrices = has_vectors ? 2 : 0;
  return matrices * bytes_of_matrix<T>(n, n) + bytes_of_matrix<real_of<T>>(n, 1) +
         singular_parts_call<T>(n, has_vectors).num_bytes() + packed_by_blas<T>(n, n, n);
}

template struct decompose<float>;
template struct decompose<double>;
template struct decompose<complex64>;
template struct decompose<complex128>;

}  // namespace tessera::matrices
