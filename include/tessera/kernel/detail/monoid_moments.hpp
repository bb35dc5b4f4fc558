// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The monoid of moments: a mean and a sum of squared distances from it, in float64.
///
/// Variances of folds, groups and windows are of these moments, which merge by the formula of Chan,
/// Golub and LeVeque (`moments_merge`).

#include "tessera/kernel/detail/branchless.hpp"

#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

namespace tessera::detail {

/// The mean of some elements and the sum of squares of their distances from it.
///
/// The mean is the sum of its `origin`, which is one of the elements, and an `offset`. A mean of
/// float64 alone is off by half its last digit, which may exceed the distances between elements.
/// The offset is at most the greatest distance, so its error is small against the sum of squares.
struct moments {
  double origin = 0;
  double offset = 0;
  double squares = 0;

  [[nodiscard]] double mean() const { return origin + offset; }
  [[nodiscard]] double distance_to(double x) const { return (x - origin) - offset; }
  [[nodiscard]] bool is_finite() const { return std::fabs(mean()) <= greatest; }

  /// The greatest number.
  static constexpr double greatest = std::numeric_limits<double>::max();
};

/// The moments of finite elements of which a distance overflows: the sum of squares is infinite,
/// and any finite mean will do.
inline moments overflown_moments(double origin) {
  return {origin, 0, std::numeric_limits<double>::infinity()};
}

/// The moments of elements of which one is not finite.
inline constexpr moments undefined_moments{std::numeric_limits<double>::quiet_NaN(), 0, 0};

/// The merge of the moments of `n` and of `m` elements: with `d` the difference of their means,
/// `mean = mean_n + d m / (n + m)` and `squares = squares_n + squares_m + d^2 n m / (n + m)`.
struct moments_merge {
  double weight;      // m / (n + m)
  double cross_term;  // n m / (n + m)
  bool is_first;      // n = 0

  moments_merge(double n, double m)
      : weight(m / one_of(n + m == 0, 1.0, n + m)), cross_term(n * weight), is_first(n == 0) {}

  /// The mean of no elements is taken to be the other.
  [[nodiscard]] moments operator()(const moments& a, const moments& b) const {
    const double origin = one_of(is_first, b.origin, a.origin);
    const double offset = one_of(is_first, b.offset, a.offset);
    const double difference = (b.origin - origin) + (b.offset - offset);
    const moments sum{origin, offset + difference * weight,
                      a.squares + b.squares + difference * difference * cross_term};
    const bool is_defined = and_without_branch(a.is_finite(), b.is_finite());
    const bool has_overflown = and_without_branch(is_defined, !sum.is_finite());
    return {one_of(is_defined, sum.origin, undefined_moments.origin),
            one_of(has_overflown, 0.0, sum.offset),
            one_of(has_overflown, std::numeric_limits<double>::infinity(), sum.squares)};
  }
};

/// The moments of `m` more elements `x` beside those of `n`, by the sums of the distances
/// `x - mean` and of their squares.
///
/// With `s` and `q` these sums, `mean = mean_n + s / (n + m)` and
/// `squares = squares_n + q - s^2 / (n + m)`. The difference is at least `q n / (n + m)`, so that
/// no more digits cancel than `n` is smaller than `n + m`.
struct moments_addition {
  double weight;  // 1 / (n + m)

  moments_addition(double n, double m) : weight(1 / (n + m)) {}

  [[nodiscard]] moments operator()(const moments& a, double sum, double sum_of_squares) const {
    const double step = sum * weight;
    return {a.origin, a.offset + step, a.squares + (sum_of_squares - sum * step)};
  }
  /// The same of one element.
  [[nodiscard]] moments operator()(const moments& a, double element) const {
    const double distance = a.distance_to(element);
    return (*this)(a, distance, distance * distance);
  }
};

/// Returns the sum of squares of distances from the mean. NaN if the mean is not finite: nothing
/// has a distance from it. Infinity if the mean is finite and the squares overflow: their
/// difference is then NaN, or -infinity if a product is not rounded before it is subtracted.
inline double squares_around_mean(const moments& total) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double mean = total.mean();
  return (total.squares > -infinity ? total.squares : infinity) + (mean - mean);
}

/// The moments of elements of `T` as a monoid, whose states do not count their elements.
template <class T>
struct moments_of {
  using state = std::tuple<double, double, double>;
  static constexpr state identity{0.0, 0.0, 0.0};

  static auto take_into(double n) {
    return [add = moments_addition(n, 1), is_first = n == 0](const state& s, T x) -> state {
      const auto element = static_cast<double>(x);
      const auto& [origin, offset, squares] = s;
      const moments before{one_of(is_first, element, origin), offset, squares};
      const moments after = add(before, element);
      // Distances of narrower types do not overflow.
      if constexpr (!std::is_same_v<T, double>) return {after.origin, after.offset, after.squares};
      const bool is_defined =
          and_without_branch(before.is_finite(), std::fabs(element) <= moments::greatest);
      const bool has_overflown = and_without_branch(is_defined, !after.is_finite());
      return {after.origin, one_of(has_overflown, 0.0, after.offset),
              one_of(has_overflown, std::numeric_limits<double>::infinity(), after.squares)};
    };
  }
  static auto merge_of(double n, double m) {
    return [merge = moments_merge(n, m)](const state& a, const state& b) -> state {
      const moments sum = merge(moments_in(a), moments_in(b));
      return {sum.origin, sum.offset, sum.squares};
    };
  }
  static moments moments_in(const state& s) {
    return {std::get<0>(s), std::get<1>(s), std::get<2>(s)};
  }
};

}  // namespace tessera::detail
