// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/random_time.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace tessera {

namespace {

/// Returns a draw from the standard normal distribution by the Box-Muller transform.
double standard_normal(double first, double second) {
  return std::sqrt(-2 * std::log1p(-first)) * std::cos(2 * std::numbers::pi * second);
}

}  // namespace

random_time::random_time(family kind, double first, double second)
    : family_(kind), first_(first), second_(second) {
  for (const double parameter : {first, second}) {
    if (std::isfinite(parameter) && parameter >= 0) continue;
    throw value_error(fmt::format(
        "random_time: a parameter is {}, which must be a finite number and not negative",
        parameter));
  }
}

random_time random_time::uniform(nanoseconds low, nanoseconds high) {
  if (high < low) {
    throw value_error(fmt::format(
        "random_time::uniform: the times end at {} ns, which must not be before their begin, {} ns",
        high.count(), low.count()));
  }
  return {family::uniform, low.count(), high.count()};
}

random_time random_time::normal(nanoseconds mean, nanoseconds stddev) {
  return {family::normal, mean.count(), stddev.count()};
}

random_time random_time::lognormal(nanoseconds median, double sigma) {
  return {family::lognormal, median.count(), sigma};
}

random_time random_time::exponential(nanoseconds mean) {
  return {family::exponential, mean.count(), 0};
}

random_time::nanoseconds random_time::mean() const {
  switch (family_) {
    case family::uniform:
      return nanoseconds{(first_ + second_) / 2};
    case family::normal: {
      // The mean of max(0, x): negative draws are zero.
      if (second_ == 0) break;
      const double z = first_ / second_;
      const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
      const double density = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
      return nanoseconds{first_ * below + second_ * density};
    }
    case family::lognormal:
      return nanoseconds{first_ * std::exp(second_ * second_ / 2)};
    case family::exponential:
    case family::constant:
      break;
  }
  return nanoseconds{first_};
}

random_time::nanoseconds random_time::draw(double first, double second) const {
  switch (family_) {
    case family::uniform:
      return nanoseconds{first_ + (second_ - first_) * first};
    case family::normal:
      return nanoseconds{std::max(0.0, first_ + second_ * standard_normal(first, second))};
    case family::lognormal:
      return nanoseconds{first_ * std::exp(second_ * standard_normal(first, second))};
    case family::exponential:
      return nanoseconds{-first_ * std::log1p(-first)};
    case family::constant:
      break;
  }
  return nanoseconds{first_};
}

}  // namespace tessera
