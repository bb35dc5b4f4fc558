// SPDX-License-Identifier: Apache-2.0
/// \file
/// The traffic that tasks report, against their plan and the counts of their store.

#include "tessera/core/traffic.hpp"

#include "tessera/scheduler/observer.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/array/support.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <thread>

namespace {

namespace ts = tessera;

/// Sums up the traffic of all tasks.
struct sum_of_traffic : ts::observer {
  void on_tasks_end(const ts::tasks_event& event) override {
    if (event.moved) {
      total += *event.moved;
    } else {
      ++num_unmeasured;
    }
  }

  ts::traffic total;
  int num_unmeasured = 0;
};

class Traffic : public ::testing::Test {
 protected:
  /// A run of an anomaly: its input is read twice, and its mean goes through storage.
  template <class Executor>
  void expect_what_is_planned(const Executor& executor) {
    const auto moved = std::make_shared<sum_of_traffic>();
    const ts::spec limits{.work_dir = folder_ / "work"};
    ts::store(ts::random::uniform<double>({90, 40}, {.chunks = {20, 40}, .spec = limits}),
              folder_ / "x", {.compressor = ts::codec::zlib{}});
    const auto x = ts::open<double, 2>(folder_ / "x", limits);
    const auto anomaly = x - ts::mean(x, ts::axis<0>);
    const ts::plan plan(
        ts::pass_switches{.fuse_epilogues = false, .memory_tier = false},
        ts::run_with{.executor = executor, .resume = ts::resume_mode::never, .observers = {moved}},
        ts::stored(anomaly, folder_ / "y", {.compressor = ts::codec::none{}}));
    plan.execute();
    EXPECT_EQ(moved->num_unmeasured, 0);
    EXPECT_EQ(moved->total.read, plan.bytes_read());
    EXPECT_EQ(moved->total.written, plan.bytes_written());
    EXPECT_EQ(moved->total.requests, static_cast<std::uint64_t>(plan.cost().num_requests));
    EXPECT_GE(moved->total.read, ts::bytes{2 * 5 * 20 * 40 * 8});
  }

  ts::test::scratch_directory folder_;
};

TEST_F(Traffic, OfThreadsIsWhatIsPlanned) {
  expect_what_is_planned(ts::executors::serial());
  expect_what_is_planned(ts::executors::threads(3));
}

TEST_F(Traffic, OfProcessesIsWhatIsPlanned) { expect_what_is_planned(ts::executors::processes(2)); }

TEST_F(Traffic, OfRangesIsWhatIsRead) {
  const auto moved = std::make_shared<sum_of_traffic>();
  const auto store = std::make_shared<ts::test::counting_store>();
  ts::store(ts::ones<double>({60, 40}, {.chunks = {20, 10}}), store, "x",
            {.compressor = ts::codec::none{}});
  const auto x = ts::open<double, 2>(store, "x");
  const long before = store->num_bytes();
  (void)ts::compute(x(ts::slice(15, 25)) + 1.0,
                    ts::run_with{.executor = ts::executors::serial(), .observers = {moved}});
  EXPECT_EQ(moved->total.read, ts::bytes{10 * 40 * 8});
  EXPECT_EQ(store->num_bytes() - before, 10 * 40 * 8);
  EXPECT_EQ(moved->total.requests, 8U);
  EXPECT_EQ(moved->total.written, ts::bytes{});
}

TEST(TrafficOfThread, IsItsOwn) {
  const ts::traffic before = ts::traffic_of_thread();
  std::thread([] {
    EXPECT_EQ(ts::traffic_of_thread(), ts::traffic{});
    ts::traffic_of_thread() += {ts::bytes{5}, ts::bytes{7}, 2};
    EXPECT_EQ(ts::traffic_of_thread().since({ts::bytes{1}, ts::bytes{2}, 1}),
              (ts::traffic{ts::bytes{4}, ts::bytes{5}, 1}));
  }).join();
  EXPECT_EQ(ts::traffic_of_thread(), before);
}

}  // namespace
