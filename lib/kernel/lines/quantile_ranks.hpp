// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The ranks of quantiles among sorted elements.

#include "tessera/core/index.hpp"
#include "tessera/kernel/line_kernel.hpp"

#include <cmath>
#include <cstddef>

namespace tessera::detail {

/// The rank of a quantile: `index`, plus a `fraction` of the way to the next element.
struct rank_in_line {
  index_t index = 0;
  double fraction = 0;
};

/// Returns the rank at `virtual_index` among `size` elements.
inline rank_in_line between(double virtual_index, index_t size) {
  if (!(virtual_index > 0)) return {};
  const double last = static_cast<double>(size - 1);
  if (virtual_index >= last) return {size - 1, 0};
  const double floor = std::floor(virtual_index);
  return {static_cast<index_t>(floor), virtual_index - floor};
}

inline rank_in_line at(double index, index_t size) { return between(std::floor(index), size); }

/// Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996: by two constants.
inline rank_in_line by_constants(double q, index_t size, double alpha, double beta) {
  const auto n = static_cast<double>(size);
  return between(n * q + (alpha + q * (1 - alpha - beta)) - 1, size);
}

/// Returns the rank above `index`, or at `index` if it is whole and `is_exact`.
template <class Condition>
rank_in_line step(double index, index_t size, Condition is_exact) {
  const double floor = std::floor(index);
  return at(is_exact(index - floor == 0, floor) ? floor : floor + 1, size);
}

inline rank_in_line rank_of(double q, quantile_method method, index_t size) {
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

/// As NumPy interpolates: from the nearer end, so that both ends are exact. Unlike NumPy also
/// towards infinity, and between equal infinities.
inline double interpolated(double a, double b, double t) {
  if (a == b) return a;
  const double difference = b - a;
  if (!std::isfinite(difference)) return a * (1 - t) + b * t;
  return t >= 0.5 ? b - difference * (1 - t) : a + difference * t;
}

/// Returns the rank of quantile `i` among `size` elements.
inline rank_in_line rank_of(const line::quantile_query& query, std::size_t i, index_t size) {
  if (query.is_median) return {(size - 1) / 2, size % 2 == 0 ? 0.5 : 0.0};
  return rank_of(query.q[i], query.method, size);
}

/// Returns the quantile a `fraction` of the way from `a` to `b`.
inline double interpolated(const line::quantile_query& query, double a, double b, double fraction) {
  if (query.is_median) return a == b ? a : (a + b) / 2;
  return interpolated(a, b, fraction);
}

}  // namespace tessera::detail
