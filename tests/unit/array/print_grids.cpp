// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/differences.hpp"
#include "tessera/array/grids.hpp"

#include "unit/array/print_cases.hpp"

#include <cstdint>
#include <limits>
#include <tuple>

namespace tessera::testing {
namespace {

void print_grids() {
  same("np.eye(4)", eye(4));
  same("np.eye(3, 5, 1, dtype='int16')", eye<std::int16_t>(3, 5, 1, {.chunks = {2, 2}}));
  same("np.eye(5, 3, -2, dtype='float32')", eye<float>(5, 3, -2, {.chunks = 2}));
  same("np.eye(2, 2, 7, dtype=bool)", eye<bool>(2, 2, 7));
  same("np.eye(0, 3)", eye(0, 3));
  same("np.zeros((2, 3))", eye(2, 3, std::numeric_limits<index_t>::max()));
  same("np.zeros((2, 3))", eye(2, 3, std::numeric_limits<index_t>::min()));
  same("np.identity(3, dtype='complex64')", identity<complex64>(3));
  same("np.indices((3, 4))[0]", indices({3, 4})[0]);
  same("np.indices((3, 4))[1]", indices({3, 4}, {.chunks = {2, 3}})[1]);
  same("np.indices((2, 3, 2), dtype='float64')[1]", indices<double>({2, 3, 2})[1]);
  same("np.indices((2, 0))[0]", indices({2, 0})[0]);
  same("np.arange(200).astype(np.int8)", indices<std::int8_t>({200})[0]);
  // NumPy rounds each element once, not its index.
  same("np.arange(0, 60000, 10, dtype=np.float16)",
       arange<float16>(float16(0.0F), float16(60000.0F), float16(10.0F)));
  same("np.fromfunction(lambda i, j: 10 * i - j, (3, 4), dtype=int)",
       fromfunction([](std::int64_t i, std::int64_t j) { return 10 * i - j; }, {3, 4}));
  same("np.fromfunction(lambda i: i / 4, (7,))",
       fromfunction([](std::int64_t i) { return static_cast<double>(i) / 4; }, {7},
                    {.chunks = {3}}));
  for (const index_t n : {1, 2, 7, 8}) {
    const std::string number = std::to_string(n);
    near("np.fft.fftfreq(" + number + ")", fftfreq(n));
    near("np.fft.fftfreq(" + number + ", 0.25)", fftfreq(n, 0.25, {.chunks = {3}}));
    near("np.fft.rfftfreq(" + number + ", 2)", rfftfreq(n, 2));
    near("np.fft.fftfreq(" + number + ").astype('float32')", fftfreq<float>(n));
  }
}

void print_shifts() {
  const auto x = named("x", numbers<float>({5, 4, 3}, {2, 3, 3}));
  same("np.fft.fftshift(x)", fftshift(x));
  same("np.fft.ifftshift(x)", ifftshift(x));
  same("np.fft.fftshift(x, axes=0)", fftshift(x, axis<0>));
  same("np.fft.ifftshift(x, axes=(-1, 1))", ifftshift(x, axis<-1, 1>));
  same("x", ifftshift(fftshift(x)));
  same("np.fft.fftshift(x[:1, :0])", fftshift(x(slice(1), slice(0))));
}

template <element T>
void print_triangles() {
  const auto x = named("x", numbers<T>({4, 6}, {3, 2}));
  const auto y = named("y", numbers<T>({2, 5, 3}, {1, 2, 3}));
  for (const index_t k : {-9, -2, 0, 1, 5, 8}) {
    const std::string number = std::to_string(k);
    same("np.tril(x, " + number + ")", tril(x, k));
    same("np.triu(x, " + number + ")", triu(x, k));
    same("np.tril(y, " + number + ")", tril(y, k));
    same("np.triu(y, " + number + ")", triu(y, k));
    same("np.diag(x[1], " + number + ")", diag(x(1), k));
  }
  same("np.tril(x[:0])", tril(x(slice(0))));
  for (const index_t k :
       {std::numeric_limits<index_t>::max(), std::numeric_limits<index_t>::min()}) {
    same(k > 0 ? "x" : "x * 0", tril(x, k));
    same(k > 0 ? "x * 0" : "x", triu(x, k));
  }
  same("np.diag(x[0, :0], 2)", diag(x(0, slice(0)), 2));
}

template <element T>
void print_differences() {
  const auto x = named("x", numbers<T>({5, 4, 6}, {2, 3, 6}));
  same("np.diff(x)", diff(x));
  same("np.diff(x, axis=0)", diff(x, axis<0>));
  same("np.diff(x, 2, axis=1)", diff(x, 2, axis<1>));
  same("np.diff(x, 3, axis=-3)", diff(x, 3, axis<-3>));
  same("np.diff(x, 0)", diff(x, 0));
  same("np.diff(x, 9, axis=1)", diff(x, 9, axis<1>));
  same("np.diff(x[:, :1], axis=1)", diff(x(whole, slice(1)), axis<1>));
  same("np.diff(x[:, :0], axis=1)", diff(x(whole, slice(0)), axis<1>));
}

template <element T>
void print_gradients() {
  const auto x = named("x", numbers<T>({5, 4, 6}, {2, 3, 6}));
  const auto t = named("t", asarray(ndarray<double, 1>({5}, {0, 0.5, 2, 2.25, 4})));
  const auto s = named("s", asarray(ndarray<double, 1>({4}, {-3, -1, 0, 7})));
  near("np.gradient(x)[0]", std::get<0>(gradient(x)));
  near("np.gradient(x)[2]", std::get<2>(gradient(x)));
  near("np.gradient(x, axis=1)", gradient(x, axis<1>));
  near("np.gradient(x, 0.25, axis=-1)", gradient(x, 0.25, axis<-1>));
  near("np.gradient(x, 2, axis=(0, 2))[1]", std::get<1>(gradient(x, 2, axis<0, 2>)));
  near("np.gradient(x, 2, 5, axis=(0, 2))[1]", std::get<1>(gradient(x, axis<0, 2>, 2, 5)));
  near("np.gradient(x, 0.5, axis=1, edge_order=2)", gradient(x, 0.5, axis<1>, edge_order<2>));
  near("np.gradient(x, t, axis=0)", gradient(x, t, axis<0>));
  near("np.gradient(x, t, axis=0, edge_order=2)", gradient(x, edge_order<2>, t, axis<0>));
  near("np.gradient(x, t, s, axis=(0, 1))[1]", std::get<1>(gradient(x, t, s, axis<0, 1>)));
  near("np.gradient(x, s, 3, axis=(1, 2), edge_order=2)[0]",
       std::get<0>(gradient(x, s, 3, axis<1, 2>, edge_order<2>)));
  near("np.gradient(x[:2], axis=0)", gradient(x(slice(2)), axis<0>));
  near("np.gradient(x[:3], axis=0, edge_order=2)", gradient(x(slice(3)), axis<0>, edge_order<2>));
  near("np.gradient(x[0, 0])", gradient(x(0, 0)));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  print_grids();
  print_shifts();
  print_triangles<std::int32_t>();
  print_triangles<tessera::complex128>();
  print_differences<std::int16_t>();
  print_differences<std::uint8_t>();
  print_differences<bool>();
  print_differences<float>();
  print_differences<tessera::complex64>();
  print_gradients<double>();
  print_gradients<float>();
  print_gradients<std::int32_t>();
  print_gradients<tessera::complex128>();
}
