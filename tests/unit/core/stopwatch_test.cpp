// SPDX-License-Identifier: Apache-2.0
#include "core/api/stopwatch.hpp"

#include <chrono>
#include <gtest/gtest.h>

namespace ts = tessera;

namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

/// Compares a stopwatch with the steady clock over at least `span`.
void compare_with_the_steady_clock(std::chrono::nanoseconds span) {
  const auto before = steady::now();
  const ts::stopwatch watch;
  const auto begin = steady::now();
  while (steady::now() - begin < span) {
  }
  const auto end = steady::now();
  const std::chrono::duration<double> measured = watch.elapsed();
  const std::chrono::duration<double> least = end - begin;
  const std::chrono::duration<double> most = steady::now() - before;
  // The rate of ticks is known to a part in 1,000.
  EXPECT_GE(measured.count(), 0.999 * least.count());
  EXPECT_LE(measured.count(), 1.001 * most.count());
}

TEST(Stopwatch, MeasuresAsTheSteadyClockDoes) {
  // The first ones read the steady clock itself.
  for (int i = 0; i < 40; ++i) compare_with_the_steady_clock(1ms);
  compare_with_the_steady_clock(20ms);
}

TEST(Stopwatch, NeverMeasuresLessThanNothing) {
  for (int i = 0; i < 100'000; ++i) {
    const ts::stopwatch watch;
    ASSERT_GE(watch.elapsed(), 0ns);
  }
}

}  // namespace
