// SPDX-License-Identifier: Apache-2.0

/// \file
/// Prints filters, and functions of one's own of lines, for cases.py. SciPy's are spelt out: its
/// mode "reflect" is NumPy's "symmetric".

#include "tessera/array/filtering.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/print_cases.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace tessera::testing {
namespace {

template <element T>
void print_sums() {
  const auto x = named("x", numbers<T>({7, 5}, {3, 2}));
  const auto along = [](const char* call) {
    return std::string("np.apply_along_axis(lambda a: ") + call + ", 0, x).astype(x.dtype)";
  };
  near(along("np.correlate(a, [1, 2, 4])"), correlate(x, {1, 2, 4}, axis<0>));
  near(along("np.correlate(a, [1, 2, 4], 'same')"),
       correlate(x, {1, 2, 4}, axis<0>, overlap::same));
  near(along("np.correlate(a, [1, 2], 'same')"), correlate(x, {1, 2}, axis<0>, overlap::same));
  near(along("np.correlate(a, [1, 2], 'full')"), correlate(x, {1, 2}, axis<0>, overlap::full));
  near(along("np.convolve(a, [1, 2, 4])"), convolve(x, {1, 2, 4}, axis<-2>));
  near(along("np.convolve(a, [1, 2, 4, 8], 'same')"),
       convolve(x, {1, 2, 4, 8}, axis<0>, overlap::same));
  near(along("np.convolve(a, [1, 2, 4, 8], 'valid')"),
       convolve(x, {1, 2, 4, 8}, axis<0>, overlap::valid));
  near("np.stack([np.convolve(a, [3, -1]) for a in x]).astype(x.dtype)",
       convolve(x, {3, -1}, axis<1>));
  near("np.stack([np.convolve(a, [3.5, -1]) for a in x])",
       convolve(x, std::vector<double>{3.5, -1}, axis<1>));
  near("np.stack([np.correlate(a, [3.5, -1]) for a in x])",
       correlate(x, ndarray<double, 1>({2}, {3.5, -1}), axis<1>));
  near(along("np.correlate(a, [1, 2])"), correlate(x, std::vector<int>{1, 2}, axis<0>));
}

/// Correlations conjugate the weights, convolutions do not, as in NumPy.
void print_sums_of_complex() {
  const auto x = named("x", numbers<complex128>({7, 5}, {3, 2}));
  const std::vector<complex128> weights{{1, 2}, {0, -1}, {3, 0.5}};
  near("np.apply_along_axis(lambda a: np.correlate(a, [1 + 2j, -1j, 3 + .5j]), 0, x)",
       correlate(x, weights, axis<0>));
  near("np.apply_along_axis(lambda a: np.correlate(a, [1 + 2j, -1j, 3 + .5j], 'full'), 1, x)",
       correlate(x, weights, axis<1>, overlap::full));
  near("np.apply_along_axis(lambda a: np.convolve(a, [1 + 2j, -1j, 3 + .5j], 'same'), 0, x)",
       convolve(x, weights, axis<0>, overlap::same));
}

void print_smooth() {
  const auto x = named("x", numbers<double>({9}, {4}));
  near(
      "(lambda w: np.convolve(np.pad(x, 4, 'symmetric'), w / w.sum(), 'valid'))"
      "(np.exp(-0.5 * np.arange(-4, 5) ** 2))",
      gaussian_filter(x, 1));
  near(
      "(lambda w: np.convolve(np.pad(x, 1, 'wrap'), w / w.sum(), 'valid'))"
      "(np.exp(-2.0 * np.arange(-1, 2) ** 2))",
      gaussian_filter(x, 0.5, boundary::wrap, 2));
  near("np.convolve(np.pad(x, 1, 'symmetric'), [1 / 3] * 3, 'valid')", uniform_filter(x, 3));
  near("np.convolve(np.pad(x, (2, 1), 'edge'), [1 / 4] * 4, 'valid')",
       uniform_filter(x, 4, boundary::edge));
  const auto y = named("y", numbers<float>({6, 5}, {2, 3}));
  near(
      "(lambda p: sum(p[i:i + 6, j:j + 5] for i in range(3) for j in range(3)) / np.float32(9))"
      "(np.pad(y, 1, 'symmetric'))",
      uniform_filter(y, 3));
}

/// A filter of each axis with a width of its own is one of the first, then one of the second.
void print_filters_of_axes() {
  const auto x = named("x", numbers<double>({3, 6, 7}, {2, 4, 3}));
  const std::string gauss =
      "(lambda g: (lambda x1, x2: {})"
      "(lambda x, s: np.apply_along_axis(lambda a: g(a, s), 1, x),"
      " lambda x, s: np.apply_along_axis(lambda a: g(a, s), 2, x)))"
      "(lambda a, s: (lambda r: np.convolve(np.pad(a, r, 'symmetric'),"
      " (lambda w: w / w.sum())(np.exp(-0.5 * (np.arange(-r, r + 1) / s) ** 2)), 'valid'))"
      "(int(4 * s + 0.5)))";
  const auto of = [&](const char* call) {
    std::string text = gauss;
    return text.replace(text.find("{}"), 2, call);
  };
  near(of("x2(x1(x, 0.7), 0.7)"), gaussian_filter(x, 0.7, axis<1, 2>));
  near(of("x2(x1(x, 1.0), 0.5)"), gaussian_filter(x, {1.0, 0.5}, axis<1, -1>));
  near(of("x2(x1(x, 1.0), 0.5)"), gaussian_filter(x, {0, 1, 0.5}));
  near(of("x1(x, 1.0)"), gaussian_filter(x, {1, 0}, axis<1, 2>));
  const auto mean = [](const char* axis, const char* before, const char* length) {
    return std::string("np.apply_along_axis(lambda a: np.convolve(np.pad(a, ") + before +
           ", 'symmetric'), np.full(" + length + ", 1 / " + length + "), 'valid'), " + axis +
           ", x)";
  };
  near(mean("1", "1", "3"), uniform_filter(x, 3, axis<1>));
  near(mean("2", "(2, 1)", "4"), uniform_filter(x, {1, 4}, axis<0, 2>));
  near(mean("1", "2", "5"), uniform_filter(x, {1, 5, 1}));
}

void print_functions_of_lines() {
  const auto x = named("x", numbers<double>({7, 5, 4}, {3, 2, 4}));
  const auto spread = [](std::span<const double> line) {
    return *std::max_element(line.begin(), line.end()) - line.front();
  };
  same("np.apply_along_axis(lambda a: a.max() - a[0], 0, x)", apply_along_axis(spread, x, axis<0>));
  same("np.apply_along_axis(lambda a: a.max() - a[0], -2, x[::2]) * 2",
       apply_along_axis(spread, x(slice(none, none, 2)), axis<-2>) * 2.0);
  const auto ends = [](std::span<const double> line, std::span<float> ends_of_line) {
    ends_of_line[0] = static_cast<float>(line.back());
    ends_of_line[1] = static_cast<float>(line.front());
  };
  same("np.apply_along_axis(lambda a: a[[-1, 0]], 1, x).astype(np.float32)",
       apply_along_axis<float>(ends, x, axis<1>, 2));
  const auto summed = [](const auto& y, auto along) { return sum(y, along); };
  same("np.apply_over_axes(np.sum, x, [0, -1])", apply_over_axes(summed, x, axis<0, -1>));
  const auto added_up = [](const auto& y, auto along) { return cumulative_sum(y, along); };
  same("np.apply_over_axes(np.cumsum, x, [1, 2])", apply_over_axes(added_up, x, axis<1, 2>));
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  print_sums<double>();
  print_sums<float>();
  print_sums<tessera::complex128>();
  print_sums_of_complex();
  print_smooth();
  print_filters_of_axes();
  print_functions_of_lines();
}
