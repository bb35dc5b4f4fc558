// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints products, covariances and functions of matrices of hard values in chunks of one, of two
/// and of all. See hard_values.py.
#include "unit/function/hard_values.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::testing {
namespace {

template <class X>
void print_products(const X& x) {
  near("np.dot(x, x)", dot(x, x));
  near("np.inner(x, x)", inner(x, x));
  near("np.vdot(x, x)", vecdot(x, x));
  near("np.outer(x, x)", outer(x, x));
  near("np.kron(x, x)", kron(x, x));
  near("np.tensordot(x, x, 1)", tensordot<1>(x, x));
  near("np.einsum('i,i->i', x, x)", einsum<"i,i->i">(x, x));
  near("np.sum(x) * np.sum(x[::-1])", einsum<"i,j->">(x, flip(x)));
  if constexpr (!std::same_as<typename X::value_type, float>) {
    if (x.size() >= 3) near("np.cross(x[:3], x[2::-1])", cross(x(slice(3)), flip(x(slice(3)))));
  }
}

template <class M>
void print_products_of_rows(const M& m) {
  same("m.T", matrix_transpose(m));
  near("np.matmul(m, m.T)", matmul(m, m.T()));
  near("np.matmul(m.T, m)", matmul(m.T(), m));
  near("np.matmul(m, m[0])", matmul(m, m(0)));
  if (m.size() == 0) return;
  near("np.linalg.norm(m)", matrix_norm(m));
  near("np.linalg.norm(m, np.inf)", matrix_norm(m, order_infinity));
  if (m.size() < 4) return;
  near("np.linalg.matrix_power(m[:2, :2], 3)", matrix_power(m(slice(2), slice(2)), 3));
  near("np.trace(m)", trace(m));
  same("np.diagonal(m)", diagonal(m));
}

/// Tells whether the squares of elements neither overflow nor vanish in double precision.
template <class T>
bool have_squares(const std::vector<T>& values) {
  if constexpr (floating_element<T>) {
    return std::all_of(values.begin(), values.end(),
                       [](double value) { return value == 0 || std::isnormal(value * value); });
  }
  return true;
}

template <class M>
void print_moments_of_rows(const M& m) {
  near("np.cov(m)", cov(m));
  near("np.corrcoef(m)", corrcoef(m));
}

/// Matrices of one element.
template <class X>
void print_matrices(const X& x) {
  using T = typename X::value_type;
  const auto matrices = reshape(x, {-1, 1, 1});
  near("x", det(matrices));
  if constexpr (floating_element<T>) {
    near("np.sign(x)", std::get<0>(slogdet(matrices)));
    near("np.log(np.abs(x))", std::get<1>(slogdet(matrices)));
  }
}

/// Matrices of one element that have an inverse.
template <class T>
void print_systems(index_t chunk) {
  using limits = std::numeric_limits<T>;
  const std::vector<T> values{T{1}, T{3}, T{-2}, limits::max() / 4, limits::min() * 8};
  const auto x = line_of(values, chunk);
  const auto matrices = reshape(x, {-1, 1, 1});
  const auto squares = reshape(abs(x), {-1, 1, 1});
  near("np.linalg.inv(x.reshape(-1, 1, 1))", inv(matrices));
  near("np.linalg.pinv(x.reshape(-1, 1, 1))", pinv(matrices));
  near("np.ones((5, 1, 1))", solve(matrices, matrices));
  near("np.ones((5, 1, 1))", solve_triangular(matrices, matrices));
  near("np.sqrt(np.abs(x)).reshape(-1, 1, 1)", cholesky(squares));
  near("x.reshape(-1, 1)", eigvalsh(matrices));
  near("x.reshape(-1, 1)", std::get<0>(eigh(matrices)));
  near("np.abs(x).reshape(-1, 1)", svdvals(matrices));
  near("np.abs(x).reshape(-1, 1)", std::get<1>(svd(matrices)));
  same("np.ones(5, int)", matrix_rank(matrices));
  near("np.abs(x).reshape(-1, 1, 1)", abs(std::get<1>(qr(matrices))));
  near("x.reshape(-1, 1, 1)", std::get<2>(lu(matrices)));
  near("np.ones(1)", lstsq(matrices(0), matrices(0, 0)).x);
}

template <class T>
void print_of_dtype() {
  for_each_hard_case<T>([](const std::vector<T>& values, index_t chunk) {
    const auto x = line_of(values, chunk);
    print_products(x);
    print_matrices(x);
    const auto m = rows_of(values, chunk);
    print_products_of_rows(m);
    if (values.size() > 1 && have_squares(values)) print_moments_of_rows(m);
  });
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  for_each_hard_dtype([]<class T>(tessera::type_tag<T>) { print_of_dtype<T>(); });
  for (const tessera::index_t chunk : {1, 2, 8}) print_systems<double>(chunk);
}
