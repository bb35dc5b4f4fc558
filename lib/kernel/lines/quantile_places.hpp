// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where quantiles lie among elements in order.

#include "tessera/core/index.hpp"
#include "tessera/kernel/lines.hpp"

#include <cmath>
#include <cstddef>

namespace tessera::detail {

/// Where a quantile lies among sorted elements: at one of them, or between it and the next.
struct place_in_order {
  index_t index = 0;
  double fraction = 0;
};

/// Returns where `virtual_index` lies among `size` elements.
inline place_in_order between(double virtual_index, index_t size) {
  if (!(virtual_index > 0)) return {};
  const double last = static_cast<double>(size - 1);
  if (virtual_index >= last) return {size - 1, 0};
  const double floor = std::floor(virtual_index);
  return {static_cast<index_t>(floor), virtual_index - floor};
}

inline place_in_order at(double index, index_t size) { return between(std::floor(index), size); }

/// Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996: by two constants.
inline place_in_order by_constants(double q, index_t size, double alpha, double beta) {
  const auto n = static_cast<double>(size);
  return between(n * q + (alpha + q * (1 - alpha - beta)) - 1, size);
}

/// The index above `index`, or that itself where `is_exact` is true of a whole number.
template <class Condition>
place_in_order step(double index, index_t size, Condition is_exact) {
  const double floor = std::floor(index);
  return at(is_exact(index - floor == 0, floor) ? floor : floor + 1, size);
}

inline place_in_order place_of(double q, quantile_method method, index_t size) {
  const auto n = static_cast<double>(size);
  const double index = (n - 1) * q;
  switch (method) {
    case quantile_method::linear:
      return between(index, size);
    case quantile_method::lower:
      return at(index, size);
    case quantile_method::higher:
      return at(std::ceil(index), size);
    case quantile_method::midpoint:
      return between((std::floor(index) + std::ceil(index)) / 2, size);
    case quantile_method::nearest:
      return at(std::nearbyint(index), size);
    case quantile_method::inverted_cdf:
      return step(n * q - 1, size, [](bool is_whole, double) { return is_whole; });
    case quantile_method::averaged_inverted_cdf: {
      const double whole = n * q - 1;
      if (std::floor(whole) == whole) return between(whole + 0.5, size);
      return at(std::floor(whole) + 1, size);
    }
    case quantile_method::closest_observation:
      // Of two observations that are equally near, the one of even number, counted from 1.
      return step(n * q - 1.5, size,
                  [](bool is_whole, double floor) { return is_whole && std::fmod(floor, 2) != 0; });
    case quantile_method::interpolated_inverted_cdf:
      return by_constants(q, size, 0, 1);
    case quantile_method::hazen:
      return by_constants(q, size, 0.5, 0.5);
    case quantile_method::weibull:
      return by_constants(q, size, 0, 0);
    case quantile_method::median_unbiased:
      return by_constants(q, size, 1.0 / 3, 1.0 / 3);
    case quantile_method::normal_unbiased:
      return by_constants(q, size, 3.0 / 8, 3.0 / 8);
  }
  return {};
}

/// As NumPy interpolates: from the nearer end, so that both ends are exact; and, as it does not,
/// towards infinity, and between equal ones.
inline double interpolated(double a, double b, double t) {
  if (a == b) return a;
  const double difference = b - a;
  if (!std::isfinite(difference)) return a * (1 - t) + b * t;
  return t >= 0.5 ? b - difference * (1 - t) : a + difference * t;
}

/// Returns where number `i` of what is sought lies among `size` elements.
inline place_in_order place_of(const line::quantiles_sought& sought, std::size_t i, index_t size) {
  if (sought.is_median) return {(size - 1) / 2, size % 2 == 0 ? 0.5 : 0.0};
  return place_of(sought.q[i], sought.method, size);
}

/// Returns what is sought `fraction` of the way from `a` to `b`.
inline double interpolated(const line::quantiles_sought& sought, double a, double b,
                           double fraction) {
  if (sought.is_median) return a == b ? a : (a + b) / 2;
  return interpolated(a, b, fraction);
}

}  // namespace tessera::detail
