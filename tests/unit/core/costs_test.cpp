// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/costs.hpp"

#include "tessera/core/error.hpp"

#include "unit/core/message_of.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using namespace literals;

TEST(Costs, AreBytesAndWaitsForRequests) {
  const costs figures{
      .read_bandwidth = 100_MB, .write_bandwidth = 50_MB, .latency = 20ms, .requests_in_flight = 4};
  EXPECT_DOUBLE_EQ(figures.to_read(300e6, 10).count(), 3 + 10 * 0.02 / 4);
  EXPECT_DOUBLE_EQ(figures.to_write(300e6, 10).count(), 6 + 10 * 0.02 / 4);
}

TEST(Costs, TakeMembersThatAreNotSetFromAFallback) {
  const costs figures{.read_bandwidth = 300_MB, .task = 1ms};
  const costs merged = figures.or_else(
      {.read_bandwidth = 100_MB, .latency = 20ms, .total_bandwidth = 1_GB, .workers = 7});
  EXPECT_EQ(merged, (costs{.read_bandwidth = 300_MB,
                           .latency = 20ms,
                           .total_bandwidth = 1_GB,
                           .task = 1ms,
                           .workers = 7}));
  EXPECT_EQ(costs{}.or_else(costs::object_store()), costs::object_store());
}

TEST(Costs, SayAllFiguresInALine) {
  EXPECT_EQ(format(costs{}),
            "reads 1.0 GB/s, writes 1.0 GB/s, latency 100 us, 1 in flight, in all no limit, memory "
            "8.0 GB/s, a step 0.25 ns, a task 2 us, the executor's workers");
  EXPECT_EQ(format(costs{.read_bandwidth = 300_MB,
                         .write_bandwidth = 200_MB,
                         .latency = 2s,
                         .requests_in_flight = 8,
                         .total_bandwidth = 10_GB,
                         .memory_bandwidth = 1_GB,
                         .element_step = 1ms,
                         .task = 0s,
                         .workers = 3}),
            "reads 300 MB/s, writes 200 MB/s, latency 2 s, 8 in flight, in all 10.0 GB/s, memory "
            "1.0 GB/s, a step 1 ms, a task 0 ns, 3 workers");
}

TEST(Costs, AreRefusedWhereNothingCouldBeReckonedWithThem) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<costs, std::string>> refusals{
      {{.read_bandwidth = 0_B}, "costs: read_bandwidth must be at least 1 B in a second"},
      {{.write_bandwidth = 0_B}, "costs: write_bandwidth must be at least 1 B in a second"},
      {{.total_bandwidth = 0_B}, "costs: total_bandwidth must be at least 1 B in a second"},
      {{.memory_bandwidth = 0_B}, "costs: memory_bandwidth must be at least 1 B in a second"},
      {{.requests_in_flight = 0}, "costs: requests_in_flight must be at least 1"},
      {{.workers = 0}, "costs: workers must be at least 1"},
      {{.latency = -1ms}, "costs: latency must be a time that is not negative"},
      {{.element_step = costs::seconds{nan}},
       "costs: element_step must be a time that is not negative"},
      {{.task = -1s}, "costs: task must be a time that is not negative"}};
  for (const auto& [figures, message] : refusals) {
    const costs& refused = figures;
    EXPECT_EQ(testing::message_of<value_error>([&] { check_costs(refused); }), message);
  }
  EXPECT_NO_THROW(check_costs(costs::file_system()));
  EXPECT_NO_THROW(check_costs(costs::object_store()));
}

}  // namespace
}  // namespace tessera
