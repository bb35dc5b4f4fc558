// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random values of distributions that are drawn until a value is accepted.
///
/// A sequential generator gives the elements of an array values that depend on the order in which
/// they are computed. Here each element has its own sequence of uniform values, from a counter:
///     attempt n of element i = philox(seed, i, 2^63 + n)
/// so that a rejected attempt of one element changes no other element, and blocks have the same
/// bits in any order. The bit 63 keeps the attempts apart from the counters of distributions that
/// need one attempt.
///
/// Poisson and binomial values with a mean below 10 come from the inverse of the distribution
/// function, summed term by term. Larger means use transformed rejection: a uniform pair under a
/// dominating curve, with a squeeze that accepts most pairs without logarithms.
/// Reference: Hoermann, "The transformed rejection method for generating Poisson random variables"
/// (1993, PTRS) and "The generation of binomial random variates" (1993, BTRS); Marsaglia and Tsang,
/// "A simple method for generating gamma variables" (2000).

#include "tessera/kernel/random_generators.hpp"

#include "kernel/box_muller.hpp"
#include "kernel/philox.hpp"
#include "kernel/random_kernel.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace tessera {
namespace {

using detail::block_range;
using detail::known_distribution;
using detail::throw_refused;

/// Uniform values of one element, two for each attempt.
class draws {
 public:
  struct pair {
    double u;
    double v;
  };

  draws(std::uint64_t seed, std::uint64_t element) : seed_(seed), element_(element) {}

  /// Returns two values in (0, 1).
  pair next() {
    constexpr std::uint64_t apart = std::uint64_t{1} << 63;
    const auto words = detail::philox_attempt(seed_, element_, apart + attempt_++);
    return {detail::unit_interval(words.v[0], words.v[1]) + 0x1p-54,
            detail::unit_interval(words.v[2], words.v[3]) + 0x1p-54};
  }

 private:
  std::uint64_t seed_;
  std::uint64_t element_;
  std::uint64_t attempt_ = 0;
};

/// Not std::lgamma, which writes a global variable.
double log_factorial(double k) {
  int sign = 0;
  return ::lgamma_r(k + 1, &sign);
}

/// Below this mean, the inverse is found step by step.
constexpr double least_mean = 10;

struct poisson_distribution {
  using value_type = std::int64_t;
  using parameter = double;
  static constexpr const char* label = "poisson";
  static constexpr std::size_t lanes = 1;

  std::uint64_t seed;
  double mean;

  static kernel_parameters parameters(std::uint64_t seed, double mean, double /*unused*/) {
    return generator::poisson_parameters(seed, mean);
  }

  [[nodiscard]] std::int64_t value(draws random) const {
    return mean < least_mean ? inverse(random.next().u) : transformed(random);
  }

 private:
  [[nodiscard]] std::int64_t inverse(double u) const {
    constexpr std::int64_t most = 200;  // far beyond the resolution of 53 bits
    double probability = std::exp(-mean);
    std::int64_t k = 0;
    for (; u > probability && k < most; ++k) {
      u -= probability;
      probability *= mean / static_cast<double>(k + 1);
    }
    return k;
  }

  [[nodiscard]] std::int64_t transformed(draws& random) const {
    const double b = 0.931 + 2.53 * std::sqrt(mean);
    const double a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    const double v_r = 0.9277 - 3.6224 / (b - 2);
    while (true) {
      const auto [unit, v] = random.next();
      const double u = unit - 0.5;
      const double us = 0.5 - std::fabs(u);
      const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
      if (us >= 0.07 && v <= v_r) return static_cast<std::int64_t>(k);
      if (k < 0 || (us < 0.013 && v > us)) continue;
      const double log_ratio = std::log(v * inverse_alpha / (a / (us * us) + b));
      if (log_ratio <= k * std::log(mean) - mean - log_factorial(k))
        return static_cast<std::int64_t>(k);
    }
  }
};

struct binomial_distribution {
  using value_type = std::int64_t;
  using parameter = double;
  static constexpr const char* label = "binomial";
  static constexpr std::size_t lanes = 1;

  std::uint64_t seed;
  double n;
  double p;

  static constexpr auto parameters = &generator::binomial_parameters;

  [[nodiscard]] std::int64_t value(draws random) const {
    const double least = p <= 0.5 ? p : 1 - p;
    const double k =
        n * least < least_mean ? inverse(random.next().u, least) : transformed(random, least);
    return static_cast<std::int64_t>(p <= 0.5 ? k : n - k);
  }

 private:
  [[nodiscard]] double inverse(double u, double q) const {
    constexpr double most = 200;
    double probability = std::exp(n * std::log1p(-q));
    double k = 0;
    for (; u > probability && k < n && k < most; ++k) {
      u -= probability;
      probability *= (n - k) / (k + 1) * (q / (1 - q));
    }
    return k;
  }

  [[nodiscard]] double transformed(draws& random, double q) const {
    const double deviation = std::sqrt(n * q * (1 - q));
    const double b = 1.15 + 2.53 * deviation;
    const double a = -0.0873 + 0.0248 * b + 0.01 * q;
    const double centre = n * q + 0.5;
    const double v_r = 0.92 - 4.2 / b;
    const double alpha = (2.83 + 5.1 / b) * deviation;
    const double mode = std::floor((n + 1) * q);
    const double at_mode = log_factorial(mode) + log_factorial(n - mode);
    const double log_odds = std::log(q / (1 - q));
    while (true) {
      const auto [unit, v] = random.next();
      const double u = unit - 0.5;
      const double us = 0.5 - std::fabs(u);
      const double k = std::floor((2 * a / us + b) * u + centre);
      if (k < 0 || k > n) continue;
      if (us >= 0.07 && v <= v_r) return k;
      const double log_ratio = std::log(v * alpha / (a / (us * us) + b));
      const double right =
          at_mode - log_factorial(k) - log_factorial(n - k) + (k - mode) * log_odds;
      if (log_ratio <= right) return k;
    }
  }
};

struct gamma_distribution {
  using value_type = double;
  using parameter = double;
  static constexpr const char* label = "gamma";
  static constexpr std::size_t lanes = 1;

  std::uint64_t seed;
  double shape;
  double scale;

  static constexpr auto parameters = &generator::gamma_parameters;

  [[nodiscard]] double value(draws random) const {
    if (shape == 0) return 0;
    // Below 1: that of shape + 1, times a power of a uniform value.
    const double factor = shape < 1 ? std::pow(random.next().u, 1 / shape) : 1;
    const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    while (true) {
      auto [x, turn] = random.next();
      const double u = random.next().u;
      detail::box_muller(x, turn);
      const double root = 1 + c * x;
      if (root <= 0) continue;
      const double v = root * root * root;
      if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return scale * factor * d * v;
    }
  }
};

template <class Distribution, class T>
void fill(const Distribution& d, const block_range& blocks, T* out) {
  for (std::size_t k = 0; k < blocks.count; ++k) {
    out[k] = d.value({d.seed, blocks.first + k * blocks.step});
  }
}

}  // namespace

namespace generator {

const generator_kernel& poisson() { return known_distribution<poisson_distribution>(); }

kernel_parameters poisson_parameters(std::uint64_t seed, double mean) {
  if (!(mean >= 0 && mean <= 1e18)) {
    throw_refused("poisson", "mean", mean, "it must be in [0, 1e18]");
  }
  return {poisson_distribution{seed, mean},
          detail::bytes_of(seed) + detail::bytes_of(mean) + detail::bytes_of(double{})};
}

const generator_kernel& binomial() { return known_distribution<binomial_distribution>(); }

kernel_parameters binomial_parameters(std::uint64_t seed, double n, double p) {
  if (!(n >= 0 && n <= 0x1p53 && p >= 0 && p <= 1)) {
    throw_refused("binomial", "n, p", n, p, "n must be in [0, 2^53], and p in [0, 1]");
  }
  return {binomial_distribution{seed, n, p},
          detail::bytes_of(seed) + detail::bytes_of(n) + detail::bytes_of(p)};
}

const generator_kernel& gamma() { return known_distribution<gamma_distribution>(); }

kernel_parameters gamma_parameters(std::uint64_t seed, double shape, double scale) {
  if (!(shape >= 0 && scale >= 0 && std::isfinite(shape) && std::isfinite(scale))) {
    throw_refused("gamma", "shape, scale", shape, scale, "both must be finite and not negative");
  }
  return {gamma_distribution{seed, shape, scale},
          detail::bytes_of(seed) + detail::bytes_of(shape) + detail::bytes_of(scale)};
}

}  // namespace generator
}  // namespace tessera
