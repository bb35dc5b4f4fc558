// SPDX-License-Identifier: Apache-2.0

/// \file
/// Groups with states larger than a task: climatologies of days.

#include "tessera/tessera.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::axis;
using ts::index_t;

// States of 365 maps have 1.1 GB, and the means 379 MB.
TEST(ManyGroups, OfMapsArePlannedInLittleMemory) {
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::zarr_array::create(
      store, "t",
      {.shape = {14600, 361, 720}, .chunks = {1, 361, 720}, .dtype = ts::dtype::float32});
  const ts::spec limits{.allowed_memory = 100_MB};
  const auto t = ts::open<float, 3>(store, "t", limits);
  const auto day = ts::arange<std::int64_t>(14600, {.spec = limits}) % std::int64_t{365};
  const auto means = ts::groupby_reduce(t, day, ts::op::mean{}, 365, axis<0>);
  const ts::plan plan(ts::stored(means, store, "means"));
  EXPECT_LE(plan.projected_memory(), 100_MB);
  EXPECT_LT(plan.bytes_read(), ts::bytes{3 * std::uint64_t{14600} * 361 * 720 * 4});
}

// Day d has the value d everywhere. The mean of days g, g + 50 and g + 100 is g + 50.
TEST(ManyGroups, HaveTheirMeans) {
  constexpr index_t num_groups = 50;
  const auto store = std::make_shared<ts::memory_store>();
  const ts::spec limits{.allowed_memory = 50_MB};
  const auto days = ts::arange<std::int64_t>(150, {.chunks = {1}, .spec = limits});
  const auto maps = ts::zeros<float>({150, 300, 300}, {.chunks = {1, 300, 300}, .spec = limits}) +
                    ts::expand_dims(ts::astype<float>(days), axis<1, 2>);
  ts::store(maps, store, "t");
  const auto t = ts::open<float, 3>(store, "t", limits);
  const auto means =
      ts::groupby_reduce(t, days % std::int64_t{num_groups}, ts::op::mean{}, num_groups, axis<0>);
  EXPECT_EQ(means.chunks(), (std::array<index_t, 3>{25, 300, 300}));
  const ts::plan plan(ts::stored(means, store, "means"));
  EXPECT_LE(plan.projected_memory(), 50_MB);
  static_cast<void>(plan.compute());
  const auto values = ts::open<float, 3>(store, "means").compute();
  for (index_t g = 0; g < num_groups; ++g) {
    for (const index_t column : {0, 299})
      EXPECT_EQ(values(g, 299, column), static_cast<float>(g + 50));
  }
}

/// Returns the days `t` without the means of their groups: day d is in group d % `num_groups`.
auto anomalies(const ts::array<double, 3>& t, const ts::spec& limits, index_t num_groups) {
  const index_t num_days = t.shape()[0];
  std::vector<index_t> groups;
  for (index_t day = 0; day < num_days; ++day) groups.push_back(day % num_groups);
  const auto day = ts::arange<std::int64_t>(num_days, {.spec = limits});
  const auto means = ts::groupby_reduce(t, day % num_groups, ts::op::mean{}, num_groups, axis<0>);
  return t - ts::take(means, groups, axis<0>);
}

// The means lie in storage: 759 MB, in columns of a task that computes them. Each day would read
// all of them, 11 TB. The days, copied and read twice, are 91 GB.
TEST(ManyGroups, AreReadByMapsInTheirOwnChunks) {
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::zarr_array::create(
      store, "t",
      {.shape = {14600, 361, 720}, .chunks = {1, 361, 720}, .dtype = ts::dtype::float64});
  const ts::spec limits{.allowed_memory = 200_MB, .costs = {.workers = 2}};
  const auto t = ts::open<double, 3>(store, "t", limits);
  const ts::plan plan(ts::stored(anomalies(t, limits, 365), store, "anomalies"));
  EXPECT_LE(plan.projected_memory(), 200_MB);
  EXPECT_LT(plan.bytes_read(), 200_GB);
  EXPECT_NE(plan.explain().to_string().find("an array in chunks for a gather"), std::string::npos);
}

// 60 means of 43 MB in storage, of which a task computes a part. Each of 120 days would read all.
// Days g and g + 60 have the mean g + 30.
TEST(ManyGroups, HaveTheAnomaliesOfTheirMeans) {
  const auto store = std::make_shared<ts::memory_store>();
  const ts::spec limits{.allowed_memory = 60_MB,
                        .costs = {.read_bandwidth = ts::bytes{1'000'000}, .workers = 2}};
  const auto days = ts::arange<double>(120, {.chunks = {1}, .spec = limits});
  const auto maps = ts::zeros<double>({120, 300, 300}, {.chunks = {1, 300, 300}, .spec = limits}) +
                    ts::expand_dims(days, axis<1, 2>);
  ts::store(maps, store, "t");
  const auto t = ts::open<double, 3>(store, "t", limits);
  const ts::pass_switches in_storage{.memory_tier = false};
  const ts::plan plan(in_storage, ts::stored(anomalies(t, limits, 60), store, "anomalies",
                                             {.chunks = {1, 300, 300}}));
  EXPECT_LE(plan.projected_memory(), 60_MB);
  EXPECT_LT(plan.bytes_read(), 1_GB);
  static_cast<void>(plan.compute());
  const auto values = ts::open<double, 3>(store, "anomalies").compute();
  for (index_t day = 0; day < 120; ++day) {
    EXPECT_EQ(values(day, 0, 0), day < 60 ? -30 : 30);
    EXPECT_EQ(values(day, 299, 299), day < 60 ? -30 : 30);
  }
}

}  // namespace
