// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints the results of reductions of values that are hard on them: zeros of both signs, the least
/// and the greatest numbers, infinities, NaN, integers beyond 2^53, one element and none; in chunks
/// of one, of two and of all. See reductions.py.
#include "unit/function/print_arrays.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace tessera::testing {
namespace {

template <class T>
std::vector<std::vector<T>> hard_values() {
  using limits = std::numeric_limits<T>;
  const T zero{0};
  const T unit{1};
  if constexpr (floating_element<T>) {
    const T least = limits::denorm_min();
    const T infinity = limits::infinity();
    const T nan = limits::quiet_NaN();
    // Its square is beyond the greatest number, its distance from other values is not.
    const T great = limits::max() / 4;
    return {{zero, -zero, least, -least, limits::min()},
            {great, unit, -unit},
            {-great, great},
            {limits::max()},
            {infinity, unit, limits::max()},
            {infinity, -infinity, unit},
            {unit, -infinity, nan, infinity, zero},
            {nan, nan, unit},
            {nan},
            {unit},
            {}};
  } else {
    const auto odd = static_cast<T>(sizeof(T) == 8 ? (std::int64_t{1} << 53) + 1 : 101);
    return {{limits::min(), limits::max(), zero, odd, unit},
            {limits::max(), unit, odd},
            {static_cast<T>(zero - unit), odd},
            {unit},
            {}};
  }
}

/// Prints the reductions of an array that Python calls `x`.
template <class X>
void print_reductions(const X& x) {
  expect("np.sum(x)", sum(x));
  expect("np.prod(x)", prod(x));
  expect("np.mean(x)", mean(x));
  expect("np.any(x)", any(x));
  expect("np.all(x)", all(x));
  expect("np.var(x)", var(x));
  expect("np.std(x, ddof=1)", stddev(x, correction(1)));
  expect("np.count_nonzero(x)", count_nonzero(x));
  expect("np.nansum(x)", nansum(x));
  expect("np.nanprod(x)", nanprod(x));
  expect("np.nanmean(x)", nanmean(x));
  expect("np.nanvar(x)", nanvar(x));
  expect("np.cumsum(x)", cumulative_sum(x));
  expect("np.cumprod(x)", cumulative_prod(x));
  expect("np.maximum.accumulate(x)", cumulative_max(x));
  expect("np.sort(x)", sort(x));
  expect("np.argsort(x, kind='stable')", argsort(x));
  expect("np.diff(x)", diff(x));
  if (x.size() == 0) return;
  expect("np.min(x)", min(x));
  expect("np.max(x)", max(x));
  expect("np.nanmin(x)", nanmin(x));
  expect("np.nanmax(x)", nanmax(x));
  expect("np.argmin(x)", argmin(x));
  expect("np.argmax(x)", argmax(x));
  expect("nanarg(np.nanargmax, x, 0)", nanargmax(x));
  expect("np.median(x)", median(x));
  expect("np.ptp(x)", ptp(x));
  expect("np.linalg.norm(wide(x))", vector_norm(x));
}

template <class T>
void print_of_dtype() {
  for (const std::vector<T>& values : hard_values<T>()) {
    for (const index_t chunk : {index_t{1}, index_t{2}, index_t{8}}) {
      const auto x = asarray(values, {.chunks = {chunk}});
      print_array("let", "x", x.compute());
      print_reductions(x);
    }
  }
}

}  // namespace
}  // namespace tessera::testing

int main() {
  using namespace tessera::testing;
  print_of_dtype<float>();
  print_of_dtype<double>();
  print_of_dtype<std::int8_t>();
  print_of_dtype<std::int64_t>();
  print_of_dtype<std::uint64_t>();
}
