// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/random.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/core/error.hpp"

#include "unit/array/support.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;

constexpr index_t draws = 200'000;

/// Expects that the values are drawn from a continuous distribution: the test of Kolmogorov, which
/// one true distribution in ten thousand fails.
template <class T>
void expect_drawn_from(const ndarray<T, 1>& values, const std::function<double(double)>& below) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  double distance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double expected = below(sorted[i]);
    distance = std::max({distance, (static_cast<double>(i) + 1) / n - expected,
                         expected - static_cast<double>(i) / n});
  }
  EXPECT_LT(distance * std::sqrt(n), 2.23);
}

/// Expects that counts are drawn with the given probabilities: Pearson's test, four standard
/// deviations wide. Cells of few expected counts are taken together.
void expect_counts(const std::vector<double>& counts, const std::vector<double>& probabilities) {
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  double statistic = 0;
  double count = 0;
  double expected = 0;
  double remainder = 1;
  int cells = 0;
  const auto close_cell = [&] {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
    count = expected = 0;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count += counts[i];
    expected += total * probabilities[i];
    remainder -= probabilities[i];
    if (expected >= 20 && total * remainder >= 20) close_cell();
  }
  if (expected > 0) close_cell();
  ASSERT_GT(cells, 1);
  EXPECT_LT(statistic, cells + 4 * std::sqrt(2.0 * cells)) << "of " << cells << " cells";
}

template <class T>
std::vector<double> counted(const ndarray<T, 1>& values, std::size_t cells,
                            const std::function<std::size_t(T)>& cell_of) {
  std::vector<double> counts(cells);
  for (const T value : values) {
    const std::size_t cell = cell_of(value);
    EXPECT_LT(cell, cells);
    if (cell < cells) ++counts[cell];
  }
  return counts;
}

template <class T>
std::vector<double> counted_by_value(const ndarray<T, 1>& values, std::size_t cells) {
  return counted<T>(values, cells, [](T value) { return static_cast<std::size_t>(value); });
}

TEST(Random, IntegersAreEvenOverTheirRange) {
  const auto dice = random::integers(1, 7, {draws}, {.seed = 3}).compute();
  expect_counts(counted_by_value(dice, 7), {0, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6});
  const auto bytes = random::integers<std::uint8_t>(0, 256, {draws}, {.seed = 4}).compute();
  expect_counts(counted_by_value(bytes, 256), std::vector<double>(256, 1. / 256));
  const auto signs =
      random::integers<std::int8_t>(-128, 127, {draws}, {.endpoint = true}).compute();
  expect_counts(counted<std::int8_t>(
                    signs, 256, [](int value) { return static_cast<std::size_t>(value + 128); }),
                std::vector<double>(256, 1. / 256));
  const auto ones = random::integers<std::int16_t>(7, 8, {100}).compute();
  EXPECT_TRUE(std::all_of(ones.begin(), ones.end(), [](int value) { return value == 7; }));
}

// Of the words that a product of them maps to three numbers, one number would have twice as many.
TEST(Random, IntegersAreWithoutBiasWhereTheRangeDoesNotDivide) {
  const index_t narrow = index_t{3} << 30;
  const auto x = random::integers<std::uint32_t>(0, narrow, {draws}, {.seed = 1}).compute();
  expect_counts(counted<std::uint32_t>(x, 3, [](std::uint32_t v) { return v % 3; }),
                {1. / 3, 1. / 3, 1. / 3});
  const index_t low = std::numeric_limits<index_t>::min();
  const index_t high = index_t{1} << 62;
  const auto y = random::integers(low, high, {draws}, {.seed = 1}).compute();
  const auto above = [&](index_t v) {
    return static_cast<std::uint64_t>(v) - static_cast<std::uint64_t>(low);
  };
  expect_counts(counted<index_t>(y, 3, [&](index_t v) { return above(v) % 3; }),
                {1. / 3, 1. / 3, 1. / 3});
  EXPECT_TRUE(std::all_of(y.begin(), y.end(), [&](index_t v) { return v < high; }));
  const auto values =
      random::integers(low, std::numeric_limits<index_t>::max(), {draws}, {.endpoint = true})
          .compute();
  expect_counts(counted<index_t>(values, 256, [&](index_t v) { return above(v) >> 56; }),
                std::vector<double>(256, 1. / 256));
}

TEST(Random, BernoulliIsTrueAsOftenAsAsked) {
  for (const double p : {0.0, 0.01, 0.5, 0.99, 1.0}) {
    const auto x = random::bernoulli(p, {draws}, {.seed = 9}).compute();
    const auto num_true = static_cast<double>(std::count(x.begin(), x.end(), true));
    const double n = static_cast<double>(draws);
    EXPECT_NEAR(num_true, n * p, 4 * std::sqrt(n * p * (1 - p))) << p;
  }
}

TEST(Random, ExponentialAndLognormalHaveTheirDistributions) {
  const auto below = [](double x) { return -std::expm1(-x / 2.5); };
  expect_drawn_from(random::exponential({draws}, {.seed = 5, .scale = 2.5}).compute(), below);
  expect_drawn_from(random::exponential<float>({draws}, {.seed = 6, .scale = 2.5}).compute(),
                    below);
  expect_drawn_from(
      random::lognormal({draws}, {.seed = 7, .mean = -1, .stddev = 0.5}).compute(),
      [](double x) { return 0.5 * std::erfc(-(std::log(x) + 1) / (0.5 * std::sqrt(2.0))); });
}

TEST(Random, GammaHasItsDistribution) {
  expect_drawn_from(random::gamma(3, {draws}, {.seed = 8, .scale = 2}).compute(), [](double x) {
    const double t = x / 2;
    return 1 - std::exp(-t) * (1 + t + t * t / 2);
  });
  expect_drawn_from(random::gamma(0.5, {draws}, {.seed = 9}).compute(),
                    [](double x) { return std::erf(std::sqrt(x)); });
  expect_drawn_from(random::gamma(1, {draws}, {.seed = 10}).compute(),
                    [](double x) { return -std::expm1(-x); });
  EXPECT_EQ(random::gamma(0, {1}).compute()(0), 0);
}

TEST(Random, PoissonHasItsDistribution) {
  for (const double mean : {0.3, 4.0, 9.99, 10.0, 31.5, 400.0}) {
    const auto x = random::poisson(mean, {draws}, {.seed = 11}).compute();
    std::vector<double> probabilities(700);
    for (std::size_t k = 0; k < probabilities.size(); ++k) {
      const auto count = static_cast<double>(k);
      probabilities[k] = std::exp(count * std::log(mean) - mean - std::lgamma(count + 1));
    }
    expect_counts(counted_by_value(x, probabilities.size()), probabilities);
  }
  EXPECT_EQ(random::poisson(0, {1}).compute()(0), 0);
}

TEST(Random, BinomialHasItsDistribution) {
  struct trials {
    index_t n;
    double p;
  };
  for (const auto& [n, p] : {trials{1, 0.3}, trials{20, 0.25}, trials{20, 0.9}, trials{50, 0.4},
                             trials{400, 0.75}, trials{1000, 0.004}}) {
    const auto x = random::binomial(n, p, {draws}, {.seed = 12}).compute();
    const auto of = static_cast<double>(n);
    std::vector<double> probabilities(static_cast<std::size_t>(n) + 1);
    for (std::size_t k = 0; k < probabilities.size(); ++k) {
      const auto count = static_cast<double>(k);
      probabilities[k] =
          std::exp(std::lgamma(of + 1) - std::lgamma(count + 1) - std::lgamma(of - count + 1) +
                   count * std::log(p) + (of - count) * std::log1p(-p));
    }
    expect_counts(counted_by_value(x, probabilities.size()), probabilities);
  }
  EXPECT_EQ(random::binomial(7, 1, {1}).compute()(0), 7);
  EXPECT_EQ(random::binomial(7, 0, {1}).compute()(0), 0);
}

/// Expects the same values in any chunks, and of the elements that a view shows.
template <class Draw>
void expect_same_in_chunks(const Draw& draw) {
  const auto whole_array = draw(chunk_lengths(whole)).compute();
  EXPECT_EQ(draw(chunk_lengths{3, 2}).compute(), whole_array);
  EXPECT_EQ(draw(chunk_lengths{1, 5}).compute(), whole_array);
  const auto part = draw(chunk_lengths{4, 3})(slice(none, none, -2), slice(1, none, 3)).compute();
  EXPECT_EQ(part, whole_array(slice(none, none, -2), slice(1, none, 3)));
}

TEST(Random, ValuesDependOnSeedAndPositionAlone) {
  expect_same_in_chunks([](const chunk_lengths& chunks) {
    return random::integers<std::int32_t>(-9, index_t{1} << 31, {7, 11}, {.chunks = chunks});
  });
  expect_same_in_chunks([](const chunk_lengths& chunks) {
    return random::integers(-5, index_t{3} << 60, {7, 11}, {.chunks = chunks});
  });
  expect_same_in_chunks([](const chunk_lengths& chunks) {
    return random::bernoulli(0.4, {7, 11}, {.chunks = chunks});
  });
  expect_same_in_chunks([](const chunk_lengths& chunks) {
    return random::exponential<float>({7, 11}, {.chunks = chunks});
  });
  expect_same_in_chunks([](const chunk_lengths& chunks) {
    return random::poisson(20, {7, 11}, {.chunks = chunks});
  });
  expect_same_in_chunks([](const chunk_lengths& chunks) {
    return random::binomial(100, 0.3, {7, 11}, {.chunks = chunks});
  });
  expect_same_in_chunks([](const chunk_lengths& chunks) {
    return random::gamma(0.7, {7, 11}, {.chunks = chunks});
  });
  EXPECT_NE(random::poisson(20, {50}, {.seed = 1}).compute(),
            random::poisson(20, {50}, {.seed = 2}).compute());
  EXPECT_EQ(random::poisson(20, {0}).compute().size(), 0);
}

TEST(Random, RefusesWhatIsNoDistribution) {
  expect_error<value_error>([] { static_cast<void>(random::integers(3, 3, {2})); },
                            {"integers", "from 3 up to 3", "left out"});
  expect_error<value_error>([] { static_cast<void>(random::integers<std::int8_t>(0, 129, {2})); },
                            {"integers", "from 0 to 128", "from -128 to 127"});
  expect_error<value_error>([] { static_cast<void>(random::bernoulli(1.5, {2})); },
                            {"bernoulli", "1.5", "[0, 1]"});
  expect_error<value_error>([] { static_cast<void>(random::exponential({2}, {.scale = -1})); },
                            {"exponential", "scale = -1"});
  expect_error<value_error>([] { static_cast<void>(random::poisson(-1, {2})); },
                            {"poisson", "mean = -1"});
  expect_error<value_error>([] { static_cast<void>(random::binomial(3, 1.5, {2})); },
                            {"binomial", "n, p = 3", "1.5"});
  expect_error<value_error>([] { static_cast<void>(random::gamma(-1, {2})); },
                            {"gamma", "shape, scale = -1"});
}

}  // namespace
}  // namespace tessera
