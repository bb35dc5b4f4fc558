// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/creation.hpp"
#include "tessera/array/equality.hpp"
#include "tessera/function/elementwise.hpp"

#include "unit/array/print_cases.hpp"

#include <cstdint>
#include <limits>

namespace tessera::testing {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void print_choices() {
  const auto x = named("x", numbers<double>({4, 5}, {3, 2}));
  const auto i = named("i", numbers<std::int64_t>({5}, {2}));
  same("np.select([x < 0, x < 5], [x * 2, x + 100], -1.0)",
       select(x < 0, x * 2, x < 5, x + 100, -1.0));
  same("np.select([x < 0], [i], 7.5)", select(x < 0, i, 7.5));
  same("np.select([i < 0, i < 3, i < 7], [i, 2 * i, 3 * i], 0)",
       select(i < 0, i, i < 3, 2 * i, i < 7, 3 * i, 0));
  same("np.choose(i, [x, x * 10, x + 0.5], mode='clip')", choose(i, x, x * 10, x + 0.5));
  same("np.choose(i, [i, i + 1], mode='clip')", choose(i, i, i + 1));
  same("np.piecewise(x, [x < 0, x >= 0], [lambda v: -v, lambda v: v * 3])",
       piecewise(
           x, x < 0, [](const auto& v) { return -v; }, [](const auto& v) { return v * 3; }));
  same("np.piecewise(x, [x < -5, (x >= -5) & (x < 3)], [-1, lambda v: v * v, 9])",
       piecewise(
           x, x < -5, -1, x < 3, [](const auto& v) { return v * v; }, 9));
  same("np.where(x < 0, x * 2, np.where(x < 3, 7, x + 1))",
       piecewise(x, x < 0, x * 2, x < 3, 7, x + 1));
  same("np.clip(x, None, 3)", clip(x, none, 3));
  same("np.clip(x, -2.5, None)", clip(x, -2.5, none));
  same("np.clip(x, i, None)", clip(x, i, none));
  same("x", clip(x, none, none));
}

void print_decimals() {
  const auto x = named("x", numbers<double>({40}, {7}) / 7.0);
  same("np.round(x, 2)", round(x, 2));
  same("np.round(x, 0)", round(x, 0));
  same("np.round(x * 1e4, -2)", round(x * 1e4, -2));
  const auto f = named("f", numbers<float>({40}, {7}) / 8.0F);
  same("np.round(f, 1)", round(f, 1));
  same("np.round(f, 2)", round(f, 2));
  const auto i = named("i", numbers<std::int32_t>({40}, {7}) * 25);
  same("np.round(i, -2)", round(i, -2));
  same("np.round(i, 2)", round(i, 2));
  const auto z = named("z", complex128(1, -0.7) * x);
  same("np.round(z, 2)", round(z, 2));
  same("np.round(z, -1)", round(z, -1));
}

void print_closeness() {
  const auto a = named(
      "a", asarray(ndarray<double, 1>({8}, {0, 1, 1, 1e10, inf, -inf, nan, nan}), {.chunks = 3}));
  const auto b = named(
      "b", asarray(ndarray<double, 1>({8}, {1e-9, 1 + 1e-6, 1.1, 1.00001e10, inf, inf, nan, 0})));
  same("np.isclose(a, b)", isclose(a, b));
  same("np.isclose(a, b, rtol=0.2)", isclose(a, b, {.rtol = 0.2}));
  same("np.isclose(a, b, atol=0, equal_nan=True)", isclose(a, b, {.atol = 0, .equal_nan = true}));
  same("np.isclose(a[:, None], b)", isclose(a(whole, newaxis), b));
  same("np.isclose(a, 1.0)", isclose(a, 1.0));
  same("np.array(np.allclose(a, b))", allclose(a, b));
  same("np.array(np.allclose(a[:2], b[:2]))", allclose(a(slice(2)), b(slice(2))));
  same("np.array(np.array_equal(a[:6], a[:6]))", array_equal(a(slice(6)), a(slice(6))));
  same("np.array(np.array_equal(a, a))", array_equal(a, a));
  same("np.array(np.array_equal(a[:1], a[:6]))", array_equal(a(slice(1)), a(slice(6))));
  same("np.array(np.array_equal(a[:6, None], a[:6]))",
       array_equal(a(slice(6), newaxis), a(slice(6))));
  same("np.array(np.array_equal(a[:0], b[:0]))", array_equal(a(slice(0)), b(slice(0))));
  same("np.nan_to_num(a)", nan_to_num(a));
  same("np.nan_to_num(a, nan=7.5, posinf=1.0, neginf=-2.0)",
       nan_to_num(a, {.nan = 7.5, .posinf = 1.0, .neginf = -2.0}));
  same("np.nan_to_num(a, posinf=np.inf)", nan_to_num(a, {.posinf = inf}));
  same("np.nan_to_num(a.astype('float16'), nan=3)", nan_to_num(astype<float16>(a), {.nan = 3}));
  same("np.where(np.isnan(a), b, a)", fillna(a, b));
  same("np.where(np.isnan(a), 2.0, a)", fillna(a, 2));
  same("np.isnan(a)", isnull(a));
  same("~np.isnan(a)", notnull(a));
}

template <element T>
void print_parts() {
  const auto x = named("x", numbers<T>({3, 7}, {2, 4}));
  const auto y = named("y", numbers<T>({7}, {3}) / T{2});
  near("np.rint(x / 4)", rint(x / T{4}));
  same("np.fix(x / 4)", fix(x / T{4}));
  same("np.fabs(x)", fabs(x));
  near("np.angle(x)", angle(x));
  near("np.degrees(y)", degrees(y));
  near("np.radians(y)", radians(y));
  same("np.modf(y)[0]", std::get<0>(modf(y)));
  same("np.modf(y)[1]", std::get<1>(modf(y)));
  same("np.frexp(y)[0]", std::get<0>(frexp(y)));
  same("np.frexp(y)[1]", std::get<1>(frexp(y)));
  same("y", ldexp(std::get<0>(frexp(y)), std::get<1>(frexp(y))));
  same("np.divmod(x, y)[0]", std::get<0>(divmod(x, y)));
  same("np.divmod(x, y)[1]", std::get<1>(divmod(x, y)));
  near("np.float_power(np.abs(x), y)", float_power(abs(x), y));
  near("np.float_power(np.abs(x), -2)", float_power(abs(x), -2));
  near("x * y + x", fma(x, y, x));
}

void print_of_integers() {
  const auto i = named("i", numbers<std::int32_t>({3, 5}, {2, 3}));
  same("np.rint(i)", rint(i));
  same("np.fabs(i)", fabs(i));
  near("np.angle(i)", angle(i));
  same("np.float_power(i * i, 0.5)", float_power(i * i, 0.5));
  same("np.gcd(i, 6)", gcd(i, 6));
  same("np.lcm(i, 6)", lcm(i, 6));
  same("np.ldexp(1.5, i)", ldexp(1.5, i));
  same("np.ldexp(i.astype(float), 3)", ldexp(i, 3));
  same("np.divmod(i, -4)[0]", std::get<0>(divmod(i, -4)));
  const auto z = named("z", numbers<complex128>({4, 8}, {2, 3}));
  near("np.angle(z)", angle(z));
  near("np.float_power(z, 2)", float_power(z, 2));
  same("np.isreal(z)", isreal(z));
  same("np.iscomplex(z)", iscomplex(z));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  print_choices();
  print_decimals();
  print_closeness();
  print_parts<float>();
  print_parts<double>();
  print_of_integers();
}
