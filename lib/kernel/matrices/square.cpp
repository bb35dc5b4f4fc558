// SPDX-License-Identifier: Apache-2.0
/// \file
/// Functions of square matrices by their factors, and `lu` of any matrix.
///
/// Problem: `solve`, `inv`, `det` and `cholesky` are functions of one matrix after the other in a
/// block, and each must say which matrix of the block it refuses.
///
/// Idea: each matrix is copied into dense memory, factored in place (P A = L U, or A = L L^H), and
/// the result is computed from the factors. `matrix_call` loops over the matrices and names them.
///
/// Invariant: a matrix with NaN gives NaN; a singular one is an error of `solve` and `inv`.
/// Reference: Golub and Van Loan, "Matrix Computations", chapters 3 and 4.

#include "tessera/kernel/detail/bytes_of.hpp"
#include "tessera/kernel/matrix_kernel.hpp"

#include "kernel/matrices/decompositions.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::matrices {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
struct cholesky_of : by_signature<"(n,n)->(n,n)"> {
  static constexpr const char* label = "cholesky";
  static std::vector<dtype> outputs() { return {dtype_of<T>}; }
  static std::size_t workspace(const block_shapes& of) {
    const index_t n = last(of.inputs[0], 1);
    return bytes_of_matrix<T>(n, n);
  }
  static std::size_t kept(const block_shapes& of) {
    return decompose<T>::kept_by_cholesky(last(of.inputs[0], 1));
  }
  static void run(const block_call& call) {
    matrix_call batch(call, core);
    const index_t n = batch.extent_in(0, 1);
    batch.for_each([&] {
      matrix_map<T> a = batch.make<T>(n, n);
      batch.read<T>(0, a);
      a.template triangularView<Eigen::StrictlyUpper>().setZero();
      if (has_nan(a)) {
        a.template triangularView<Eigen::Lower>().setConstant(static_cast<real_of<T>>(nan));
      } else if (!decompose<T>::cholesky(a)) {
        throw value_error(fmt::format(
            "cholesky: {} is not positive definite; only such matrices have this factor",
            batch.name()));
      }
      batch.write<T>(0, a);
    });
  }
};

template <class T>
void require_regular(const char* label, const matrix_map<T>& factors, const matrix_call& batch) {
  for (index_t i = 0; i < factors.rows(); ++i) {
    if (factors(i, i) != T{}) continue;
    throw value_error(fmt::format(
        "{}: {} is singular: pivot {} of {} is 0; pinv and lstsq take such matrices as well", label,
        batch.name(), i, factors.rows()));
  }
}

/// Calls `solve(a, x, batch)` for each matrix `a`; it replaces the right side `x` by the solution.
template <class T, class Solve>
void solve_each(matrix_call batch, Solve solve) {
  const index_t n = batch.extent_in(0, 1);
  const index_t count = batch.extent_in(1, 1);
  batch.for_each([&] {
    matrix_map<T> a = batch.make<T>(n, n);
    matrix_map<T> x = batch.make<T>(n, count);
    batch.read<T>(0, a);
    batch.read<T>(1, x);
    solve(a, x, batch);
    batch.write<T>(0, x);
  });
}

template <class T>
struct solve_of : by_signature<"(n,n),(n,k)->(n,k)"> {
  static constexpr const char* label = "solve";
  static std::vector<dtype> outputs() { return {dtype_of<T>}; }
  static std::size_t workspace(const block_shapes& of) {
    const index_t n = last(of.inputs[0], 1);
    return bytes_of_matrix<T>(n, n) + bytes_of_matrix<T>(n, last(of.inputs[1], 1));
  }
  static std::size_t kept(const block_shapes& of) {
    return decompose<T>::kept_by_lu(last(of.inputs[0], 1), last(of.inputs[1], 1));
  }
  static void run(const block_call& call) {
    solve_each<T>({call, core}, [](matrix_map<T>& a, matrix_map<T>& x, const matrix_call& batch) {
      const row_exchanges exchanges = decompose<T>::lu(a);
      require_regular<T>(label, a, batch);
      decompose<T>::solve_by_lu(a, exchanges, x);
    });
  }
};

template <class T>
struct inv_of : by_signature<"(n,n)->(n,n)"> {
  static constexpr const char* label = "inv";
  static std::vector<dtype> outputs() { return {dtype_of<T>}; }
  static std::size_t workspace(const block_shapes& of) {
    const index_t n = last(of.inputs[0], 1);
    return 2 * bytes_of_matrix<T>(n, n);
  }
  static std::size_t kept(const block_shapes& of) {
    const index_t n = last(of.inputs[0], 1);
    return decompose<T>::kept_by_lu(n, n);
  }
  static void run(const block_call& call) {
    matrix_call batch(call, core);
    const index_t n = batch.extent_in(0, 1);
    batch.for_each([&] {
      matrix_map<T> a = batch.make<T>(n, n);
      matrix_map<T> x = batch.make<T>(n, n);
      batch.read<T>(0, a);
      const row_exchanges exchanges = decompose<T>::lu(a);
      require_regular<T>(label, a, batch);
      x.setIdentity();
      decompose<T>::solve_by_lu(a, exchanges, x);
      batch.write<T>(0, x);
    });
  }
};

/// Returns the determinant of the matrix of row exchanges.
template <class T>
T sign_of(const row_exchanges& exchanges) {
  T sign{1};
  for (std::size_t row = 0; row < exchanges.size(); ++row) {
    if (exchanges[row] != static_cast<int>(row)) sign = -sign;
  }
  return sign;
}

template <class T>
struct det_of : by_signature<"(n,n)->()"> {
  static constexpr const char* label = "det";
  static std::vector<dtype> outputs() { return {dtype_of<T>}; }
  static std::size_t workspace(const block_shapes& of) {
    const index_t n = last(of.inputs[0], 1);
    return bytes_of_matrix<T>(n, n);
  }
  static std::size_t kept(const block_shapes& of) {
    return decompose<T>::kept_by_lu(last(of.inputs[0], 1), 0);
  }
  static void run(const block_call& call) {
    matrix_call batch(call, core);
    const index_t n = batch.extent_in(0, 1);
    batch.for_each([&] {
      matrix_map<T> a = batch.make<T>(n, n);
      batch.read<T>(0, a);
      T product = sign_of<T>(decompose<T>::lu(a));
      for (index_t i = 0; i < n; ++i) product *= a(i, i);
      batch.write_element<T>(0, product);
    });
  }
};

/// Returns `x` over its magnitude: its sign, which real infinities have too.
template <class T>
T phase_of(const T& x) {
  if constexpr (complex_element<T>) {
    const real_of<T> size = std::abs(x);
    return size == real_of<T>{} ? T{} : x / size;
  } else {
    return x > 0 ? T{1} : x < 0 ? T{-1} : x == 0 ? T{} : x;
  }
}

template <class T>
struct slogdet_of : by_signature<"(n,n)->(),()"> {
  static constexpr const char* label = "slogdet";
  static std::vector<dtype> outputs() { return {dtype_of<T>, dtype_of<real_of<T>>}; }
  static std::size_t workspace(const block_shapes& of) { return det_of<T>::workspace(of); }
  static std::size_t kept(const block_shapes& of) { return det_of<T>::kept(of); }
  static void run(const block_call& call) {
    matrix_call batch(call, core);
    const index_t n = batch.extent_in(0, 1);
    batch.for_each([&] {
      matrix_map<T> a = batch.make<T>(n, n);
      batch.read<T>(0, a);
      T sign = sign_of<T>(decompose<T>::lu(a));
      real_of<T> logarithm{};
      for (index_t i = 0; i < n; ++i) {
        sign *= phase_of(T{a(i, i)});
        logarithm += std::log(std::abs(a(i, i)));
      }
      batch.write_element<T>(0, sign);
      batch.write_element<real_of<T>>(1, logarithm);
    });
  }
};

template <class T>
struct lu_of : by_signature<"(m,n)->(m,m),(m,k),(k,n)"> {
  static constexpr const char* label = "lu";
  static std::vector<dtype> outputs() { return {dtype_of<real_of<T>>, dtype_of<T>, dtype_of<T>}; }
  static bool takes(const block_shapes& of) {
    return by_signature<"(m,n)->(m,m),(m,k),(k,n)">::takes(of) &&
           last(of.outputs[2], 2) == std::min(last(of.inputs[0], 2), last(of.inputs[0], 1));
  }
  static std::size_t workspace(const block_shapes& of) {
    return bytes_of_matrix<T>(last(of.inputs[0], 2), last(of.inputs[0], 1));
  }
  static std::size_t kept(const block_shapes& of) {
    const index_t most = std::max(last(of.inputs[0], 2), last(of.inputs[0], 1));
    return decompose<T>::kept_by_lu(most, 0) + static_cast<std::size_t>(most) * sizeof(index_t);
  }
  static void run(const block_call& call) {
    matrix_call batch(call, core);
    const index_t rows = batch.extent_in(0, 2);
    std::vector<index_t> order(static_cast<std::size_t>(rows));
    batch.for_each([&] {
      matrix_map<T> a = batch.make<T>(rows, batch.extent_in(0, 1));
      batch.read<T>(0, a);
      const row_exchanges exchanges = decompose<T>::lu(a);
      std::iota(order.begin(), order.end(), index_t{0});
      for (std::size_t i = 0; i < exchanges.size(); ++i) {
        std::swap(order[i], order[static_cast<std::size_t>(exchanges[i])]);
      }
      // Row i of the product is row order[i] of the matrix.
      batch.write<real_of<T>>(0, [&](index_t row, index_t column) {
        return static_cast<real_of<T>>(order[static_cast<std::size_t>(column)] == row ? 1 : 0);
      });
      batch.write<T>(1, [&](index_t row, index_t column) {
        return row > column ? a(row, column) : T(row == column ? real_of<T>(1) : real_of<T>(0));
      });
      batch.write<T>(
          2, [&](index_t row, index_t column) { return row <= column ? a(row, column) : T{}; });
    });
  }
};

template <class T>
struct solve_triangular_of : by_signature<"(n,n),(n,k)->(n,k)"> {
  static constexpr const char* label = "solve_triangular";
  static constexpr restore_function restore = [](std::string_view identity) {
    detail::byte_reader bytes(identity);
    const auto is_lower = bytes.take<bool>();
    bytes.require_end();
    return triangular_parameters(is_lower);
  };
  static std::vector<dtype> outputs() { return {dtype_of<T>}; }
  static std::size_t workspace(const block_shapes& of) { return solve_of<T>::workspace(of); }
  static std::size_t kept(const block_shapes& of) { return solve_of<T>::kept(of); }
  static void run(const block_call& call) {
    const bool is_lower = *static_cast<const bool*>(call.parameters);
    solve_each<T>({call, core}, [&](matrix_map<T>& a, matrix_map<T>& x, const matrix_call& batch) {
      require_regular<T>(label, a, batch);
      decompose<T>::solve_triangular(a, is_lower, x);
    });
  }
};

const bool square_kernels_are_registered =
    register_kernels<cholesky_of>() && register_kernels<solve_of>() && register_kernels<inv_of>() &&
    register_kernels<det_of>() && register_kernels<slogdet_of>() && register_kernels<lu_of>() &&
    register_kernels<solve_triangular_of>();

}  // namespace

const block_kernel& cholesky(dtype type) {
  static_cast<void>(square_kernels_are_registered);
  return kernel_for<cholesky_of>(type);
}
const block_kernel& solve(dtype type) { return kernel_for<solve_of>(type); }
const block_kernel& inv(dtype type) { return kernel_for<inv_of>(type); }
const block_kernel& det(dtype type) { return kernel_for<det_of>(type); }
const block_kernel& slogdet(dtype type) { return kernel_for<slogdet_of>(type); }
const block_kernel& lu(dtype type) { return kernel_for<lu_of>(type); }
const block_kernel& solve_triangular(dtype type) { return kernel_for<solve_triangular_of>(type); }

kernel_parameters triangular_parameters(bool is_lower) {
  return {is_lower, detail::bytes_of(is_lower)};
}

}  // namespace tessera::matrices
