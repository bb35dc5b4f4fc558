// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints random arrays, and reductions of them, for reductions.py.
#include "tessera/tessera.hpp"

#include "unit/array/number_of.hpp"
#include "unit/function/print_arrays.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace {

namespace ts = tessera;
using ts::index_t;

using ts::testing::expect;
using ts::testing::print_array;

std::mt19937_64& random_numbers() {
  static std::mt19937_64 numbers(7);
  return numbers;
}

/// Few values, so that there are ties; with NaN if asked.
template <class T>
T random_element(bool with_nan) {
  const auto number = static_cast<int>(random_numbers()() % 15) - 5;
  if constexpr (std::is_same_v<T, bool>) {
    return number > 1;
  } else if constexpr (ts::complex_element<T>) {
    const double imaginary = static_cast<double>(random_numbers()() % 9) / 2 - 2;
    if (with_nan && number == 3) return ts::testing::number_of<T>(std::nan(""), imaginary);
    if (with_nan && number == 4) return ts::testing::number_of<T>(imaginary, std::nan(""));
    return ts::testing::number_of<T>(number, imaginary);
  } else if constexpr (ts::floating_element<T>) {
    if (with_nan && number == 3) return std::numeric_limits<T>::quiet_NaN();
    return static_cast<T>(static_cast<float>(number) * 0.5F);
  } else {
    return static_cast<T>(std::is_signed_v<T> ? number : number + 5);
  }
}

template <class T, std::size_t N>
ts::ndarray<T, N> random_array(const std::string& name, const std::array<index_t, N>& shape,
                               bool with_nan = true) {
  index_t size = 1;
  for (const index_t extent : shape) size *= extent;
  ts::ndarray<T, N> values(shape);
  for (T& value : values.span()) value = random_element<T>(with_nan);
  print_array("let", name, values);
  return values;
}

template <std::size_t N>
std::array<index_t, N> random_chunks(const std::array<index_t, N>& shape) {
  std::array<index_t, N> chunks{};
  for (std::size_t axis = 0; axis < N; ++axis) {
    chunks[axis] =
        1 + static_cast<index_t>(random_numbers()() % static_cast<std::uint64_t>(shape[axis] + 1));
  }
  return chunks;
}

/// Reductions that take one axis, or all.
template <class X>
void positions_of(const X& x, const X& dense) {
  using T = typename X::value_type;
  expect("np.argmin(x, axis=0)", ts::argmin(x, ts::axis<0>));
  expect("np.argmax(x, axis=1)", ts::argmax(x, ts::axis<1>));
  expect("np.argmax(x, axis=-1, keepdims=True)", ts::argmax(x, ts::axis_at(-1), ts::keepdims));
  expect("np.argmin(x)", ts::argmin(x));
  expect("np.argmax(x)", ts::argmax(x));
  expect("nanarg(np.nanargmin, x, 0)", ts::nanargmin(x, ts::axis<0>));
  expect("nanarg(np.nanargmax, x, 2)", ts::nanargmax(x, ts::axis_at(2)));
  expect("x[:, 0]", ts::first(x, ts::axis<1>));
  expect("x[..., -1]", ts::last(x, ts::axis<-1>));
  expect("x.ravel()[0]", ts::first(x));
  expect("x.ravel()[-1]", ts::last(x));
  expect("topk(x, 2, 0)", ts::topk(x, 2, ts::axis<0>));
  expect("topk(x, -3, 1)", ts::topk(x, -3, ts::axis<1>));
  expect("topk(x, 4, 2)", ts::topk(x, 4, ts::axis_at(2)));
  expect("argtopk(x, 3, 0)", ts::argtopk(x, 3, ts::axis<0>));
  expect("argtopk(x, -2, 1)", ts::argtopk(x, -2, ts::axis<1>));
  expect("argtopk(x, 1, 2)", ts::argtopk(x, 1, ts::axis<2>));
  const auto row = dense(0, 0);
  expect("topk(d[0, 0], 3, 0)", ts::topk(row, 3));
  if constexpr (!std::is_same_v<T, bool>) {
    expect("np.ptp(x, axis=1)", ts::ptp(x, ts::axis<1>));
  }
}

template <class X, class M>
void masked(const X& x, const M& m) {
  expect("np.sum(x, axis=0, where=m)", ts::sum(x, ts::axis<0>, ts::where(m)));
  expect("np.prod(x, axis=1, where=m)", ts::prod(x, ts::axis<1>, ts::where(m)));
  expect("np.any(x, axis=2, where=m)", ts::any(x, ts::axis<2>, ts::where(m)));
  expect("np.all(x, where=m)", ts::all(x, ts::where(m)));
  expect("np.count_nonzero(np.where(m, x, 0), axis=0)",
         ts::count_nonzero(x, ts::axis<0>, ts::where(m)));
  expect("np.mean(x, axis=0, where=m)", ts::mean(x, ts::axis<0>, ts::where(m)));
  expect("np.mean(x, where=m)", ts::mean(x, ts::where(m)));
  expect("np.mean(x, axis=(0, 2), where=m)", ts::mean(x, ts::axis<0, 2>, ts::where(m)));
  expect("np.var(x, axis=0, where=m)", ts::var(x, ts::axis<0>, ts::where(m)));
  expect("np.std(x, axis=2, where=m, ddof=1)",
         ts::stddev(x, ts::axis<2>, ts::correction(1), ts::where(m)));
  if constexpr (!ts::complex_element<typename X::value_type>) {
    expect("least(x, 0, m)", ts::min(x, ts::axis<0>, ts::where(m)));
    expect("greatest(x, 2, m)", ts::max(x, ts::axis<2>, ts::where(m)));
    expect("where_arg(np.argmax, x, 0, m)", ts::argmax(x, ts::axis<0>, ts::where(m)));
    expect("where_arg(np.argmin, x, 2, m)", ts::argmin(x, ts::axis<2>, ts::where(m)));
  }
}

template <class X>
void without_nan(const X& x) {
  expect("np.nansum(x, axis=0)", ts::nansum(x, ts::axis<0>));
  expect("np.nanprod(x, axis=1)", ts::nanprod(x, ts::axis<1>));
  expect("np.nanmean(x, axis=2)", ts::nanmean(x, ts::axis<2>));
  expect("np.nanmean(x)", ts::nanmean(x));
  expect("count(x, 1)", ts::count(x, ts::axis<1>));
  expect("np.nanvar(x, axis=0)", ts::nanvar(x, ts::axis<0>));
  expect("np.nanstd(x, axis=1, ddof=1)", ts::nanstd(x, ts::axis<1>, ts::correction(1)));
  if constexpr (!ts::complex_element<typename X::value_type>) {
    expect("np.nanmin(x, axis=0)", ts::nanmin(x, ts::axis<0>));
    expect("np.nanmax(x, axis=(1, 2))", ts::nanmax(x, ts::axis<1, 2>));
  }
  if constexpr (ts::real_element<typename X::value_type>) {
    expect("skew(x, 0)", ts::skew(x, ts::axis<0>));
    expect("kurtosis(x, 2)", ts::kurtosis(x, ts::axis<2>));
    expect("kurtosis(x.ravel(), 0)", ts::kurtosis(x));
    expect("moment(x, 3, 1)", ts::moment(x, 3, ts::axis<1>));
    expect("moment(x.ravel(), 2, 0)", ts::moment(x, 2));
  }
}

struct range_of {
  using state = std::tuple<double, double>;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr state identity{infinity, -infinity};
  template <class T>
  static state take(const state& s, T x) {
    const auto [low, high] = s;
    const auto value = static_cast<double>(x);
    return {value < low ? value : low, value > high ? value : high};
  }
  static state merge(const state& a, const state& b) {
    return take(take(a, std::get<0>(b)), std::get<1>(b));
  }
  static double finish(const state& s) { return std::get<1>(s) - std::get<0>(s); }
};

template <class X, class L>
void by_groups(const X& x, const L& first_labels, const L& last_labels) {
  using T = typename X::value_type;
  expect("group(np.sum, x, l, 4, 0)",
         ts::groupby_reduce(x, first_labels, ts::op::sum{}, 4, ts::axis<0>));
  expect("group(np.mean, x, k, 5, 2)",
         ts::groupby_reduce(x, last_labels, ts::op::mean{}, 5, ts::axis<2>));
  expect("group(np.prod, x, l, 4, 0)",
         ts::groupby_reduce(x, first_labels, ts::op::prod{}, 4, ts::axis_at(0)));
  expect("group(count, x, k, 5, 2)",
         ts::groupby_reduce(x, last_labels, ts::op::count{}, 5, ts::axis<2>));
  expect("group(np.any, x, l, 4, 0)",
         ts::groupby_reduce(x, first_labels, ts::op::any{}, 4, ts::axis<0>));
  expect("group(np.all, x, k, 5, 2)",
         ts::groupby_reduce(x, last_labels, ts::op::all{}, 5, ts::axis<2>));
  expect("group(lambda v, axis: np.take(v, 0, axis), x, l, 4, 0)",
         ts::groupby_reduce(x, first_labels, ts::op::first{}, 4, ts::axis<0>));
  expect("group(lambda v, axis: np.take(v, -1, axis), x, k, 5, 2)",
         ts::groupby_reduce(x, last_labels, ts::op::last{}, 5, ts::axis<2>));
  expect("group(np.var, x, l, 4, 0)",
         ts::groupby_reduce(x, first_labels, ts::op::var{}, 4, ts::axis<0>));
  expect("group(lambda v, axis: np.std(v, axis, ddof=1), x, k, 5, 2)",
         ts::groupby_reduce(x, last_labels, ts::op::stddev{1}, 5, ts::axis<2>));
  if constexpr (!ts::complex_element<T>) {
    expect("group(np.min, x, l, 4, 0)",
           ts::groupby_reduce(x, first_labels, ts::op::min{}, 4, ts::axis<0>));
    expect("group(np.max, x, k, 5, 2)",
           ts::groupby_reduce(x, last_labels, ts::op::max{}, 5, ts::axis<2>));
    expect("group_arg(np.argmax, x, l, 4, 0)",
           ts::groupby_reduce(x, first_labels, ts::op::argmax{}, 4, ts::axis<0>));
    expect("group_arg(np.argmin, x, k, 5, 2)",
           ts::groupby_reduce(x, last_labels, ts::op::argmin{}, 5, ts::axis<2>));
  }
}

template <class X, class L, class M>
void by_groups_of_all(const X& x, const L& labels, const L& columns_labels, const M& m) {
  expect("group_all(np.sum, x, a, 4)", ts::groupby_reduce(x, labels, ts::op::sum{}, 4));
  expect("group_two(np.sum, x, a, b, 4, 3)",
         ts::groupby_reduce(x, std::tuple{labels, columns_labels}, ts::op::sum{}, {4, 3}));
  expect("group_all(np.max, x, np.where(m, a, -1), 4)",
         ts::groupby_reduce(x, labels, ts::op::max{}, 4, ts::where(m)));
  expect("group_planes(x, a, 4)", ts::groupby_reduce(x, labels, ts::op::sum{}, 4, ts::axis<0>));
  expect("group_all(lambda v, axis: np.nanmax(v) - np.nanmin(v), x, a, 4)",
         ts::groupby_reduce(x, labels, range_of{}, 4));
}

template <class X>
void histograms_of(const X& x, const X& y) {
  static const std::vector<double> edges{-2.5, -1.0, 0.0, 0.25, 2.0, 4.5};
  static const std::vector<double> descending{3.0, 1.0, 0.5, -1.0};
  const ts::bins ten{10, -2.5, 4.5};
  expect("np.histogram(clean(x), e)[0]", ts::histogram(x, edges));
  expect("np.histogram(clean(x), 10, (-2.5, 4.5))[0]", ts::histogram(x, ten));
  expect("np.histogram(clean(x), 3, (-1, 2))[0]", ts::histogram(x, ts::bins{3, -1, 2}));
  expect("np.digitize(x, e)", ts::digitize(x, edges));
  expect("np.digitize(x, e, right=True)", ts::digitize(x, edges, ts::right));
  expect("np.digitize(x, [-1.0, 0.5, 2.0])", ts::digitize(x, {-1, 0.5, 2}));
  expect("np.digitize(x, [-1.0, 0.5, 2.0], right=True)", ts::digitize(x, {-1, 0.5, 2}, ts::right));
  expect("np.digitize(x, [3.0, 1.0, 0.5, -1.0])", ts::digitize(x, descending));
  expect("np.digitize(x, [3.0, 1.0, 0.5, -1.0], right=True)",
         ts::digitize(x, descending, ts::right));
  expect("hist2d(x, y)", ts::histogram2d(x, y, std::span<const double>(edges), ts::bins{3, -1, 2}));
}

template <class T>
void print_of_dtype(int round) {
  const std::array<index_t, 3> shape{4 + round, 5, 6 + 2 * round};
  const bool is_floating = ts::floating_element<T> || ts::complex_element<T>;
  const auto values = random_array<T>("x", shape, is_floating && round % 2 == 0);
  const auto x = ts::asarray(values, {.chunks = random_chunks(shape)});
  const auto valid = random_array<bool>("m", shape);
  const auto m = ts::asarray(valid, {.chunks = random_chunks(shape)});
  std::puts("run\td = x");
  if constexpr (ts::real_element<T> || std::is_same_v<T, bool>) {
    positions_of(x, ts::asarray(values));
  }
  masked(x, m);
  without_nan(x);
  const auto w = ts::asarray(random_array<double>("w", std::array{shape[0]}, false)) + 10.0;
  expect("np.average(x, axis=0, weights=w + 10)", ts::average(x, w, ts::axis<0>));
  expect("np.average(x, axis=0)", ts::average(x, ts::axis<0>));
  const auto weights = ts::asarray(random_array<float>("v", shape, false)) + 9.0F;
  expect("np.average(x, axis=1, weights=v + 9)", ts::average(x, weights, ts::axis<1>));
  const auto l = ts::asarray(random_array<std::int32_t>("l", std::array{shape[0]}));
  const auto k = ts::asarray(random_array<std::int32_t>("k", std::array{shape[2]}));
  by_groups(x, l, k);
  if constexpr (std::is_same_v<T, double> || ts::complex_element<T>) {
    const auto variables = x(0);
    expect("np.cov(x[0])", ts::cov(variables));
    expect("np.corrcoef(x[0])", ts::corrcoef(variables));
  }
  if constexpr (ts::real_element<T>) {
    const auto a = ts::asarray(random_array<std::int8_t>("a", shape));
    const auto b = ts::asarray(random_array<std::int8_t>("b", shape));
    by_groups_of_all(x, a, b, m);
    std::puts("run\te = [-2.5, -1.0, 0.0, 0.25, 2.0, 4.5]");
    const auto y = ts::asarray(random_array<T>("y", shape, is_floating));
    histograms_of(x, y);
    expect("np.bincount(a[a >= 0], minlength=12)[:12]", ts::bincount(a, 12));
  }
}

}  // namespace

int main() {
  for (const int round : {0, 1, 6}) {
    print_of_dtype<float>(round);
    print_of_dtype<double>(round);
    print_of_dtype<std::int16_t>(round);
    print_of_dtype<std::uint8_t>(round);
    print_of_dtype<ts::float16>(round);
    print_of_dtype<bool>(round);
    print_of_dtype<ts::complex64>(round);
  }
}
