// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/interpolation.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/selection.hpp"
#include "tessera/array/sets.hpp"
#include "tessera/function/elementwise.hpp"

#include "unit/array/print_cases.hpp"

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::testing {
namespace {

/// Prints a computed array as `same` prints a lazy one.
template <class T, std::size_t N>
void same_values(std::string_view expression, const ndarray<T, N>& values) {
  print_values("same", values, expression);
}

void print_positions() {
  const auto x = named("x", numbers<int>({5, 7, 4}, {2, 3, 4}));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    same_values("np.nonzero(x)[" + std::to_string(axis) + "]", nonzero(x)[axis]);
  }
  same_values("np.argwhere(x > 12)", argwhere(x > 12));
  same_values("np.argwhere(x[0, 0, 0] < 99)", argwhere(x(0, 0, 0) < 99));
  same_values("np.flatnonzero(x % 3)", flatnonzero(x % 3));
  same_values("np.flatnonzero(x > 1000)", flatnonzero(x > 1000));
  same("x[x > 5]", x(x > 5));
  same("x[x > 5][::-2] * 2", x(x > 5)(slice(none, none, -2)) * 2);
  same("(x * 2)[x.transpose(0, 1, 2) % 2 == 0]", (x * 2)(x % 2 == 0));
  same("np.extract(x < -5, x)", extract(x < -5, x));
  same("np.extract(x > 1000, x)", extract(x > 1000, x));
  same("np.compress([True, False, True, False, True], x, axis=0)",
       compress(std::vector{true, false, true, false, true}, x, axis<0>));
  same("np.compress(x[0, :, 1] > 0, x, axis=1)", compress(x(0, whole, 1) > 0, x, axis<1>));
  const auto i = named("i", numbers<std::int64_t>({5, 3, 4}) % 7);
  same("np.take_along_axis(x, i, axis=1)", take_along_axis(x, i.compute(), axis<1>));
  same("np.take_along_axis(x[:, :3], i[:2] % 5, axis=0)",
       take_along_axis(x(whole, slice(0, 3)), (i(slice(0, 2)) % 5).compute(), axis<0>));
}

template <class T>
void print_sets(const std::string& name, const array<T, 2>& x) {
  // The standard's functions have each NaN.
  const std::string unique = "np.unique(" + name + ", equal_nan=False";
  same_values(unique + ")", unique_values(x));
  const auto counts = unique_counts(x);
  same_values(unique + ", return_counts=True)[1]", counts.counts);
  const auto distinct = unique_all(x);
  same_values(unique + ", return_index=True)[1]", distinct.indices);
  same_values(unique + ", return_counts=True)[1]", distinct.counts);
}

/// Returns an array of far more values than are merged in little memory.
template <element T>
array<T, 2> of_many_values() {
  ndarray<T, 2> values({40, 500});
  for (index_t i = 0; i < values.size(); ++i) {
    const index_t number = i * i % 100'003 % 9001 - 4000;
    values.data()[i] = static_cast<T>(number) / T(floating_element<T> ? 4 : 1);
    if constexpr (floating_element<T>) {
      if (number % 50 == 3) values.data()[i] = std::numeric_limits<T>::quiet_NaN();
    }
  }
  return asarray(std::move(values),
                 {.chunks = {7, 90}, .spec = spec{.allowed_memory = bytes{600'000}}});
}

/// Prints the look-ups in sorted values of `f`, which NumPy knows as f.
void print_searches(const array<double, 2>& f) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> edges{-1, 0.5, 0.5, 3, nan};
  same("np.searchsorted([-1, 0.5, 0.5, 3, np.nan], f)", searchsorted(edges, f));
  same("np.searchsorted([-1, 0.5, 0.5, 3, np.nan], f, 'right')", searchsorted(edges, f, right));
  same("np.searchsorted([-1, 0.5, 0.5, 3, np.nan], [[0, 1], [0.5, 9]])",
       searchsorted(edges, ndarray<double, 2>{{0, 1}, {0.5, 9}}));
  same("np.searchsorted([-1, 0.5, 0.5, 3, np.nan], [0, 0.5], 'right')",
       searchsorted(edges, std::vector{0.0, 0.5}, right));
}

void print_lookups() {
  const auto x = named("x", numbers<int>({5, 7}, {2, 3}));
  const auto u = named("u", numbers<std::uint8_t>({6, 6}, {4, 4}));
  const auto b = named("b", numbers<int>({3, 4}, {2, 2}) > 0);
  print_sets<int>("x", x);
  print_sets<std::uint8_t>("u", u);
  print_sets<bool>("b", b);
  const auto parts = astype<complex64>(numbers<int>({4, 6}, {2, 3}) % 3);
  const auto z = named("z", array(parts - flip(parts) * complex64(0, 2)));
  print_sets<complex64>("z", z);
  same_values("np.union1d(z, -z)", union1d(z, -z));
  same_values("np.intersect1d(z, -z)", intersect1d(z, -z));
  same_values("np.setdiff1d(z, -z)", setdiff1d(z, -z));
  same("np.isin(z, -z)", isin(z, -z));
  same("np.unique(z, return_inverse=True)[1].reshape(z.shape)", unique_inverse(z).inverse_indices);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto f = named("f", asarray(ndarray<double, 2>::of({{2, nan, -1, 0.5}, {nan, 2, 2, -1}}),
                                    {.chunks = {1, 3}}));
  print_sets<double>("f", f);
  const auto of_doubles = named("x", of_many_values<double>());
  print_sets<double>("x", of_doubles);
  const auto of_integers = named("x", of_many_values<std::int64_t>());
  print_sets<std::int64_t>("x", of_integers);
  named("x", x);
  same("np.unique(x, return_inverse=True)[1].reshape(5, 7)", unique_inverse(x).inverse_indices);
  same_values("np.union1d(x, u)", union1d(x, u));
  same_values("np.intersect1d(x, u)", intersect1d(x, u));
  same_values("np.setdiff1d(x, u.astype(np.int32))", setdiff1d(x, u));
  same("np.isin(x, [1, 5, -3, 1])", isin(x, std::vector{1, 5, -3, 1}));
  same("np.isin(x, [1, 5, -3, 1])", isin(x, {1, 5, -3, 1}));
  same("np.isin(x, u)", isin(x, u));
  same("np.isin(f, [2, np.nan])", isin(f, std::vector{2.0, nan}));
  print_searches(f);
  const std::vector<double> values{3, -1, 4, 4, 7};
  same("np.interp(x, [-2, 0.5, 3, 3, 9], [3, -1, 4, 4, 7])",
       interp(x, std::vector{-2.0, 0.5, 3.0, 3.0, 9.0}, values));
  same("np.interp(f, [-1, 0.5, 0.75, 1, 2], [3, -1, 4, 4, 7])",
       interp(f, std::vector{-1.0, 0.5, 0.75, 1.0, 2.0}, values));
  same("np.interp(x, [0.25], [3])", interp(x, std::vector{0.25}, std::vector{3}));
  same("np.interp(f, [0, 1, 2], [np.inf, np.inf, 1])",
       interp(f, arange<int>(0, 3, 1), asarray(std::vector<double>{inf, inf, 1})));
  same("np.searchsorted(np.unique(u), x)", searchsorted(unique_values(u), x));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  tessera::testing::print_positions();
  tessera::testing::print_lookups();
  return 0;
}
