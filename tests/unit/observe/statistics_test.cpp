// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/statistics.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace tessera {
namespace {

TEST(Medians, AreThoseOfSortedTimes) {
  EXPECT_EQ(median_of({3, 1, 2}).median, 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(median_of({7}).median, 7);
  EXPECT_THROW((void)median_of({}), value_error);
}

// The ranks of 95 % intervals of medians: Hoefler and Belli; W. J. Conover, "Practical
// Nonparametric Statistics", table A3 of the binomial distribution.
TEST(Medians, HaveIntervalsOfTheBinomialDistribution) {
  std::vector<double> times;
  for (int i = 1; i <= 17; ++i) times.push_back(i);
  const median_interval of_17 = median_of(times);
  EXPECT_EQ(of_17.low, 5);
  EXPECT_EQ(of_17.high, 13);
  EXPECT_NEAR(of_17.coverage, 0.951, 0.0005);
  times.resize(10);
  const median_interval of_10 = median_of(times);
  EXPECT_EQ(of_10.low, 2);
  EXPECT_EQ(of_10.high, 9);
  EXPECT_NEAR(of_10.coverage, 0.9785, 0.0001);
  times.resize(6);
  EXPECT_NEAR(median_of(times).coverage, 1 - 2 / 64.0, 1e-12);
  times.resize(5);
  EXPECT_EQ(median_of(times).low, 1);
  EXPECT_EQ(median_of(times).high, 5);
  EXPECT_NEAR(median_of(times).coverage, 1 - 2 / 32.0, 1e-12);
}

// The median of the log-normal distribution is exp(mu).
TEST(Medians, HaveIntervalsThatHoldTheTrueMedianAsOftenAsTheySay) {
  int num_covered = 0;
  constexpr int num_seeds = 2000;
  for (int seed = 0; seed < num_seeds; ++seed) {
    std::mt19937_64 draw(static_cast<std::uint64_t>(seed));
    std::lognormal_distribution<double> time(1.0, 0.5);
    std::vector<double> times;
    for (int i = 0; i < 17; ++i) times.push_back(time(draw));
    const median_interval interval = median_of(times);
    num_covered += interval.low <= std::exp(1.0) && std::exp(1.0) <= interval.high ? 1 : 0;
  }
  EXPECT_GE(num_covered, num_seeds * 93 / 100);
  EXPECT_LE(num_covered, num_seeds * 97 / 100);
}

struct law {
  std::string name;
  std::vector<double> parameters;
  double (*seconds)(double workers, const std::vector<double>& parameters);
  std::optional<scaling_fit> (*fit)(const std::vector<scaling_point>& points);
};

const std::vector<law>& laws() {
  static const std::vector<law> known{
      {"Amdahl",
       {120, 0.04},
       [](double n, const std::vector<double>& p) { return p[0] * (p[1] + (1 - p[1]) / n); },
       &fit_amdahl},
      {"Gustafson",
       {30, 0.15},
       [](double n, const std::vector<double>& p) { return p[0] * n / (n - p[1] * (n - 1)); },
       &fit_gustafson},
      {"universal scalability",
       {200, 0.03, 0.0004},
       [](double n, const std::vector<double>& p) {
         return p[0] / n * (1 + p[1] * (n - 1) + p[2] * n * (n - 1));
       },
       &fit_usl}};
  return known;
}

TEST(Fits, FindTheParametersOfExactTimes) {
  for (const law& exact : laws()) {
    std::vector<scaling_point> points;
    for (const double n : {1, 2, 4, 8, 16, 32, 64}) {
      points.push_back({n, exact.seconds(n, exact.parameters)});
    }
    const auto fit = exact.fit(points);
    ASSERT_TRUE(fit.has_value());
    EXPECT_EQ(fit->law, exact.name);
    EXPECT_EQ(fit->greatest_workers, 64);
    EXPECT_LT(fit->residual, 1e-9);
    for (std::size_t i = 0; i < exact.parameters.size(); ++i) {
      EXPECT_NEAR(fit->parameters[i].value, exact.parameters[i], 1e-6 * exact.parameters[i])
          << exact.name;
    }
    EXPECT_NEAR(fit->seconds(128), exact.seconds(128, exact.parameters), 1e-4);
  }
}

// Of normal errors, 95.4 % lie within two standard errors.
TEST(Fits, FindParametersWithinTwoErrorsInNinetyFiveOfAHundredSeeds) {
  for (const law& exact : laws()) {
    std::vector<int> num_near(exact.parameters.size());
    constexpr int num_seeds = 1000;
    for (int seed = 0; seed < num_seeds; ++seed) {
      std::mt19937_64 draw(static_cast<std::uint64_t>(seed));
      std::normal_distribution<double> noise(1, 0.05);
      std::vector<scaling_point> points;
      for (const double n : {1, 2, 4, 8, 16, 32, 64}) {
        for (int i = 0; i < 5; ++i) {
          points.push_back({n, exact.seconds(n, exact.parameters) * noise(draw)});
        }
      }
      const auto fit = exact.fit(points);
      ASSERT_TRUE(fit.has_value());
      for (std::size_t i = 0; i < num_near.size(); ++i) {
        const fitted_parameter& parameter = fit->parameters[i];
        num_near[i] += std::fabs(parameter.value - exact.parameters[i]) <= 2 * parameter.error;
      }
    }
    for (const int count : num_near) EXPECT_GE(count, num_seeds * 94 / 100) << exact.name;
  }
}

double serial_part(const std::optional<scaling_fit>& fit) { return fit->parameters.at(1).value; }

// Caches make some runs faster than their workers, and some get slower by workers: the nearest law
// is that of no serial part, or of nothing else.
TEST(Fits, HaveSerialPartsBetweenNothingAndAll) {
  const std::vector<scaling_point> faster{{1, 10}, {2, 4.5}, {4, 2}};
  EXPECT_EQ(serial_part(fit_amdahl(faster)), 0);
  // With T = c / n and weights 1 / T^2 of fitted times, c is the mean of n T: 10, 9 and 8.
  EXPECT_NEAR(fit_amdahl(faster)->parameters.at(0).value, 9, 1e-9);
  const std::vector<scaling_point> slower{{1, 10}, {2, 11}, {4, 12}};
  EXPECT_EQ(serial_part(fit_amdahl(slower)), 1);
  EXPECT_NEAR(fit_amdahl(slower)->seconds(1), fit_amdahl(slower)->seconds(4), 1e-12);
  EXPECT_EQ(serial_part(fit_gustafson({{1, 10}, {2, 9}, {4, 8}})), 0);
  EXPECT_EQ(serial_part(fit_gustafson({{1, 10}, {2, 22}, {4, 50}})), 1);
}

TEST(Fits, HaveNoNegativeContention) {
  std::vector<scaling_point> points;
  for (const double n : {1, 2, 4, 8, 16, 32})
    points.push_back({n, 100 / n * (1 - 0.003 * (n - 1))});
  const auto fit = fit_usl(points);
  ASSERT_TRUE(fit.has_value());
  for (const fitted_parameter& parameter : fit->parameters) EXPECT_GE(parameter.value, 0);
}

TEST(Fits, NeedEnoughNumbersOfWorkers) {
  const std::vector<scaling_point> points{{1, 3}, {1, 3.1}, {1, 2.9}};
  EXPECT_FALSE(fit_amdahl(points).has_value());
  EXPECT_FALSE(fit_gustafson(points).has_value());
  std::vector<scaling_point> five;
  for (const double n : {1, 2, 3, 4, 5}) five.push_back({n, 1 / n});
  EXPECT_TRUE(fit_amdahl(five).has_value());
  EXPECT_FALSE(fit_usl(five).has_value());
  EXPECT_THROW((void)fit_amdahl({{1, 0}, {2, 1}}), value_error);
}

}  // namespace
}  // namespace tessera
