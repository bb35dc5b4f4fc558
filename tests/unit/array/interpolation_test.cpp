// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/interpolation.hpp"

#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/executor/executors.hpp"

#include "unit/array/support.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace tessera {
namespace {

TEST(Interpolation, IsOfPointsThatAscend) {
  const auto x = arange<double>(4);
  const std::vector<double> two_values{1, 2};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refuses = [&](const std::vector<double>& points, const std::vector<double>& values,
                           std::string_view why) {
    test::expect_error<value_error>([&] { (void)interp(x, points, values); }, {"interp: ", why});
  };
  refuses({2, 1}, two_values, "ascend");
  refuses({1, nan}, two_values, "ascend");
  refuses({nan}, {1}, "ascend");
  refuses({1, 2, 3}, two_values, "3 coordinates and 2 values");
  refuses({}, {}, "at least one");
}

TEST(Interpolation, TakesPointsInBraces) {
  const auto x = asarray({-1.0, 0.5, 2.5, 9.0}, {.chunks = {3}});
  test::expect_values(interp(x, {0, 1, 4}, {0, 2, 5}).compute(), {4}, {0.0, 1.0, 3.5, 5.0});
}

TEST(Interpolation, IsTheSameInOtherProcesses) {
  const auto x = linspace<double>(-1, 5, 1001, {.chunks = {100}});
  const auto interpolated = interp(x, std::vector<double>{0, 1, 4}, std::vector<double>{0, 2, 5});
  const auto there = interpolated.compute(run_with{.executor = executors::processes(2)});
  for (index_t i = 0; i < 1001; ++i) {
    const double at = -1 + 6.0 * static_cast<double>(i) / 1000;
    const double expected = at <= 0 ? 0 : at <= 1 ? 2 * at : at <= 4 ? 1 + at : 5;
    EXPECT_NEAR(there(i), expected, 1e-12);
  }
}

}  // namespace
}  // namespace tessera
