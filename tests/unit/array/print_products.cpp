// SPDX-License-Identifier: Apache-2.0

/// \file
/// Prints sums of products for cases.py.

#include "tessera/array/einsum.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/matrix_power.hpp"
#include "tessera/array/products.hpp"
#include "tessera/function/elementwise.hpp"

#include "unit/array/print_cases.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace tessera::testing {
namespace {

/// Prints `einsum<Text>` of arrays that NumPy knows as x, y and z as equal to NumPy's.
template <fixed_string Text, class... Xs>
void sums(const Xs&... xs) {
  constexpr const char* names = "xyz";
  std::string call = "np.einsum('" + std::string(Text.view()) + "'";
  for (std::size_t i = 0; i < sizeof...(Xs); ++i) call += std::string(", ") + names[i];
  same(call + ")", einsum<Text>(xs...));
}

void print_one() {
  const auto x = named("x", numbers<double>({4, 5}, {3, 2}));
  sums<"ij->ji">(x);
  sums<"ij->i">(x);
  sums<"ij->j">(x);
  sums<"ij->">(x);
  sums<"ij">(x);
  sums<"ji">(x);
  sums<"...j->...">(x);
  sums<"j...">(x);
  const auto square = named("x", numbers<double>({4, 4, 3}, {3, 2, 2}));
  sums<"iij->ij">(square);
  sums<"iij->j">(square);
  sums<"iij">(square);
  sums<"ii...->...i">(square);
}

void print_two() {
  const auto x = named("x", numbers<double>({4, 5}, {3, 2}));
  auto y = named("y", numbers<double>({5, 6}, {4, 4}));
  sums<"ij,jk->ik">(x, y);
  sums<"ij,jk->ki">(x, y);
  sums<"ij,jk">(x, y);
  sums<"ij,jk->ijk">(x, y);
  sums<" ij , jk -> i">(x, y);
  sums<"ij,jk->k">(x, y);
  sums<"ij,jk->">(x, y);
  sums<"ij,kl->jk">(x, y);
  sums<"i...,...k->ik...">(x, y);
  const auto v = named("y", numbers<double>({5}, {2}));
  sums<"ij,j->i">(x, v);
  sums<"ij,j->ij">(x, v);
  sums<"ij,j">(x, v);
  sums<"ij,k->jki">(x, v);
  const auto p = named("x", numbers<double>({3, 4, 5}, {2, 3, 4}));
  const auto q = named("y", numbers<double>({3, 5, 6}, {1, 2, 5}));
  sums<"bij,bjk->bik">(p, q);
  sums<"bij,bjk->ibk">(p, q);
  sums<"bij,bjk->ikb">(p, q);
  sums<"bij,bjk->kib">(p, q);
  sums<"bij,bjk->ik">(p, q);
  sums<"bij,bjk->b">(p, q);
  sums<"bij,cjk->bcik">(p, q);
  sums<"...ij,...jk">(p, q);
  sums<"...ij,...jk->...ki">(p, q);
  const auto s = named("y", numbers<double>({5, 3, 4}, {3, 2, 2}));
  sums<"ijk,kil->jl">(p, s);
  sums<"ijk,kij->">(p, s);
  sums<"ijk,kij->ijk">(p, s);
  sums<"bij,jbk->ik">(p, s);
  const auto t = named("y", numbers<double>({4, 4, 5}, {3, 3, 3}));
  sums<"bij,iij->bj">(p, t);
  sums<"bij,iik->bk">(p, t);
}

void print_three() {
  const auto x = named("x", numbers<double>({3, 4}, {2, 3}));
  const auto y = named("y", numbers<double>({4, 5}, {3, 2}));
  const auto z = named("z", numbers<double>({5, 2}, {2, 2}));
  sums<"ij,jk,kl->il">(x, y, z);
  sums<"ij,jk,kl->li">(x, y, z);
  sums<"ij,jk,kl->">(x, y, z);
  sums<"ij,jk,kl->jl">(x, y, z);
  sums<"ij,jk,kl">(x, y, z);
  sums<"ij,jk,lm->ikm">(x, y, z);
  const auto u = named("x", numbers<double>({3}, {2}));
  const auto a = named("y", numbers<double>({3, 4}, {2, 3}));
  const auto w = named("z", numbers<double>({4}, {3}));
  sums<"i,ij,j->">(u, a, w);
  sums<"i,ij,j->ij">(u, a, w);
  sums<"i,ij,k->jk">(u, a, w);
  sums<"i,jk,l->ijkl">(u, a, w);
}

/// Products of matrices of drawn extents, from 0 on, and drawn chunks.
void print_drawn() {
  std::mt19937 random(7);
  const auto draw = [&random](int least, int most) {
    return static_cast<index_t>(least + static_cast<int>(random() % 1000) % (most - least + 1));
  };
  for (int i = 0; i < 25; ++i) {
    const index_t b = draw(0, 3);
    const index_t m = draw(0, 9);
    const index_t k = draw(0, 9);
    const index_t n = draw(0, 9);
    const auto x = named("x", numbers<float>({b, m, k}, {draw(1, 3), draw(1, 9), draw(1, 9)}));
    const auto y = named("y", numbers<float>({b, k, n}, {draw(1, 3), draw(1, 9), draw(1, 9)}));
    same("np.matmul(x, y)", matmul(x, y));
    sums<"bij,bjk->kbi">(x, y);
    sums<"bij,bjk->ik">(x, y);
    sums<"bij,bjk->bk">(x, y);
    if (b > 0) same("np.matmul(x, y[:1])", matmul(x, y(slice(1))));
    if (b > 0) same("np.matmul(x[0], y)", matmul(x(0), y));
  }
}

template <element T>
void print_types() {
  const auto x = named("x", numbers<T>({2, 3, 4}, {1, 2, 3}));
  const auto y = named("y", numbers<T>({2, 4, 5}, {2, 3, 2}));
  sums<"bij,bjk->bik">(x, y);
  sums<"bij,bkl->bi">(x, y);
  sums<"bij,bjk->ikb">(x, y);
  same("np.matmul(x, y)", matmul(x, y));
  same("np.matmul(x[0], y[1, :, 2])", matmul(x(0), y(1, whole, 2)));
  same("np.einsum('i,i', x[0, 1], y[1, :, 3])", vecdot(conj(x(0, 1)), y(1, whole, 3)));
}

void print_matmul() {
  const auto x = named("x", numbers<double>({3, 4, 5}, {2, 3, 4}));
  const auto y = named("y", numbers<double>({2, 1, 5, 6}, {1, 1, 2, 5}));
  same("np.matmul(x, y)", matmul(x, y));
  same("np.matmul(x, y[0, 0])", matmul(x, y(0, 0)));
  same("np.matmul(x, y[:, :, :, 0:1])", matmul(x, y(ellipsis, slice(1))));
  same("np.matmul(x[0, 1], y)", matmul(x(0, 1), y));
  same("np.matmul(x, y[0, 0, :, 1])", matmul(x, y(0, 0, whole, 1)));
  same("np.asarray(np.matmul(x[1, 2], y[0, 0, :, 1]))", matmul(x(1, 2), y(0, 0, whole, 1)));
  same("np.matmul(x[:, ::-1, ::2], y[:, :, 1::-1, ::2][:, :, [0, 1, 0]])",
       matmul(x(whole, slice(none, none, -1), slice(none, none, 2)),
              y(whole, whole, slice(1, none, -1), slice(none, none, 2))(whole, whole,
                                                                        index({0, 1, 0}))));
  same("np.matmul(x + 1, y * 2) - 3", matmul(x + 1, y * 2) - 3);
}

void print_pairs() {
  const auto x = named("x", numbers<double>({3, 4, 5}, {2, 3, 4}));
  const auto y = named("y", numbers<double>({5, 4, 2}, {2, 2, 2}));
  same("np.tensordot(x, y, ([1, 2], [1, 0]))", tensordot(x, y, axis<1, 2>, axis<1, 0>));
  same("np.tensordot(x, y, ([-1], [0]))", tensordot(x, y, axis<-1>, axis<0>));
  same("np.tensordot(x, y, ([1], [-2]))", tensordot(x, y, axis_at(1), axis_at(-2)));
  same("np.tensordot(x, y, 1)", tensordot<1>(x, y));
  same("np.tensordot(x, y.transpose(1, 0, 2))", tensordot(x, permute_dims(y, axis<1, 0, 2>)));
  same("np.tensordot(x[0], y, 0)", tensordot<0>(x(0), y));
  same("np.inner(x, y[:, 0, 0])", inner(x, y(whole, 0, 0)));
  same("np.inner(x, y.T)", inner(x, y.T()));
  same("np.dot(x, y.transpose(1, 0, 2))", dot(x, permute_dims(y, axis<1, 0, 2>)));
  same("np.dot(x, y[:, 1, 1])", dot(x, y(whole, 1, 1)));
  same("np.outer(x[0], y[:, :, 0])", outer(x(0), y(whole, whole, 0)));
  same("np.einsum('ijk,jk->ij', x, x[0])", vecdot(x, x(0)));
  same("np.einsum('ijk,jk->ik', x, x[0])", vecdot(x, x(0), axis<-2>));
  same("np.kron(x[0], y[:2, :2, 0])", kron(x(0), y(slice(2), slice(2), 0)));
  same("np.kron(x, y[0])", kron(x, y(0)));
  same("np.kron(y[:, 0, 0], x)", kron(y(whole, 0, 0), x));
  const auto n = named("n", numbers<std::int64_t>({2, 3, 3}, {1, 2, 2}));
  same("np.linalg.matrix_power(n, 0)", matrix_power(n, 0));
  same("np.linalg.matrix_power(n, 1)", matrix_power(n, 1));
  same("np.linalg.matrix_power(n, 6)", matrix_power(n, 6));
  same("np.linalg.matrix_power(n[1], 7)", matrix_power(n(1), 7));
  const auto m = named("m", numbers<double>({2, 3, 3}, {1, 2, 2}) + identity<double>(3) * 40.0);
  solved("np.linalg.matrix_power(m, -1)", matrix_power(m, -1));
  solved("np.linalg.matrix_power(m[1], -3)", matrix_power(m(1), -3));
}

/// Products of complex arrays of several axes; only vecdot conjugates.
void print_complex() {
  const auto x = named("x", numbers<complex128>({3, 4, 5}, {2, 3, 4}));
  const auto y = named("y", numbers<complex128>({5, 4, 2}, {2, 2, 2}));
  same("np.tensordot(x, y, ([1, 2], [1, 0]))", tensordot(x, y, axis<1, 2>, axis<1, 0>));
  same("np.tensordot(x[0], y, 0)", tensordot<0>(x(0), y));
  same("np.inner(x, y.T)", inner(x, y.T()));
  same("np.dot(x, y[:, 1, 1])", dot(x, y(whole, 1, 1)));
  same("np.outer(x[0], y[:, :, 0])", outer(x(0), y(whole, whole, 0)));
  same("np.kron(x[0], y[:2, :2, 0])", kron(x(0), y(slice(2), slice(2), 0)));
  same("(np.conj(x) * x[0]).sum(axis=1)", vecdot(x, x(0), axis<-2>));
  same("np.array(np.vdot(y[:, 0, 0], x[1, 2]))", vecdot(y(whole, 0, 0), x(1, 2)));
  same("np.matmul(np.conj(x).swapaxes(1, 2), x)", matmul(conj(matrix_transpose(x)), x));
  sums<"ijk,kjl->il">(x, y);
  sums<"ijk,kjl->">(x, y);
  sums<"ijk,kjl->ikj">(x, y);
  sums<"ijk->ki">(x);
  const auto n = named("n", numbers<complex128>({2, 3, 3}, {1, 2, 2}));
  same("np.linalg.matrix_power(n, 3)", matrix_power(n, 3));
  solved("np.linalg.matrix_power(n, -1)", matrix_power(n, -1));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  print_one();
  print_two();
  print_three();
  print_drawn();
  print_matmul();
  print_pairs();
  print_complex();
  print_types<std::int8_t>();
  print_types<std::int16_t>();
  print_types<std::int32_t>();
  print_types<std::int64_t>();
  print_types<std::uint8_t>();
  print_types<std::uint16_t>();
  print_types<std::uint32_t>();
  print_types<std::uint64_t>();
  print_types<tessera::float16>();
  print_types<float>();
  print_types<double>();
  print_types<tessera::complex64>();
  print_types<tessera::complex128>();
}
