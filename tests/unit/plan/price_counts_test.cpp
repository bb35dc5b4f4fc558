// SPDX-License-Identifier: Apache-2.0
/// \file
/// The number of prices of a plan grows no faster than the number of its operations.

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "plan/graph.hpp"
#include "unit/plan/long_programs.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;

using long_programs::matrices;
using long_programs::matrix;

class PriceCounts : public testing::TestWithParam<long_programs::program> {
 protected:
  /// Returns the operands that were priced for a plan of about `count` operations.
  static std::size_t priced(int count) {
    const ts::plan plan(GetParam().make(count));
    return plan.bounded().inside().graph->graph[boost::graph_bundle].priced_operands;
  }
};

TEST_P(PriceCounts, GrowWithTheNumberOfOperations) {
  const std::size_t few = priced(250);
  const std::size_t many = priced(1000);
  RecordProperty("priced for 250 operations", std::to_string(few));
  RecordProperty("priced for 1000 operations", std::to_string(many));
  EXPECT_LE(many, 5 * few);
  EXPECT_LE(many, 400'000U);
}

/// Returns the operands that are priced to store `count` matrices of unlike extents, joined in
/// pairs.
std::size_t priced_to_join(int count) {
  const auto store = std::make_shared<ts::memory_store>();
  matrices parts;
  for (int i = 0; i < count; ++i) {
    const std::string name = "x" + std::to_string(i);
    (void)ts::zarr_array::create(
        store, name,
        {.shape = {24 + i % 3, 100'000}, .chunks = {8, 100'000}, .dtype = ts::dtype::float64});
    parts.push_back(ts::open<double, 2>(store, name, {.allowed_memory = ts::bytes{500'000'000}}));
  }
  while (parts.size() > 1) {
    matrices joined;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      joined.emplace_back(ts::concat(parts[i], parts[i + 1], ts::axis<0>));
    }
    if (parts.size() % 2 == 1) joined.push_back(parts.back());
    parts = std::move(joined);
  }
  const ts::plan plan(ts::stored(parts.front() * 2.0, store, "y"));
  return plan.bounded().inside().graph->graph[boost::graph_bundle].priced_operands;
}

// Blocks of each length are priced once, however many matrices have chunks of that length.
TEST(JoinedArrays, ArePricedInTimeProportionalToTheirNumber) {
  const std::size_t few = priced_to_join(64);
  const std::size_t many = priced_to_join(256);
  RecordProperty("priced for 64 matrices", std::to_string(few));
  RecordProperty("priced for 256 matrices", std::to_string(many));
  EXPECT_LE(many, 6 * few);
}

// Joint views of rolled and reversed matrices: each attempt prices some 10^5 operands.
TEST(SearchOfPlans, EndsWhenItsAttemptsHavePricedTooManyOperands) {
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::zarr_array::create(
      store, "x",
      {.shape = {200'000, 100'000}, .chunks = {1000, 1000}, .dtype = ts::dtype::float64});
  matrices steps{ts::open<double, 2>(store, "x") + 1.0};
  for (int i = 0; i < 120; ++i) {
    const matrix x = steps.back();
    const matrix earlier = steps[steps.size() / 2];
    const auto next = [&]() -> matrix {
      if (i % 6 == 0) return x - ts::mean(earlier, ts::axis<1>, ts::keepdims);
      if (i % 6 == 1) return ts::flip(x, ts::axis<0>) + earlier;
      if (i % 6 == 2) return ts::where(x > earlier, x, earlier * 2.0);
      if (i % 6 == 3) return ts::roll(x, 100, ts::axis<1>);
      return ts::sqrt(x * earlier);
    };
    steps.push_back(next());
  }
  const matrix& middle = steps[steps.size() / 2];
  const auto told =
      ts::plan(ts::stored(steps.back(), store, "y"), ts::sum(middle, ts::axis<0>)).explain();
  const auto& last = told.attempts.back();
  EXPECT_FALSE(last.is_chosen);
  EXPECT_EQ(last.passes, "all others");
  EXPECT_EQ(last.why_lost, "the search ended, as it had priced 20,000,000 pairs of operands");
}

INSTANTIATE_TEST_SUITE_P(Programs, PriceCounts, testing::ValuesIn(long_programs::all),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
