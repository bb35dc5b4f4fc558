// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sums of complex numbers, and the compensation that all sums of float64 share.

#include "tessera/kernel/detail/fold_common.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace tessera::detail {

/// Adds `x` to `sum` and what rounding took away to `error`, exactly.
///
/// Source: Knuth's TwoSum, "The Art of Computer Programming" volume 2, 4.2.2; no branch, unlike
/// Neumaier's variant, so that it vectorises.
inline void add_exactly(double& sum, double& error, double x) {
  const double next = sum + x;
  const double added = next - sum;
  error += (sum - (next - added)) + (x - added);
  sum = next;
}

/// The value of a compensated sum; the error of an infinite one is NaN and does not count.
inline double compensated(double sum, double error) {
  return std::fabs(sum) <= std::numeric_limits<double>::max() ? sum + error : sum;
}

/// A complex sum kept in four planes: the sums of both parts, and their errors.
template <class T>
struct complex_sum {
  static constexpr std::size_t num_planes = 4;

  struct lane {
    std::array<double, 2> sum{};
    std::array<double, 2> error{};
  };

  static std::vector<dtype> planes() { return std::vector<dtype>(num_planes, dtype::float64); }

  static void start(std::byte* const* planes, index_t size, const void*) {
    for (std::size_t p = 0; p < num_planes; ++p) std::fill_n(typed<double>(planes[p]), size, 0.0);
  }

  static void take_each(std::byte* const* planes, const fold_strip& strip) {
    const T* const x = typed<T>(strip.inputs[0]);
    for (index_t i = 0; i < strip.size; ++i) add(planes, i, {part(x[i], 0), part(x[i], 1)}, {});
  }

  static void take_all(std::byte* const* planes, const fold_strip& strip) {
    const lane strip_sum = fold_lanes(
        typed<T>(strip.inputs[0]), strip.size, lane{},
        [](lane& l, const T& x) {
          for (std::size_t p = 0; p < 2; ++p) add_exactly(l.sum[p], l.error[p], part(x, p));
        },
        [](lane& l, const lane& other) {
          for (std::size_t p = 0; p < 2; ++p) {
            add_exactly(l.sum[p], l.error[p], other.sum[p]);
            l.error[p] += other.error[p];
          }
        });
    add(planes, 0, strip_sum.sum, strip_sum.error);
  }

  static void take_at(std::byte* const* planes, const fold_strip& strip, const index_t* at) {
    for_each_at(strip, at, [&, x = typed<T>(strip.inputs[0])](index_t state, index_t i) {
      add(planes, state, {part(x[i], 0), part(x[i], 1)}, {});
    });
  }

  static void merge(std::byte* const* planes, const std::byte* const* others, index_t size, index_t,
                    index_t, const void*) {
    const auto other = [&](std::size_t p, index_t i) { return typed<double>(others[p])[i]; };
    for (index_t i = 0; i < size; ++i) {
      add(planes, i, {other(0, i), other(1, i)}, {other(2, i), other(3, i)});
    }
  }

  static complex128 result(const std::byte* const* planes, index_t i) {
    const auto value = [&](std::size_t p) {
      return compensated(typed<double>(planes[p])[i], typed<double>(planes[p + 2])[i]);
    };
    return {value(0), value(1)};
  }

 private:
  static double part(const T& x, std::size_t p) {
    return static_cast<double>(p == 0 ? x.real() : x.imag());
  }

  static void add(std::byte* const* planes, index_t i, const std::array<double, 2>& sum,
                  const std::array<double, 2>& error) {
    for (std::size_t p = 0; p < 2; ++p) {
      double& of_error = typed<double>(planes[p + 2])[i];
      add_exactly(typed<double>(planes[p])[i], of_error, sum[p]);
      of_error += error[p];
    }
  }
};

}  // namespace tessera::detail
