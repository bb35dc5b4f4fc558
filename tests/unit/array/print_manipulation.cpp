// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/editing.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/norms.hpp"

#include "unit/array/print_cases.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

namespace tessera::testing {
namespace {

void print_axis_orders(const array<int, 3>& x) {
  same("x.T", x.T());
  same("np.swapaxes(x, -1, -2)", x.mT());
  same("x.T", transpose(x));
  same("np.moveaxis(x, 0, 2)", moveaxis(x, axis<0>, axis<2>));
  same("np.moveaxis(x, -1, 0)", moveaxis(x, axis<-1>, axis<0>));
  same("np.moveaxis(x, [2, 0], [0, 1])", moveaxis(x, axis<2, 0>, axis<0, 1>));
  same("np.moveaxis(x, [0, 1, 2], [-1, 0, 1])", moveaxis(x, axis<0, 1, 2>, axis<-1, 0, 1>));
  same("np.swapaxes(x, 0, 2)", swapaxes(x, axis<0>, axis<2>));
  same("np.swapaxes(x, 1, -3)", swapaxes(x, axis<1>, axis<-3>));
  same("np.swapaxes(x, 1, 1)", swapaxes(x, axis<1>, axis<1>));
  same("np.rollaxis(x, 2)", rollaxis(x, axis<2>));
  same("np.rollaxis(x, 0, 3)", rollaxis(x, axis<0>, axis<3>));
  same("np.rollaxis(x, 1, -1)", rollaxis(x, axis<1>, axis<-1>));
  same("np.rollaxis(x, -1, 1)", rollaxis(x, axis<-1>, axis<1>));
  same("np.flipud(x)", flipud(x));
  same("np.fliplr(x)", fliplr(x));
  same("np.rot90(x)", rot90(x));
  same("np.rot90(x, 2)", rot90(x, 2));
  same("np.rot90(x, 3, (0, 2))", rot90(x, 3, axis<0, 2>));
  same("np.rot90(x, -5, (-1, 1)) * 2", rot90(x, -5, axis<-1, 1>) * 2);
  same("np.rot90(x, 4) - x", rot90(x, 4) - x);
}

void print_broadcasts() {
  const auto x = named("x", numbers<int>({3, 4}, {2, 3}));
  const auto v = named("v", numbers<float>({4}, {3}));
  const auto w = named("w", numbers<double>({2, 1, 1}));
  same("np.broadcast_arrays(x, v)[0]", std::get<0>(broadcast_arrays(x, v)));
  same("np.broadcast_arrays(x, v)[1]", std::get<1>(broadcast_arrays(x, v)));
  same("np.broadcast_arrays(w, x, v)[0]", std::get<0>(broadcast_arrays(w, x, v)));
  same("np.broadcast_arrays(w, x, v)[2] + x", std::get<2>(broadcast_arrays(w, x, v)) + x);
  same("np.atleast_1d(x[0, 0])", atleast_1d(x(0, 0)));
  same("np.atleast_2d(v)", atleast_2d(v));
  same("np.atleast_2d(w)", atleast_2d(w));
  same("np.atleast_3d(v)", atleast_3d(v));
  same("np.atleast_3d(x)", atleast_3d(x));
  same("np.atleast_3d(x[1, 2])", atleast_3d(x(1, 2)));
  same("x.reshape(1, 1, 3, 4)", atleast_nd<4>(x));
  const auto u = named("u", numbers<int>({3}, {2}));
  same("np.meshgrid(u)[0]", std::get<0>(meshgrid(u)));
  same("np.meshgrid(u, v)[0]", std::get<0>(meshgrid(u, v)));
  same("np.meshgrid(u, v)[1]", std::get<1>(meshgrid(u, v)));
  same("np.meshgrid(u, v, indexing='ij')[0]", std::get<0>(meshgrid(u, v, ij)));
  same("np.meshgrid(u, v, indexing='ij')[1]", std::get<1>(meshgrid(u, v, ij)));
  same("np.meshgrid(u, v, w[:, 0, 0])[1]", std::get<1>(meshgrid(u, v, w(whole, 0, 0))));
  same("np.meshgrid(u, v, w[:, 0, 0])[2]", std::get<2>(meshgrid(u, v, w(whole, 0, 0))));
  same("np.meshgrid(u[:0], v)[1]", std::get<1>(meshgrid(u(slice(0)), v)));
}

void print_parts() {
  const auto x = named("x", numbers<int>({7, 6}, {3, 2}));
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string number = "[" + std::to_string(i) + "]";
    same("np.split(x, 3, axis=1)" + number, split(x, 3, axis<1>)[i]);
    same("np.split(x, [2, 5])" + number, split(x, {2, 5})[i]);
    same("np.split(x, [4, 2], axis=-1)" + number, split(x, {4, 2}, axis<-1>)[i]);
    same("np.split(x, [-3, 90])" + number, split(x, {-3, 90})[i]);
    same("np.array_split(x, 3)" + number, array_split(x, 3)[i]);
    same("np.array_split(x, [2, 5])" + number, array_split(x, {2, 5})[i]);
    same("np.array_split(x, [4, 2], axis=-1)" + number, array_split(x, {4, 2}, axis<-1>)[i]);
    same("np.array_split(x + 1, 4, axis=1)" + number, array_split(x + 1, 4, axis<1>)[i]);
    same("np.array_split(x, 9)[6 + " + number + "[0]]", array_split(x, 9)[6 + i]);
    same("x" + number, unstack(x)[i]);
    same("2 * x[:, " + std::to_string(i) + "]", unstack(x * 2, axis<1>)[i]);
  }
  same("x", concat(split(x, {1, 4}), axis<0>));
  same("x.T", stack(unstack(x, axis<-1>)));
}

void print_edits() {
  const auto x = named("x", numbers<int>({5, 4}, {3, 2}));
  const auto y = named("y", numbers<double>({4}, {3}) / 2);
  same("setitem(x, np.s_[1, 2], 99)", with(x, at(1, 2), 99));
  same("setitem(x, np.s_[-1], 7)", with(x, at(-1), 7));
  same("setitem(x, np.s_[1:4], y)", with(x, at(slice(1, 4)), y));
  same("setitem(x, np.s_[2], y)", with(x, at(2), y));
  same("setitem(x, np.s_[:, 1:3], x[:, :2])", with(x, at(whole, slice(1, 3)), x(whole, slice(2))));
  same("setitem(x, np.s_[3:, -2], [5, 6])",
       with(x, at(slice(3, none), -2), asarray(ndarray<int, 1>({2}, {5, 6}))));
  same("setitem(x, np.s_[...], 0)", with(x, at(), 0));
  same("x", with(x, at(slice(3, 1)), 9));
  same("2 * setitem(x, np.s_[1:2, :1], -3) + y", 2 * with(x, at(slice(1, 2), slice(1)), -3) + y);
  same("np.delete(x, 1, axis=0)", erase(x, 1));
  same("np.delete(x, -1, axis=1)", erase(x, -1, axis<1>));
  same("np.delete(x, np.s_[1:4], axis=0)", erase(x, slice(1, 4), axis<0>));
  same("np.delete(x, np.s_[:9], axis=-1)", erase(x, slice(9), axis<-1>));
  same("np.delete(x, np.s_[2:2], axis=0)", erase(x, slice(2, 2)));
  same("np.insert(x, 1, 9, axis=0)", insert(x, 1, 9));
  same("np.insert(x, 5, y, axis=0)", insert(x, 5, y));
  same("np.insert(x, -1, [1, 2, 3, 4, 5], axis=1)",
       insert(x, -1, asarray(ndarray<int, 1>({5}, {1, 2, 3, 4, 5})), axis<1>));
  same("np.concatenate([x[:, :2], x, x[:, 2:]], axis=1)", insert(x, 2, x, axis<1>));
  same("np.append(x, 2 * x[:2], axis=0)", append(x, 2 * x(slice(2))));
  same("np.append(x, y[:5, None][[0, 1, 2, 3, 3]], axis=1)[:4]",
       append(x(slice(4)), y(whole, newaxis), axis<1>));
  same("np.hstack([x, x + 1])", hstack(x, x + 1));
  same("np.hstack([y, x[0], y])", hstack(y, x(0), y));
  same("np.vstack([y, x, y])", vstack(y, x, y));
  same("np.dstack([y, x[1]])", dstack(y, x(1)));
  same("np.dstack([x, x + 1, x])", dstack(x, x + 1, x));
  same("np.block([[x, x], [x, x]])", block({{x, x}, {x, x}}));
  const array<int, 2> first_column = x(whole, slice(1));
  const array<int, 2> rest_columns = x(whole, slice(1, none));
  same("np.block([[x], [x[:, 1:], x[:, :1]]])", block({{array(x)}, {rest_columns, first_column}}));
}

template <element T>
void print_products() {
  const auto x = named("x", numbers<T>({3, 4}, {2, 3}));
  const auto y = named("y", numbers<T>({3, 4}) + T(2));
  same("np.outer(x[0], y[:, 1])", outer(x(0), y(whole, 1)));
  same("np.cross(x, y, axis=0)", cross(x, y, axis<0>));
  same("np.cross(x[:, :3], y[:, 1:])", cross(x(whole, slice(3)), y(whole, slice(1, none))));
  same("(np.conj(x) * y).sum(axis=-1)", vecdot(x, y));
  same("(np.conj(x) * y).sum(axis=0)", vecdot(x, y, axis<0>));
  same("np.array(np.vdot(x[1], y[2]))", vecdot(x(1), y(2)));
  same("np.array(np.dot(x[1], y[2]))", dot(x(1), y(2)));
  same("np.dot(x, y.T)", dot(x, y.T()));
  same("np.array(np.inner(x[0], y[1]))", inner(x(0), y(1)));
}

template <element T>
void print_norms() {
  const auto x = named("x", numbers<T>({3, 4}, {2, 3}));
  near("np.linalg.norm(x)", norm(x));
  near("np.linalg.norm(x, axis=0)", norm(x, axis<0>));
  near("np.linalg.norm(x, axis=1, keepdims=True)", vector_norm(x, keepdims, axis<-1>));
  near("np.linalg.norm(x[1], 1)", norm(x(1), order<1>));
  near("np.linalg.norm(x, 0, axis=0)", vector_norm(x, order<0>, axis<0>));
  near("np.linalg.norm(x + 1, 3, axis=1)", vector_norm(x + T(1), axis<1>, order<3>));
  near("np.linalg.norm(np.abs(x) + 1, -1.5, axis=1)",
       vector_norm(abs(x) + 1, axis<1>, order_at(-1.5)));
  near("np.linalg.norm(x, np.inf, axis=0)", norm(x, axis<0>, order_infinity));
  near("np.linalg.norm(x, -np.inf, axis=0)", norm(x, axis<0>, order_minus_infinity));
  near("np.linalg.norm(x, 'fro', keepdims=True)", matrix_norm(x, keepdims));
  near("np.linalg.norm(x, 1)", norm(x, order<1>));
  near("np.linalg.norm(x, -1, keepdims=True)", matrix_norm(x, order<-1>, keepdims));
  near("np.linalg.norm(x, np.inf, keepdims=True)", matrix_norm(x, keepdims, order_infinity));
  near("np.linalg.norm(x, -np.inf)", matrix_norm(x, order_minus_infinity));
  near("np.linalg.norm(np.stack([x, x + 1]), np.inf, axis=(1, 2))",
       matrix_norm(stack(x, x + T(1)), order_infinity));
}

void print_blocks() {
  const auto x = named("b", numbers<int>({7, 5}, {3, 2}));
  same("b[0:3]", x.blocks(0));
  same("b[6:7, 2:4]", x.blocks(-1, 1));
  same("b[3:7]", x.blocks(slice(1, none)));
  same("b[0:6, 4:5]", x.blocks(slice(2), -1));
  same("b[:, 2:5]", x.blocks(ellipsis, slice(1, 9)));
  same("b[3:6, :]", x.blocks(1, ellipsis));
  same("b[:, 0:4]", x.blocks(whole, slice(0, 2)));
  same("b[:0]", x.blocks(slice(2, 1)));
  same("b[:, 2:4]", x.blocks(ellipsis, slice(none), 1));
  same("b[6:7] + 1", (x + 1).blocks(2));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  print_axis_orders(named("x", numbers<int>({2, 3, 4}, {1, 2, 3})));
  print_axis_orders(named("x", numbers<int>({5, 5, 1}, {2, 5, 1})));
  print_axis_orders(named("x", numbers<int>({3, 0, 2})));
  print_broadcasts();
  print_parts();
  print_edits();
  print_products<double>();
  print_products<std::int64_t>();
  print_products<tessera::complex128>();
  print_norms<double>();
  print_norms<float>();
  print_norms<std::int64_t>();
  print_norms<tessera::complex128>();
  print_blocks();
}
