// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/random_time.hpp"

#include "tessera/core/error.hpp"

#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <utility>

namespace tessera {
namespace {

using namespace std::chrono_literals;

/// Returns the mean and the standard deviation over a grid of draws, in nanoseconds.
std::pair<double, double> moments(const random_time& time) {
  constexpr int steps = 1000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < steps; ++i) {
    for (int j = 0; j < steps; ++j) {
      const double value = time.draw((i + 0.5) / steps, (j + 0.5) / steps).count();
      sum += value;
      squares += value * value;
    }
  }
  const double mean = sum / (steps * steps);
  return {mean, std::sqrt(squares / (steps * steps) - mean * mean)};
}

TEST(RandomTime, IsZeroUnlessItIsSet) { EXPECT_EQ(random_time().draw(0.5, 0.5).count(), 0); }

TEST(RandomTime, OfADurationIsAlwaysThat) {
  const random_time time = 3ms;
  EXPECT_EQ(time.draw(0, 0), 3ms);
  EXPECT_EQ(time.draw(0.999, 0.5), 3ms);
}

TEST(RandomTime, UniformHasItsMeanAndDeviation) {
  const auto [mean, deviation] = moments(random_time::uniform(10ns, 22ns));
  EXPECT_NEAR(mean, 16, 0.01);
  EXPECT_NEAR(deviation, 12 / std::sqrt(12), 0.01);
  EXPECT_EQ(random_time::uniform(10ns, 22ns).draw(0, 0), 10ns);
}

TEST(RandomTime, NormalHasItsMeanAndDeviation) {
  const auto [mean, deviation] = moments(random_time::normal(100ns, 10ns));
  EXPECT_NEAR(mean, 100, 0.1);
  EXPECT_NEAR(deviation, 10, 0.1);
}

TEST(RandomTime, NormalIsNeverNegative) {
  EXPECT_EQ(random_time::normal(1ns, 100ns).draw(0.9, 0.5).count(), 0);
}

TEST(RandomTime, LognormalHasItsMedianAndItsMean) {
  const random_time time = random_time::lognormal(100ns, 0.3);
  // The cosine of a quarter turn: a standard normal of zero.
  EXPECT_NEAR(time.draw(0.5, 0.25).count(), 100, 1e-9);
  const double variance = std::exp(0.3 * 0.3) - 1;
  const auto [mean, deviation] = moments(time);
  EXPECT_NEAR(mean, 100 * std::exp(0.045), 0.1);
  EXPECT_NEAR(deviation, 100 * std::exp(0.045) * std::sqrt(variance), 0.2);
}

TEST(RandomTime, ExponentialHasItsMeanAndItsMedian) {
  const auto [mean, deviation] = moments(random_time::exponential(100ns));
  EXPECT_NEAR(mean, 100, 0.1);
  EXPECT_NEAR(deviation, 100, 1);
  EXPECT_NEAR(random_time::exponential(100ns).draw(0.5, 0).count(), 100 * std::log(2), 1e-9);
}

TEST(RandomTime, SaysTheMeanOfItsDraws) {
  for (const random_time& time :
       {random_time(100ns), random_time::uniform(10ns, 22ns), random_time::normal(100ns, 10ns),
        random_time::normal(10ns, 100ns), random_time::normal(100ns, 0ns),
        random_time::lognormal(100ns, 0.3), random_time::exponential(100ns)}) {
    EXPECT_NEAR(time.mean().count(), moments(time).first, 1e-3 * time.mean().count());
  }
}

TEST(RandomTime, RefusesParametersThatAreNoTimes) {
  EXPECT_THROW(random_time(-1ns), value_error);
  EXPECT_THROW((void)random_time::uniform(2ns, 1ns), value_error);
  EXPECT_THROW((void)random_time::lognormal(1ns, -0.1), value_error);
  EXPECT_THROW((void)random_time::exponential(random_time::nanoseconds{INFINITY}), value_error);
}

}  // namespace
}  // namespace tessera
