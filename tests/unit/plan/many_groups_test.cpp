// SPDX-License-Identifier: Apache-2.0

/// \file
/// Groups with states larger than a task: climatologies of days.

#include "tessera/tessera.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>

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

}  // namespace
