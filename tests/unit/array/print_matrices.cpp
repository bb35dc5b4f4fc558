// SPDX-License-Identifier: Apache-2.0

/// \file
/// Prints results of functions of matrices, if they are unique, for cases.py.

#include "tessera/array/factors.hpp"
#include "tessera/array/grids.hpp"
#include "tessera/array/solving.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/norms.hpp"

#include "unit/array/print_cases.hpp"

#include <array>
#include <cstdint>
#include <tuple>

namespace tessera::testing {
namespace {

/// Returns matrices that are far from singular ones, in several chunks.
template <element T>
auto regular() {
  const auto x = numbers<T>({2, 3, 5, 5}, {1, 2, 3, 2});
  return named("x", array(x / T(4) + T(20) * eye<T>(5)));
}

template <element T>
void print_square() {
  const auto x = regular<T>();
  const auto b = named("b", numbers<T>({3, 5, 2}, {2, 2, 2}));
  const auto v = named("v", numbers<T>({5}));
  solved("np.linalg.inv(x)", inv(x));
  solved("np.linalg.det(x)", det(x));
  solved("np.linalg.slogdet(x)[0]", std::get<0>(slogdet(x)));
  solved("np.linalg.slogdet(x)[1]", std::get<1>(slogdet(x)));
  solved("np.linalg.solve(x, np.broadcast_to(b, (2, 3, 5, 2)))", solve(x, b));
  solved("np.linalg.solve(x, np.broadcast_to(v, x.shape[:-1]))", solve(x, v));
  solved("np.linalg.solve(x[0, 1], v)", solve(x(0, 1), v));
  solved("np.linalg.solve(np.triu(x[0, 1]), v)", solve_triangular(x(0, 1), v));
  solved("np.linalg.solve(np.tril(x), np.broadcast_to(b, (2, 3, 5, 2)))",
         solve_triangular(x, b, lower_triangle));
  const auto h = named("h", array(matmul(x, conj(matrix_transpose(x)))));
  solved("np.linalg.cholesky(h)", cholesky(h));
  solved("np.linalg.eigvalsh(h)", eigvalsh(h));
  solved("np.linalg.eigh(h)[0]", std::get<0>(eigh(h)));
}

template <element T>
void print_any() {
  const auto tall = named("x", numbers<T>({2, 7, 4}, {1, 3, 2}));
  const auto wide = named("y", array(matrix_transpose(tall)));
  const auto b = named("b", numbers<T>({7, 3}, {2, 2}));
  solved("np.linalg.svd(x, compute_uv=False)", svdvals(tall));
  solved("np.linalg.svd(y, compute_uv=False)", svdvals(wide));
  solved("np.linalg.svd(y, compute_uv=False)", std::get<1>(svd(wide)));
  solved("np.linalg.pinv(x)", pinv(tall));
  solved("np.linalg.pinv(y)", pinv(wide));
  same("np.linalg.matrix_rank(x)", matrix_rank(tall));
  solved("np.linalg.norm(x, 2, axis=(-2, -1))", matrix_norm(tall, order<2>));
  solved("np.linalg.norm(x, -2, axis=(-2, -1))", matrix_norm(tall, order<-2>));
  solved("np.linalg.norm(y, 'nuc', axis=(-2, -1), keepdims=True)",
         matrix_norm(wide, order_nuclear, keepdims));
  solved("np.linalg.norm(x[1], 2)", norm(tall(1), order<2>));
  const auto solution = lstsq(tall(1), b);
  solved("np.linalg.lstsq(x[1], b, None)[0]", solution.x);
  solved("np.linalg.lstsq(x[1], b, None)[1]", solution.residuals);
  same("np.int64(np.linalg.lstsq(x[1], b, None)[2])", solution.rank);
  solved("np.linalg.lstsq(x[1], b, None)[3]", solution.singular_values);
  const auto of_vector = lstsq(tall(1), b(whole, 1));
  solved("np.linalg.lstsq(x[1], b[:, 1], None)[0]", of_vector.x);
  solved("np.linalg.lstsq(x[1], b[:, 1], None)[1][0]", of_vector.residuals);
  const auto least = lstsq(wide(1), b(slice(0, 4)));
  solved("np.linalg.lstsq(y[1], b[:4], None)[0]", least.x);
}

/// Matrices of rank 2: one of five columns and rows, which is the sum of two products of vectors.
template <element T>
void print_deficient() {
  const auto u = numbers<T>({6, 2}, {3, 1});
  const auto v = numbers<T>({2, 5}, {2, 2});
  const auto x = named("x", array(matmul(u, v)));
  const auto b = named("b", numbers<T>({6, 3}, {2, 2}));
  same("np.linalg.matrix_rank(x)", matrix_rank(x));
  same("np.linalg.matrix_rank(x * 0)", matrix_rank(x * T(0)));
  solved("np.linalg.pinv(x, 1e-4)", pinv(x, rtol(1e-4)));
  solved("np.linalg.lstsq(x, b, 1e-4)[0]", lstsq(x, b, rtol(1e-4)).x);
  same("np.int64(np.linalg.lstsq(x, b, 1e-4)[2])", lstsq(x, b, rtol(1e-4)).rank);
}

void print_integers() {
  const auto x = named("x", numbers<std::int32_t>({3, 3}, {2, 2}));
  solved("np.linalg.inv(x)", inv(x));
  solved("np.linalg.det(x)", det(x));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera;
  tessera::testing::print_square<float>();
  tessera::testing::print_square<double>();
  tessera::testing::print_square<complex64>();
  tessera::testing::print_square<complex128>();
  tessera::testing::print_any<float>();
  tessera::testing::print_any<double>();
  tessera::testing::print_any<complex64>();
  tessera::testing::print_any<complex128>();
  tessera::testing::print_deficient<double>();
  tessera::testing::print_deficient<complex128>();
  tessera::testing::print_integers();
}
