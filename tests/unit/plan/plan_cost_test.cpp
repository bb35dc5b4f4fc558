// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/plan_cost.hpp"

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"

#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string_view>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using namespace std::chrono_literals;

class PlanCost : public ::testing::Test {
 protected:
  /// A stored array of 1000 x 1000 x 8 B in 10 x 5 chunks.
  ts::array<double, 2> x(const ts::spec& spec) {
    ts::store(ts::ones<double>({1000, 1000}, {.chunks = {100, 200}}), store_, "x", raw_);
    return ts::open<double, 2>(store_, "x", spec);
  }

  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
  ts::store_options raw_{.compressor = ts::codec::none{}};
  ts::spec slow_{.costs = {.read_bandwidth = 8_MB,
                           .write_bandwidth = 4_MB,
                           .latency = 1s,
                           .memory_bandwidth = 1_MB,
                           .element_step = 1us,
                           .task = 2s,
                           .workers = 7}};
};

TEST_F(PlanCost, CountsWhatAMapDoes) {
  const auto plan = ts::plan(ts::stored(x(slow_) + 1.0, store_, "y", raw_));
  const ts::plan_cost cost = plan.cost(20);
  EXPECT_EQ(cost.num_operations, 1U);
  EXPECT_EQ(cost.num_tasks, 50);
  EXPECT_EQ(cost.bytes_read, 8_MB);
  EXPECT_EQ(cost.bytes_written, 8_MB);
  EXPECT_EQ(cost.num_requests, 50 + 50);
  EXPECT_EQ(cost.memory_moved, 0_B);
  EXPECT_EQ(cost.element_steps, 1e6);
  EXPECT_EQ(cost.task, plan.projected_memory());
  // Read 1 s, written 2 s, 100 requests, 1e6 steps of 1 us, 50 tasks of 2 s.
  EXPECT_DOUBLE_EQ(cost.work.count(), 1 + 2 + 100 + 1 + 100);
  // Three rounds of a fiftieth each.
  EXPECT_DOUBLE_EQ(cost.wall.count(), 204.0 * 3 / 50);
  EXPECT_DOUBLE_EQ(cost.merit(), 204.0 * 3 / 50 * std::sqrt(204.0));
}

// An exponential takes as long as twelve additions, a quotient and a root as four.
TEST_F(PlanCost, WeighsFunctions) {
  const auto x = ts::asarray(ts::ndarray<double, 1>({1000}));
  const auto steps_of = [](const auto& e) { return ts::plan(e).cost(1).element_steps / 1000; };
  EXPECT_EQ(steps_of(x + 1.0), 1);
  EXPECT_EQ(steps_of(ts::exp(x)), 12);
  EXPECT_EQ(steps_of(ts::exp(x) * 2.0 + x / (x - 1.0)), 12 + 1 + 1 + 4 + 1);
  EXPECT_EQ(steps_of(ts::sqrt(ts::atan2(x, x * x))), 4 + 12 + 1);
  // Written as one expression or one after the other, it is the same work.
  ts::array<double, 1> y = x;
  y = ts::exp(y);
  y = y * 2.0;
  EXPECT_EQ(steps_of(y), 13);
}

struct light {
  static constexpr double weight = 3;
  double operator()(double x) const { return x < 0 ? -x : x; }
};

struct weighted {
  double weight;
  std::string_view name;
  double operator()(double x) const { return weight * x; }
};

TEST_F(PlanCost, TakesFunctionsOfUsersToBeHeavyUnlessTheySay) {
  const auto x = ts::asarray(ts::ndarray<double, 1>({1000}));
  const auto steps_of = [](const auto& e) { return ts::plan(e).cost(1).element_steps / 1000; };
  EXPECT_EQ(steps_of(ts::map([](double v) { return v + 1; }, x)), 12);
  EXPECT_EQ(steps_of(ts::map(light{}, x)), 3);
  // The state of an object says nothing of the function.
  const auto ones = ts::ones<double>({1000});
  EXPECT_EQ(steps_of(ts::map(weighted{2, "w"}, x)), 12);
  EXPECT_EQ(ts::sum(ts::map(weighted{2, "w"}, ones)).compute()(), 2000);
}

// Each fold takes its input once, at the price of an addition.
TEST_F(PlanCost, CountsWhatFoldsTake) {
  const auto x = ts::asarray(ts::ndarray<double, 1>({1000}));
  EXPECT_EQ(ts::plan(ts::sum(x)).cost(1).element_steps, 1000);
  EXPECT_EQ(ts::plan(ts::sum(ts::exp(x))).cost(1).element_steps, 13 * 1000);
  EXPECT_EQ(ts::plan(ts::sum(x), ts::max(x)).cost(1).element_steps, 2 * 1000);
}

// A product of matrices is priced by its multiplications; a function of lines by their elements,
// however large the domain of its blocks is.
TEST_F(PlanCost, CountsWhatFunctionsOfBlocksDo) {
  const auto steps_of = [](const auto& e) { return ts::plan(e).cost(1).element_steps; };
  const auto a = ts::asarray(ts::ndarray<double, 2>({64, 128}));
  const auto b = ts::asarray(ts::ndarray<double, 2>({128, 32}));
  EXPECT_EQ(steps_of(ts::matmul(a, b)), 64.0 * 128 * 32 / 4);
  EXPECT_EQ(steps_of(ts::sort(a, ts::axis<1>)), 8.0 * 64 * 128 * 7);
  // Elements that the readers of a block compute, each by one kernel.
  EXPECT_EQ(steps_of(ts::sort(a + a + 1.0, ts::axis<1>)), 8.0 * 64 * 128 * 7 + 2 * 64 * 128);
  const ts::spec little{.allowed_memory = 1_MB, .reserved_memory = 0_B};
  const auto whole = ts::random::uniform<double>({200'000}, {.chunks = {20'000}, .spec = little});
  ts::store(whole, store_, "line", raw_);
  const auto line = ts::open<double, 1>(store_, "line", {.spec = little});
  const ts::plan_cost cost = ts::plan(ts::stored(ts::sort(line), store_, "sorted", raw_)).cost(1);
  EXPECT_LT(cost.element_steps, 1000.0 * 200'000);
}

TEST_F(PlanCost, CountsAChunkForEachTaskThatReadsIt) {
  const auto plan = ts::plan(ts::pass_switches{.size_blocks = false, .stage_rechunks = false},
                             ts::stored(ts::rechunk(x({}), {1000, 10}), store_, "y", raw_));
  // A hundred tasks read a column of ten chunks each, of 160 kB.
  EXPECT_EQ(plan.cost().num_requests, 100 * 10 + 100);
  EXPECT_EQ(plan.cost().bytes_read, 160_MB);
  const long reads = store_->num_reads();
  const long writes = store_->num_writes();
  plan.execute();
  EXPECT_EQ(store_->num_reads() - reads, 100 * 10);
  EXPECT_EQ(store_->num_writes() - writes, 100);
}

TEST_F(PlanCost, CountsWhatIsMovedInMemory) {
  const auto plan = ts::plan(ts::array<double, 2>(x(slow_) + 1.0), ts::run_with{});
  EXPECT_EQ(plan.cost().memory_moved, 8_MB);
  EXPECT_DOUBLE_EQ(plan.cost(1).work.count(), 1 + 50 + 8 + 1 + 100);
}

TEST_F(PlanCost, PutsOperationsBehindThoseThatTheyRead) {
  const ts::array<double, 2> u = x(slow_);
  const auto plan = ts::plan(ts::stored(u - ts::mean(u), store_, "y", raw_));
  const ts::plan_cost lone_worker = plan.cost(1);
  EXPECT_GT(plan.num_operations(), 1U);
  EXPECT_DOUBLE_EQ(lone_worker.wall.count(), lone_worker.work.count());
  // However many there are, the mean comes first: two tasks, one after the other, at least.
  EXPECT_GT(plan.cost(1'000'000).wall.count(), 2 * 2.0);
  EXPECT_LT(plan.cost(1'000'000).wall.count(), lone_worker.wall.count() / 10);
}

TEST_F(PlanCost, IsBoundByWhatTheStorageMovesForAll) {
  slow_.costs.total_bandwidth = 1_MB;
  EXPECT_DOUBLE_EQ(ts::plan(ts::stored(x(slow_) + 1.0, store_, "y", raw_)).cost(1000).wall.count(),
                   16);
}

TEST_F(PlanCost, IsPrintedInALine) {
  std::ostringstream out;
  const auto plan = ts::plan(ts::stored(x(slow_) + 1.0, store_, "y", raw_));
  out << plan.cost(20);
  EXPECT_EQ(out.str(), "50 tasks, 8.0 MB read, 8.0 MB written, 100 requests, " +
                           ts::format_short(plan.projected_memory()) +
                           " a task; 204 s of work, 12.2 s on 20 workers");
}

// Programs with tasks of every price: read, write, compute, move memory, wait.
TEST_F(PlanCost, IsWhatASimulatedRunTakes) {
  ts::costs figures = ts::costs::object_store();
  figures.write_bandwidth = 40_MB;
  figures.memory_bandwidth = 100_MB;
  figures.element_step = 100ns;
  figures.workers = 64;
  for (const bool writes_slowly : {true, false}) {
    if (!writes_slowly) std::swap(figures.read_bandwidth, figures.write_bandwidth);
    const ts::spec spec{.costs = figures};
    const ts::array<double, 2> u = x(spec);
    const auto simulated = [&](const ts::pass_switches& passes, const auto&... outputs) {
      const ts::plan plan(passes, ts::run_with{}, outputs...);
      for (const std::size_t workers : {1, 3, 20, 64, 1000}) {
        const auto run =
            ts::simulate(plan, ts::simulated_options::of(figures, workers), ts::as_planned);
        const double elapsed = std::chrono::duration<double>(run.elapsed).count();
        EXPECT_NEAR(plan.cost(workers).wall.count(), elapsed, 0.1 * elapsed) << plan << workers;
      }
    };
    const auto to = [&](const auto& e) { return ts::stored(e, store_, "y", raw_); };
    const ts::pass_switches apart{.fuse_producers = false,
                                  .fuse_siblings = false,
                                  .fuse_levels = false,
                                  .memory_tier = false};
    const ts::pass_switches in_storage{.memory_tier = false};
    const ts::array<double, 2> root = ts::sqrt(u * 2.0 + 1.0);
    simulated({}, to(u + 1.0), ts::stored(ts::mean(u, ts::axis<0>), store_, "z", raw_));
    simulated({}, to(root));
    simulated({}, to(u - ts::mean(u)));
    simulated(in_storage, to(u - ts::mean(u)));
    simulated(in_storage, to(ts::matmul(ts::permute_dims(u, ts::axis<1, 0>), u)));
    simulated(in_storage, to(ts::rechunk(u, {1000, 10})));
    simulated({}, to(ts::cumulative_sum(u, ts::axis<0>)));
    // Tasks of the second begin while tasks of the first run: on 20 workers 2.5 rounds of each.
    simulated(apart, to(ts::sqrt(ts::array<double, 2>(root + 1.0))));
    ts::array<double, 2> sum = u;
    for (int i = 0; i < 5; ++i) sum = ts::sqrt(sum) + 1.0;
    simulated(apart, to(sum));
  }
}

// 122 tasks and 122 that read one of them each, on 100 workers: three rounds, not four.
TEST_F(PlanCost, LetsReadersBeginBeforeAllIsMade) {
  ts::costs figures{.read_bandwidth = 1_TB, .write_bandwidth = 1_TB, .latency = 0s, .task = 1s};
  figures.element_step = 0s;
  figures.workers = 100;
  const auto u = ts::ones<double>({1220}, {.chunks = {10}, .spec = ts::spec{.costs = figures}});
  const auto plan = ts::plan(ts::pass_switches{.fuse_producers = false, .memory_tier = false},
                             ts::sqrt(ts::array<double, 1>(u + 1.0)));
  ASSERT_EQ(plan.num_tasks(), 244);
  EXPECT_NEAR(plan.cost(100).wall.count(), 3, 0.01);
  // A reader of all elements of the first waits for all of it.
  const ts::array<double, 1> sums = u + 1.0;
  const auto turned = ts::plan(ts::pass_switches{.fuse_producers = false, .memory_tier = false},
                               ts::flip(sums) + 1.0);
  EXPECT_NEAR(turned.cost(100).wall.count(), 4, 0.01);
}

TEST_F(PlanCost, DecidesWhatIsRechunkedHow) {
  const auto requests_of = [&](const ts::costs& figures) {
    const ts::spec spec{.allowed_memory = 500_kB, .costs = figures};
    ts::store(ts::ones<double>({4096, 512}, {.chunks = {16, 512}}), store_, "maps", raw_);
    const auto maps = ts::open<double, 2>(store_, "maps", spec);
    return ts::plan(ts::pass_switches{.memory_tier = false},
                    ts::stored(ts::rechunk(maps, {4096, 1}), store_, "lines", raw_))
        .cost()
        .num_requests;
  };
  // Requests at the price of 20 MB are fewer than requests at the price of 10 B.
  EXPECT_LT(requests_of({.latency = 20ms}), requests_of({.latency = 10ns}));
}

TEST_F(PlanCost, RefusesFiguresThatAreNone) {
  slow_.costs.workers = 0;
  EXPECT_THROW((void)ts::plan(x(slow_) + 1.0), ts::value_error);
}

}  // namespace
