// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints functions that move, choose, join and convert hard values in chunks of one, of two and of
/// all, and ranges between hard ends. See hard_values.py.
#include "unit/function/hard_values.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::testing {
namespace {

template <class X>
void print_moves(const X& x) {
  same("x[::-1]", flip(x));
  same("np.roll(x, 1)", roll(x, 1, axis<0>));
  same("np.repeat(x, 2)", repeat(x, 2, axis<0>));
  same("np.tile(x, 2)", tile(x, 2));
  same("np.concatenate([x, x])", concat(x, x, axis<0>));
  same("np.stack([x, x[::-1]])", stack(x, flip(x)));
  same("np.hstack([x, x])", hstack(x, x));
  same("np.vstack([x, x])", vstack(x, x));
  same("np.dstack([x, x])", dstack(x, x));
  same("np.append(x, x[:1])", append(x, x(slice(1))));
  same("np.insert(x, 0, x)", insert(x, 0, x));
  same("x", reshape(reshape(x, {1, -1}), {-1}));
  same("x", rechunk(x, {2}));
  same("x", ravel(expand_dims(x, axis<0>)));
  same("x", flatten(squeeze(x(newaxis), axis<0>)));
  same("np.atleast_2d(x)", atleast_2d(x));
  same("np.atleast_3d(x)", atleast_3d(x));
  same("x", atleast_1d(x));
  same("x[None]", atleast_nd<2>(x));
  same("np.diag(x)", diag(x));
  same("np.meshgrid(x, x)[1]", std::get<1>(meshgrid(x, x)));
  same("np.broadcast_to(x, (2, len(x)))", broadcast_to(x, {2, x.size()}));
  same("np.broadcast_to(x, (2, len(x)))",
       std::get<0>(broadcast_arrays(x, zeros<double>({2, x.size()}))));
  if (x.size() == 0) return;
  same("np.pad(x, 1, 'edge')", pad(x, 1, boundary::edge));
  same("np.pad(x, 1, 'wrap')", pad(x, 1, boundary::wrap));
  same("np.take(x, [0, -1])", take(x, {0, -1}, axis<0>));
  same("x[[0, -1]]", x.at(std::vector{0, -1}));
  same("np.delete(x, 0)", erase(x, 0));
  same("put(x, 0, x[-1])", with(x, at(0), x(-1)));
  same("put(x, 0, x[-1])",
       put_along_axis(x, ndarray<int, 1>({1}, {0}), x(slice(-1, none)), axis<0>));
  same("np.array_split(x, 2)[1]", array_split(x, 2)[1]);
  same("x[1:]", split(x, {1})[1]);
  same("x[-1]", unstack(x).back());
}

template <class M>
void print_moves_of_rows(const M& m) {
  same("m.T", transpose(m));
  same("m.T", permute_dims(m, axis<1, 0>));
  same("m.T", swapaxes(m, axis<0>, axis<1>));
  same("m.T", moveaxis(m, axis<0>, axis<1>));
  same("m.T", rollaxis(m, axis<1>));
  same("np.rot90(m)", rot90(m));
  same("np.flipud(m)", flipud(m));
  same("np.fliplr(m)", fliplr(m));
  same("np.tril(m)", tril(m));
  same("np.triu(m)", triu(m));
  same("np.block([[m, m], [m, m]])", block({{m, m}, {m, m}}));
}

template <class X>
void print_choices(const X& x) {
  using T = typename X::value_type;
  const auto is_positive = x > 0;
  same("np.where(x > 0, x, x[::-1])", where(is_positive, x, flip(x)));
  same("np.where(x > 0, x, x[::-1])", select(is_positive, x, flip(x)));
  same("np.where(x > 0, x, x[::-1])", choose(astype<int>(is_positive), flip(x), x));
  same("np.where(x > 0, x, x[::-1])",
       piecewise(
           x, is_positive, [](const auto& v) { return v; }, [](const auto& v) { return flip(v); }));
  same("np.maximum(np.minimum(x, 1), 0)", clip(x, 0, 1));
  same("x", map([](T value) { return value; }, x));
  same("np.full_like(x, 1)", full_like(x, 1));
  same("np.zeros_like(x)", zeros_like(x));
  same("np.ones_like(x)", ones_like(x));
  near("np.floor_divide(x, 3)", std::get<0>(divmod(x, T{3})));
  near("np.remainder(x, 3)", std::get<1>(divmod(x, T{3})));
  near("np.ldexp(x * 1.0, 2)", ldexp(x, 2));
  near("np.modf(x)[0]", std::get<0>(modf(x)));
  near("np.modf(x)[1]", std::get<1>(modf(x)));
  near("np.frexp(x)[0]", std::get<0>(frexp(x)));
  same("np.frexp(x)[1]", std::get<1>(frexp(x)));
}

/// Functions of a second name, of compositions.
template <class X>
void print_compositions(const X& x) {
  near("np.angle(x)", angle(x));
  near("np.degrees(x)", degrees(x));
  near("np.radians(x)", radians(x));
  near("np.fabs(x)", fabs(x));
  same("np.fix(x).astype(x.dtype) if x.dtype.kind == 'f' else x", fix(x));
  same("np.rint(x)", rint(x));
  near("np.float_power(x, 2)", float_power(x, 2));
  same("np.isnan(x)", isnull(x));
  same("~np.isnan(x)", notnull(x));
}

/// Conversions to types that hold the values.
template <class X>
void print_conversions(const X& x) {
  same("x.astype(np.float64)", astype<double>(x));
  same("x.astype(np.float32)", astype<float>(x));
  same("x.astype(bool)", astype<bool>(x));
  same("x.astype(complex)", astype<complex128>(x));
  if constexpr (!floating_element<typename X::value_type>) {
    same("x.astype(np.int8)", astype<std::int8_t>(x));
    same("x.astype(np.uint64)", astype<std::uint64_t>(x));
    same("x.astype(np.int64)", astype<std::int64_t>(x));
  }
}

template <class T>
void print_of_dtype() {
  for_each_hard_case<T>([](const std::vector<T>& values, index_t chunk) {
    const auto x = line_of(values, chunk);
    print_moves(x);
    print_choices(x);
    print_compositions(x);
    print_conversions(x);
    print_moves_of_rows(rows_of(values, chunk));
    if (!values.empty()) same("np.full(3, x[0])", full<T>({3}, values[0], {.chunks = chunk}));
  });
}

/// Ranges that begin at an integer that is no float64, and between ends that are far apart.
void print_ranges(index_t chunk) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  constexpr double great = std::numeric_limits<double>::max();
  std::puts("run\tx = np.zeros(1)");
  same("np.arange(2**53 + 1, 2**53 + 6, 2)",
       arange<std::int64_t>(odd, odd + 5, 2, {.chunks = chunk}));
  near("np.linspace(-1e307, 1e307, 5)", linspace<double>(-1e307, 1e307, 5, {.chunks = chunk}));
  near("np.linspace(0, 1e-323, 3)", linspace<double>(0, 1e-323, 3, {.chunks = chunk}));
  near("np.full(2, np.finfo(float).max)", linspace<double>(great, great, 2, {.chunks = chunk}));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  for_each_hard_dtype([]<class T>(tessera::type_tag<T>) { print_of_dtype<T>(); });
  for (const tessera::index_t chunk : {1, 2, 8}) print_ranges(chunk);
}
