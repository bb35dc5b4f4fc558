// SPDX-License-Identifier: Apache-2.0
/// \file
/// Singular values, and least squares by them.
///
/// Problem: matrices have any shape, and a decomposition of a tall one costs its rows many times.
///
/// Idea: a tall matrix is A = Q R; a wide one is handled as its adjoint. With R = U diag(s) V^H of
/// the small R, the factors of A are (Q U) diag(s) V^H. The solution of least norm of A x = b is
///
///     x = V diag(1 / s) U^H b, over the s that are not negligible against the greatest
///
/// Invariant: a matrix with NaN or infinities gives NaN; the library never sees it.
/// Reference: Golub and Van Loan, "Matrix Computations", 5.5 and 8.6.

#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/matrix_kernel.hpp"

#include "kernel/matrices/orthogonal.hpp"
#include "kernel/matrices/scaling.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::matrices {
namespace {

/// Returns the singular parts of `a`, or NaN if `a` has NaN or infinities. Overwrites `a`.
template <class T>
singular_parts<T> parts_of(matrix_map<T>& a, bool has_vectors, const matrix_call& batch) {
  if (a.allFinite()) {
    std::optional<singular_parts<T>> parts = decompose<T>::singular(a, has_vectors);
    if (!parts) throw not_found("singular values", batch);
    return std::move(*parts);
  }
  constexpr real_of<T> nan = std::numeric_limits<real_of<T>>::quiet_NaN();
  const index_t n = has_vectors ? a.rows() : 0;
  return {matrix<T>::Constant(n, n, nan), vector<real_of<T>>::Constant(a.rows(), nan),
          matrix<T>::Constant(n, n, nan)};
}

/// A tall matrix or the adjoint of a wide one, and its singular parts: of R of its QR factors.
template <class T>
class tall_matrix {
 public:
  tall_matrix(matrix_call& batch, index_t rows, index_t columns)
      : batch_(batch),
        is_wide_(rows < columns),
        a_(batch.make<T>(std::max(rows, columns), std::min(rows, columns))) {}

  /// Reads operand 0, divided by 2^`exponent()`.
  void read(const matrix_call& batch) {
    if (is_wide_) {
      batch.read<T>(0, [this](index_t i, index_t j) { return conjugate_reference{a_(j, i)}; });
    } else {
      batch.read<T>(0, a_);
    }
    exponent_ = scale_of(a_);
    scale(a_, -exponent_);
  }
  [[nodiscard]] int exponent() const { return exponent_; }

  /// Returns the singular parts of R, or of a square matrix, which is overwritten. The values are
  /// divided by 2^`exponent()`.
  singular_parts<T> parts(bool has_vectors) {
    const index_t n = a_.cols();
    if (a_.rows() == n) return parts_of<T>(a_, has_vectors, batch_);
    factors_.emplace(a_);
    matrix<T> r(n, n);
    for (index_t j = 0; j < n; ++j) {
      for (index_t i = 0; i < n; ++i) r(i, j) = factors_->r(i, j);
    }
    matrix_map<T> square(r.data(), n, n);
    return parts_of<T>(square, has_vectors, batch_);
  }

  /// Sets `q` to Q times `u`, with further columns that complete the basis.
  void complete(matrix_map<T>& q, const matrix<T>& u) const {
    q.setIdentity();
    q.topLeftCorner(u.rows(), u.cols()) = u;
    if (factors_) factors_->multiply(q);
  }

  [[nodiscard]] bool is_wide() const { return is_wide_; }

 private:
  /// An element that is set to its conjugate.
  struct conjugate_reference {
    T& element;
    void operator=(const T& x) {
      if constexpr (complex_element<T>) {
        element = std::conj(x);
      } else {
        element = x;
      }
    }
  };

  const matrix_call& batch_;
  bool is_wide_;
  matrix_map<T> a_;
  int exponent_ = 0;
  std::optional<orthogonal_factors<T>> factors_;
};

template <class T>
std::size_t kept_by_tall(index_t rows, index_t columns, bool has_vectors) {
  const index_t n = std::min(rows, columns);
  const std::size_t factors =
      rows == columns ? 0 : orthogonal_factors<T>::kept(std::max(rows, columns), n, n);
  const std::size_t r = rows == columns ? 0 : bytes_of_matrix<T>(n, n);
  return decompose<T>::kept_by_singular(n, has_vectors) + factors + r;
}

template <class T>
struct svdvals_of : by_signature<"(m,n)->(k)"> {
  static constexpr const char* label = "svdvals";
  static std::vector<dtype> outputs() { return {dtype_of<real_of<T>>}; }
  static bool takes(const block_shapes& of) {
    return by_signature::takes(of) &&
           last(of.outputs[0], 1) == std::min(last(of.inputs[0], 1), last(of.inputs[0], 2));
  }
  static std::size_t workspace(const block_shapes& of) {
    return bytes_of_matrix<T>(last(of.inputs[0], 2), last(of.inputs[0], 1));
  }
  static std::size_t kept(const block_shapes& of) {
    return kept_by_tall<T>(last(of.inputs[0], 2), last(of.inputs[0], 1), false);
  }
  static void run(const block_call& call) {
    matrix_call batch(call, core);
    batch.for_each([&] {
      tall_matrix<T> a(batch, batch.extent_in(0, 2), batch.extent_in(0, 1));
      a.read(batch);
      singular_parts<T> parts = a.parts(false);
      scale(parts.s, a.exponent());
      batch.write_line<real_of<T>>(0, parts.s);
    });
  }
};

template <class T>
struct svd_of : by_signature<"(m,n)->(m,u),(k),(v,n)"> {
  static constexpr const char* label = "svd";
  static std::vector<dtype> outputs() { return {dtype_of<T>, dtype_of<real_of<T>>, dtype_of<T>}; }
  static bool takes(const block_shapes& of) {
    if (!by_signature::takes(of)) return false;
    const index_t rows = last(of.inputs[0], 2);
    const index_t columns = last(of.inputs[0], 1);
    const index_t size = std::min(rows, columns);
    const index_t of_u = last(of.outputs[0], 1);
    const index_t of_v = last(of.outputs[2], 2);
    return last(of.outputs[1], 1) == size &&
           ((of_u == size && of_v == size) || (of_u == rows && of_v == columns));
  }
  static std::size_t workspace(const block_shapes& of) {
    const index_t rows = last(of.inputs[0], 2);
    const index_t columns = last(of.inputs[0], 1);
    const std::size_t matrix = bytes_of_matrix<T>(rows, columns);
    if (rows == columns) return matrix;
    return matrix + bytes_of_matrix<T>(std::max(rows, columns), rows < columns
                                                                    ? last(of.outputs[2], 2)
                                                                    : last(of.outputs[0], 1));
  }
  static std::size_t kept(const block_shapes& of) {
    return kept_by_tall<T>(last(of.inputs[0], 2), last(of.inputs[0], 1), true);
  }
  static void run(const block_call& call) {
    matrix_call batch(call, core);
    const index_t rows = batch.extent_in(0, 2);
    const index_t columns = batch.extent_in(0, 1);
    batch.for_each([&] {
      tall_matrix<T> a(batch, rows, columns);
      a.read(batch);
      singular_parts<T> parts = a.parts(true);
      scale(parts.s, a.exponent());
      if (rows == columns) {
        batch.write<T>(0, parts.u);
        batch.write_line<real_of<T>>(1, parts.s);
        return batch.write<T>(2, parts.v.adjoint());
      }
      matrix_map<T> q = batch.make<T>(
          std::max(rows, columns), a.is_wide() ? batch.extent_out(2, 2) : batch.extent_out(0, 1));
      a.complete(q, parts.u);
      batch.write_line<real_of<T>>(1, parts.s);
      if (a.is_wide()) {
        batch.write<T>(0, parts.v);
        batch.write<T>(2, q.adjoint());
      } else {
        batch.write<T>(0, q);
        batch.write<T>(2, parts.v.adjoint());
      }
    });
  }
};

template <class T>
struct lstsq_of : by_signature<"(m,n),(m,c)->(n,c),(c),(),(k)"> {
  using real = real_of<T>;
  static constexpr const char* label = "lstsq";
  static std::vector<dtype> outputs() {
    return {dtype_of<T>, dtype_of<real>, dtype::int64, dtype_of<real>};
  }
  static constexpr restore_function restore = [](std::string_view identity) {
    detail::byte_reader bytes(identity);
    const auto least = bytes.take<double>();
    bytes.require_end();
    return lstsq_parameters(least);
  };
  static bool takes(const block_shapes& of) {
    return by_signature::takes(of) &&
           last(of.outputs[3], 1) == std::min(last(of.inputs[0], 1), last(of.inputs[0], 2));
  }
  static std::size_t workspace(const block_shapes& of) {
    const index_t rows = last(of.inputs[0], 2);
    const index_t columns = last(of.inputs[0], 1);
    const index_t count = last(of.inputs[1], 1);
    return 2 * bytes_of_matrix<T>(rows, columns) + bytes_of_matrix<T>(rows, count) +
           bytes_of_matrix<T>(columns, count) +
           bytes_of_matrix<T>(std::max(rows, columns), std::min(rows, columns)) +
           bytes_of_matrix<T>(std::min(rows, columns), count);
  }
  static std::size_t kept(const block_shapes& of) {
    const index_t rows = last(of.inputs[0], 2);
    const index_t columns = last(of.inputs[0], 1);
    const index_t count = last(of.inputs[1], 1);
    const index_t longest = std::max(rows, columns);
    return kept_by_tall<T>(rows, columns, true) +
           decompose<T>::kept_by_product(longest, count, longest) + bytes_of_exponents(count);
  }
  static void run(const block_call& call) {
    matrix_call batch(call, core);
    const index_t rows = batch.extent_in(0, 2);
    const index_t columns = batch.extent_in(0, 1);
    const index_t size = std::min(rows, columns);
    const index_t count = batch.extent_in(1, 1);
    const double least = *static_cast<const double*>(call.parameters);
    batch.for_each([&] {
      tall_matrix<T> factors(batch, rows, columns);
      matrix_map<T> a = batch.make<T>(rows, columns);
      matrix_map<T> b = batch.make<T>(rows, count);
      matrix_map<T> x = batch.make<T>(columns, count);
      matrix_map<T> q = batch.make<T>(std::max(rows, columns), size);
      matrix_map<T> coefficients = batch.make<T>(size, count);
      factors.read(batch);
      batch.read<T>(0, a);
      batch.read<T>(1, b);
      scale(a, -factors.exponent());
      const std::vector<int> exponents = scale_columns(b);
      singular_parts<T> parts = factors.parts(true);
      factors.complete(q, parts.u);
      matrix_map<T> v(parts.v.data(), size, size);
      coefficients.setZero();
      decompose<T>::add_product(1, factors.is_wide() ? v : q, true, b, coefficients);
      const std::int64_t rank = divide_by_values(coefficients, parts, static_cast<real>(least));
      x.setZero();
      decompose<T>::add_product(1, factors.is_wide() ? q : v, false, coefficients, x);
      decompose<T>::add_product(-1, a, false, x, b);
      batch.write_element<std::int64_t>(2, rank);
      scale(parts.s, factors.exponent());
      batch.write_line<real>(3, parts.s);
      write_solution(batch, x, b, factors.exponent(), exponents);
    });
  }

 private:
  /// Writes the solution and the squared lengths of the columns of `residual`. The matrix was
  /// divided by 2^`of_matrix`, column j of the right side by 2^`of_columns[j]`.
  static void write_solution(const matrix_call& batch, matrix_map<T>& x,
                             const matrix_map<T>& residual, int of_matrix,
                             const std::vector<int>& of_columns) {
    const auto exponent_of = [&](index_t j) {
      return of_columns.empty() ? 0 : of_columns[static_cast<std::size_t>(j)];
    };
    for (index_t j = 0; j < x.cols(); ++j) scale(x.col(j), exponent_of(j) - of_matrix);
    batch.write<T>(0, x);
    batch.write_line<real>(1, [&](index_t j) {
      return std::ldexp(residual.col(j).squaredNorm(), 2 * exponent_of(j));
    });
  }
  /// Divides row `i` by singular value `i`, or zeroes it if the value is at most `least` times the
  /// greatest one. Returns the rank. NaN stays.
  static std::int64_t divide_by_values(matrix_map<T>& coefficients, const singular_parts<T>& parts,
                                       real least) {
    std::int64_t rank = 0;
    for (index_t i = 0; i < coefficients.rows(); ++i) {
      const bool counts = parts.s[i] > least * parts.s[0];
      rank += counts ? 1 : 0;
      if (counts) {
        coefficients.row(i) /= parts.s[i];
      } else if (!std::isnan(parts.s[i])) {
        coefficients.row(i).setZero();
      }
    }
    return rank;
  }
};

const bool singular_values_are_registered =
    register_kernels<svdvals_of>() && register_kernels<svd_of>() && register_kernels<lstsq_of>();

}  // namespace

const block_kernel& svdvals(dtype type) {
  static_cast<void>(singular_values_are_registered);
  return kernel_for<svdvals_of>(type);
}
const block_kernel& svd(dtype type) { return kernel_for<svd_of>(type); }
const block_kernel& lstsq(dtype type) { return kernel_for<lstsq_of>(type); }

kernel_parameters lstsq_parameters(double least) { return {least, detail::bytes_of(least)}; }

}  // namespace tessera::matrices
