// SPDX-License-Identifier: Apache-2.0
#include "observe/time_left.hpp"

#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;
using namespace std::chrono_literals;
using namespace ts::literals;

/// Keeps the estimates of a run.
class estimates : public ts::observer {
 public:
  void on_computation_begin(const ts::computation_event& event) override {
    remaining_.begin(event);
  }
  void on_tasks_end(const ts::tasks_event& event) override {
    remaining_.end_tasks(event);
    if (const auto time = remaining_.at(event.ended)) told_.emplace_back(event.ended, *time);
  }
  void on_computation_end(ts::computation_outcome, ts::session_time now) override { end_ = now; }

  /// Returns the greatest factor between an estimate and the time that was left, from a fifth of
  /// the run to its last tenth.
  [[nodiscard]] double worst_factor() const {
    double worst = 1;
    for (const auto& [now, told] : told_) {
      if (now < end_ / 5 || now > end_ * 9 / 10) continue;
      const double ratio = std::chrono::duration<double>(told).count() /
                           std::chrono::duration<double>(end_ - now).count();
      worst = std::max({worst, ratio, 1 / ratio});
    }
    return worst;
  }
  [[nodiscard]] std::size_t num_estimates() const { return told_.size(); }

 private:
  ts::time_left remaining_;
  std::vector<std::pair<ts::session_time, ts::session_time>> told_;
  ts::session_time end_{};
};

class TimeLeft : public ::testing::Test {
 protected:
  /// Simulates a run on eight workers whose storage is slow, and checks the estimates.
  template <class... Es>
  void expect_good_estimates(const Es&... expressions) {
    const auto told = std::make_shared<estimates>();
    const ts::plan plan(ts::pass_switches{},
                        ts::run_with{.executor = ts::executors::simulated(
                                         {.workers = 8,
                                          .task_time = ts::random_time::lognormal(5ms, 0.3),
                                          .latency = 30ms,
                                          .bandwidth = 50_MB,
                                          .seed = 3}),
                                     .resume = ts::resume_mode::never,
                                     .observers = {told}},
                        expressions...);
    plan.execute();
    EXPECT_GT(told->num_estimates(), 20U);
    EXPECT_LE(told->worst_factor(), 1.5) << plan;
  }

  /// Returns an array of which metadata alone are stored: simulated runs read none of its chunks.
  ts::array<double, 2> stored(const std::string& name) {
    const std::string path = folder_ / name;
    ts::store(ts::zeros<double>({6400, 500}, {.chunks = {20, 500}, .spec = limits_}), path);
    return ts::open<double, 2>(path, limits_);
  }

  ts::test::scratch_directory folder_;
  ts::spec limits_{.work_dir = folder_ / "work", .allowed_memory = 2_MB};
};

// The first task takes ten requests one behind the other, 100 ms, as in the model. The second has
// ten in flight: 10 ms.
TEST(TimeLeftOfRequests, CountsRequestsInFlightAsOne) {
  ts::workload_operation operation;
  operation.num_tasks = 1;
  operation.bytes_read_per_task = ts::bytes{1};
  operation.reads_per_task = 10;
  std::vector<ts::workload_operation> operations{operation, operation};
  operations[1].reads_in_flight = 10;
  ts::time_left remaining;
  remaining.begin({.operations = operations,
                   .executor = "",
                   .num_workers = 1,
                   .figures = {.latency = 10ms, .task = 0s}});
  remaining.end_tasks({.operation = 0, .count = 1, .started = 0ms, .ended = 100ms});
  const auto estimate = remaining.at(100ms);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(std::chrono::duration<double>(*estimate).count(), 10e-3, 1e-6);
}

TEST_F(TimeLeft, OfAMapIsGood) {
  expect_good_estimates(ts::stored(ts::sqrt(stored("u")), folder_ / "out"));
}

TEST_F(TimeLeft, OfAnAnomalyIsGood) {
  const auto u = stored("u");
  expect_good_estimates(ts::stored(u - ts::mean(u, ts::axis<0>), folder_ / "out"));
}

TEST_F(TimeLeft, OfARechunkIsGood) {
  expect_good_estimates(ts::stored(ts::rechunk(stored("u"), {6400, 2}), folder_ / "out"));
}

TEST_F(TimeLeft, OfAProductIsGood) {
  const auto u = stored("u");
  expect_good_estimates(
      ts::stored(ts::matmul(u, ts::permute_dims(stored("v"), ts::axis<1, 0>)), folder_ / "out"));
}

TEST_F(TimeLeft, OfScansAndSortsIsGood) {
  expect_good_estimates(ts::stored(ts::cumulative_sum(stored("u"), ts::axis<0>), folder_ / "sums"),
                        ts::stored(ts::sort(stored("v"), ts::axis<1>), folder_ / "sorted"));
}

}  // namespace
