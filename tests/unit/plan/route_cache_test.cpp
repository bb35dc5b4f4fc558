// SPDX-License-Identifier: Apache-2.0
/// \file
/// Routes of rechunks are searched once for each problem of a planning.

#include "plan/rechunk/route_cache.hpp"

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "plan/graph.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::rechunking::problem;
using ts::rechunking::route;
using ts::rechunking::route_cache;

problem maps_to_series() {
  return {.shape = {600, 400},
          .source = {10, 400},
          .target = {600, 5},
          .itemsize = 8,
          .memory = 400'000,
          .costs = {}};
}

bool have_equal_copies(const route& a, const route& b) {
  return std::ranges::equal(a.copies, b.copies, [](const auto& x, const auto& y) {
    return x.block == y.block && x.chunks == y.chunks;
  });
}

TEST(RouteCache, SearchesOnceForEqualProblems) {
  route_cache cache;
  const std::vector<route>* const first = &cache.find(maps_to_series());
  EXPECT_EQ(&cache.find(maps_to_series()), first);
  EXPECT_EQ(cache.num_questions(), 2U);
  EXPECT_EQ(cache.num_searches(), 1U);
  EXPECT_TRUE(std::ranges::equal(*first, shortest_routes(maps_to_series()), have_equal_copies));
}

TEST(RouteCache, TellsProblemsApartByEachMember) {
  std::vector<problem> problems(12, maps_to_series());
  problems[1].shape = {1200, 400};
  problems[2].source = {20, 400};
  problems[3].target = {600, 10};
  problems[4].itemsize = 4;
  problems[5].memory = 300'000;
  problems[6].chunk_copies = 1;
  problems[7].costs = ts::costs::object_store();
  problems[8].end = ts::rechunking::route_end::blocks;
  problems[9].reads = {{.chunks = {10, 400}, .chunk_bytes = 32'000}};
  problems[10].first_itemsize = 16;
  problems[11].last_itemsize = 16;
  route_cache cache;
  for (const problem& of : problems) (void)cache.find(of);
  EXPECT_EQ(cache.num_searches(), problems.size());
  for (const problem& of : problems) {
    EXPECT_TRUE(std::ranges::equal(cache.find(of), shortest_routes(of), have_equal_copies));
  }
  EXPECT_EQ(cache.num_searches(), problems.size());
}

/// The plan of a rechunk, and of a sum that passes rewrite: attempts leave these passes out.
TEST(RouteCache, IsSharedByTheAttemptsAtAPlan) {
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::zarr_array::create(
      store, "maps",
      {.shape = {35'064, 721, 1440}, .chunks = {31, 721, 1440}, .dtype = ts::dtype::float32});
  ts::spec spec{.allowed_memory = 2500_MB, .costs = ts::costs::object_store()};
  spec.costs.workers = 100;
  const auto maps = ts::open<float, 3>(store, "maps", spec);
  const auto series = ts::stored(ts::rechunk(maps, {35'064, 10, 10}), store, "series");
  const auto plan = ts::plan(series, ts::sum(maps * maps));
  const ts::plan_graph& graph = *plan.bounded().inside().graph;
  const route_cache& routes = *graph.graph[boost::graph_bundle].routes;
  // Each attempt with the pass asks for the routes from maps to series.
  const auto num_asking = std::ranges::count_if(
      graph.origin->attempts,
      [](const ts::plan_attempt& attempt) { return attempt.choices.passes.stage_rechunks; });
  EXPECT_EQ(num_asking, 2);
  EXPECT_EQ(routes.num_questions(), 2U);
  EXPECT_EQ(routes.num_searches(), 1U);
}

}  // namespace
