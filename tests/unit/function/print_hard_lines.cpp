// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints quantiles, orders, scans, windows, filters and transforms of hard values in chunks of
/// one, of two and of all. See hard_values.py.
#include "unit/function/hard_values.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::testing {
namespace {

template <class X>
void print_quantiles(const X& x) {
  near("quantiles(x, [0, 0.25, 0.5, 1])", quantile(x, {0, 0.25, 0.5, 1}));
  near("quantiles(x, [0.3, 0.7], 'nearest')", quantile(x, {0.3, 0.7}, quantile_method::nearest));
  near("quantiles(x, [0.3], 'lower')[0]", quantile(x, 0.3, quantile_method::lower));
  near("quantiles(x, [0.75])[0]", percentile(x, 75));
  near("quantiles(x, [0.5])[0]", median(x));
  near("quantiles(clean(x), [0.4, 0.8])", nanquantile(x, {0.4, 0.8}));
  near("quantiles(clean(x), [0.1])[0]", nanpercentile(x, 10));
  near("quantiles(clean(x), [0.5])[0]", nanmedian(x));
  if (x.size() > 0) same("frequent(x)", mode(x));
}

template <class X>
void print_orders(const X& x) {
  same("np.sort(x)", sort(x));
  same("np.argsort(x, kind='stable')", argsort(x));
  same("x[backwards(x)]", sort(x, descending));
  same("backwards(x)", argsort(x, descending));
  if (x.size() == 0) return;
  same("topk(x, 1, 0)", topk(x, 1));
  same("topk(x, -1, 0)", topk(x, -1));
  same("topk(x, len(x), 0)", topk(x, x.size()));
  same("argtopk(x, 1, 0)", argtopk(x, 1));
  same("argtopk(x, -len(x), 0)", argtopk(x, -x.size()));
}

template <class X>
void print_scans(const X& x) {
  near("np.cumsum(x)", cumulative_sum(x));
  near("np.cumprod(x)", cumulative_prod(x));
  same("np.maximum.accumulate(x)", cumulative_max(x));
  same("np.minimum.accumulate(x)", cumulative_min(x));
  near("np.nancumsum(x)", nancumsum(x));
  near("np.nancumprod(x)", nancumprod(x));
  if constexpr (floating_element<typename X::value_type>) {
    same("filled(x)", ffill(x));
    same("filled(x[::-1])[::-1]", bfill(x));
  }
  same("np.diff(x)", diff(x));
  same("np.diff(x, 2)", diff(x, 2));
  if (x.size() > 1) near("np.gradient(x)", gradient(x));
}

template <class X>
void print_windows(const X& x) {
  for (const index_t length : {index_t{1}, index_t{2}, index_t{3}}) {
    if (length > x.size()) continue;
    const std::string windows = "(windows(x, " + std::to_string(length) + "), axis=-1)";
    near("np.sum" + windows, rolling_sum(x, length));
    near("np.mean" + windows, rolling_mean(x, length));
    same("np.min" + windows, rolling_min(x, length));
    same("np.max" + windows, rolling_max(x, length));
    near("np.std" + windows, rolling_stddev(x, length));
    same("windows(x, " + std::to_string(length) + ")", sliding_window_view(x, length, axis<0>));
    if (x.size() % length != 0) continue;
    const std::string blocks = "(x.reshape(-1, " + std::to_string(length) + "), axis=-1)";
    near("np.mean" + blocks, coarsen(op::mean{}, x, {length}));
    same("np.max" + blocks, coarsen(op::max{}, x, {length}));
    near("np.sum" + blocks, coarsen(op::sum{}, x, {length}));
  }
}

template <class X>
void print_filters(const X& x) {
  if (x.size() < 2) return;
  near("np.convolve(x * 1.0, [1, 2])", convolve(x, {1, 2}));
  near("np.correlate(x * 1.0, [1, 2])", correlate(x, {1, 2}));
  if constexpr (floating_element<typename X::value_type>) {
    near("np.sum(windows(np.pad(x, 1, 'symmetric'), 3), axis=-1) / 3", uniform_filter(x, 3));
    near("gaussian(x)", gaussian_filter(x, 0.5, boundary::symmetric, 2));
    near("np.interp(x, [-1, 0, 2], [5, 6, 9])", interp(x, {-1, 0, 2}, {5, 6, 9}));
  }
}

/// Transforms of finite values: of infinite ones, the parts that are NaN depend on the factors of
/// the number of points.
template <class X>
void print_transforms(const X& x) {
  if (x.size() < 1) return;
  near("np.fft.fft(x)", fft(x));
  near("np.fft.ifft(x)", ifft(x));
  near("np.fft.rfft(x)", rfft(x));
  near("np.fft.ihfft(x)", ihfft(x));
  near("np.fft.irfft(x, 4)", irfft(x, points(4)));
  near("np.fft.hfft(x, 4)", hfft(x, points(4)));
  near("np.fft.fftshift(x)", fftshift(x));
  near("np.fft.ifftshift(x)", ifftshift(x));
}

template <class M>
void print_transforms_of_rows(const M& m) {
  if (m.size() < 4) return;
  near("np.fft.fft2(m)", fft2(m));
  near("np.fft.ifft2(m)", ifft2(m));
  near("np.fft.rfft2(m)", rfft2(m));
  near("np.fft.irfft2(m)", irfft2(m));
  near("np.fft.fftn(m)", fftn(m));
  near("np.fft.ifftn(m)", ifftn(m));
  near("np.fft.rfftn(m)", rfftn(m));
  near("np.fft.irfftn(m)", irfftn(m));
}

template <class T>
void print_of_dtype() {
  for_each_hard_case<T>([](const std::vector<T>& values, index_t chunk) {
    const auto x = line_of(values, chunk);
    print_quantiles(x);
    print_orders(x);
    print_scans(x);
    print_windows(x);
    print_filters(x);
    if constexpr (sizeof(T) > 1) {
      const auto m = rows_of(values, chunk);
      if (!are_finite(values)) return;
      print_transforms(x);
      print_transforms_of_rows(m);
    }
  });
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  for_each_hard_dtype<std::int8_t>([]<class T>(tessera::type_tag<T>) { print_of_dtype<T>(); });
}
