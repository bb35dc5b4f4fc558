// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/memory.hpp"
#include "tessera/lower/lower.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "plan/graph.hpp"
#include "plan/order.hpp"
#include "plan/range_peaks.hpp"
#include "unit/plan/random_placement.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <variant>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;

using vector_of_doubles = ts::array<double, 1>;
using matrix = ts::array<double, 2>;

ts::plan_output asked(const vector_of_doubles& x) {
  return {ts::computed(ts::lower(x, x.layout().chunks))};
}

RC_GTEST_PROP(RangePeaks, FindWhatALoopFinds, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 40);
  std::vector<std::uint64_t> amounts(size, 0);
  ts::range_peaks peaks(size);
  for (int change = 0; change < 20; ++change) {
    const auto first = *rc::gen::inRange<std::size_t>(0, size + 1);
    const auto last = *rc::gen::inRange<std::size_t>(first, size + 1);
    const auto amount = *rc::gen::inRange<std::uint64_t>(0, 1000);
    peaks.add(first, last, amount);
    for (std::size_t i = first; i < last; ++i) amounts[i] += amount;
    const auto from = *rc::gen::inRange<std::size_t>(0, size + 1);
    const auto to = *rc::gen::inRange<std::size_t>(from, size + 1);
    std::uint64_t peak = 0;
    for (std::size_t i = from; i < to; ++i) peak = std::max(peak, amounts[i]);
    RC_ASSERT(peaks.peak(from, to) == peak);
  }
}

TEST(Placement, GivesTheMemoryOfALoopBack) {
  constexpr int rounds = 1000;
  const ts::spec limits{.allowed_memory = 100_MB};
  vector_of_doubles x = ts::random::uniform<double>(
      {1'000'000}, {.chunks = {250'000}, .spec = limits, .seed = 1});  // 8 MB
  for (int i = 0; i < rounds; ++i) x = x - ts::mean(x);
  const auto plan = ts::plan(x, ts::run_with{.executor = ts::executors::threads(2)});
  EXPECT_GE(plan.num_operations(), static_cast<std::size_t>(rounds));
  EXPECT_EQ(plan.bytes_written(), 0_B);
  EXPECT_LE(plan.bounded().resident_memory(), 24_MB + 1_MB);
}

TEST(Placement, KeepsProductsInARowInMemory) {
  const auto store = std::make_shared<ts::memory_store>();
  ts::spec limits{.allowed_memory = 40_MB};
  ts::store(ts::full<double>({2000, 2000}, 1e-3, {.chunks = {500, 500}, .spec = limits}), store,
            "m");
  // Each is of 32 MB; the last one, its factor and its output live at once.
  limits.host_memory = ts::memory_before_run() + 120_MB;
  matrix product = ts::open<double, 2>(store, "m", limits);
  const matrix factor = product;
  for (int i = 0; i < 10; ++i) product = ts::matmul(product, factor);
  const auto plan = ts::plan(product, ts::run_with{.executor = ts::executors::threads(2)});
  EXPECT_EQ(plan.bytes_written(), 0_B);
  EXPECT_LE(plan.projected_host_memory(), limits.host_memory);
}

TEST(Order, FreesWhatIsLargeBeforeItMakesMore) {
  // In either order of the graph's search, two large arrays need not be there at once.
  const ts::index_t n = 100'000;
  const auto large = [](std::uint64_t seed) -> vector_of_doubles {
    return ts::cumulative_sum(ts::random::uniform<double>({n}, {.chunks = {n / 4}, .seed = seed}));
  };
  std::vector<ts::plan_output> outputs;
  std::vector<vector_of_doubles> arrays;
  for (std::uint64_t seed = 0; seed < 4; ++seed) arrays.push_back(large(seed));
  vector_of_doubles sum = ts::rechunk(vector_of_doubles(arrays[0](ts::slice(0, 4))), {4});
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    sum = sum + vector_of_doubles(arrays[i](ts::slice(0, 4)));
  }
  const auto collected = ts::collect({asked(sum)});
  auto& graph = collected->graph;
  std::size_t in_use = 0;
  std::size_t most = 0;
  for (const ts::vertex v : ts::order_of_least_peak(graph)) {
    if (!ts::is_operation(graph, v)) continue;
    for (const ts::vertex output : ts::outputs_of(graph, v)) {
      in_use += ts::array_at(graph, output).shape[0] == n ? 1 : 0;
    }
    most = std::max(most, in_use);
    for (const ts::vertex read : ts::inputs_of(graph, v)) {
      const bool is_large = ts::array_at(graph, read).shape[0] == n;
      in_use -= is_large && ts::producer_of(graph, read) != ts::array_graph::null_vertex() ? 1 : 0;
    }
  }
  EXPECT_EQ(most, 1U);
}

/// Tells whether `program` runs on `engine` within `limits`, and not that it needs more.
bool runs_within(const ts::spec& limits, const ts::testing::random_program& program,
                 const std::shared_ptr<ts::executor>& engine) {
  const ts::testing::placement placed = ts::testing::place(program, limits, engine);
  RC_ASSERT(placed.fault == "");
  return !placed.is_refused;
}

RC_GTEST_PROP(Placement, KeepsEveryHostMemoryAndNeverWaitsForEver, ()) {
  const auto program = ts::testing::any_program();
  const ts::bytes host{*rc::gen::inRange<std::uint64_t>(150'000, 800'000)};
  const ts::spec limits{.allowed_memory = 150_kB, .host_memory = ts::memory_before_run() + host};
  for (const auto& engine : {ts::executors::serial(), ts::executors::threads(3)}) {
    RC_CLASSIFY(runs_within(limits, program, engine), "runs");
  }
}

// Each process has the code as well. A codec would take more of a task than an array is large.
TEST(Placement, KeepsEveryHostMemoryOfProcesses) {
  const auto engine = ts::executors::processes(2);
  const ts::bytes worker = ts::measure_reserved_memory(engine);
  int num_run = 0;
  int num_in_memory = 0;
  int num_stored = 0;
  const bool holds = rc::check([&] {
    const ts::bytes host{*rc::gen::inRange<std::uint64_t>(100'000, 500'000)};
    const ts::bytes scheduler = std::max(worker, ts::memory_before_run());
    const ts::spec limits{.allowed_memory = worker + 600_kB,
                          .reserved_memory = worker,
                          .host_memory = scheduler + worker * 2 + host,
                          .intermediate_compressor = "none"};
    const auto placed = ts::testing::place(ts::testing::any_program(), limits, engine);
    RC_ASSERT(placed.fault == "");
    num_run += placed.is_refused ? 0 : 1;
    num_in_memory += placed.holds_arrays ? 1 : 0;
    num_stored += placed.stores_arrays ? 1 : 0;
  });
  EXPECT_TRUE(holds);
  EXPECT_GT(num_run, 20) << "hardly any fits";
  EXPECT_GT(num_in_memory, 20) << "hardly any is in memory";
  EXPECT_GT(num_stored, 0) << "all is in memory";
}

}  // namespace
