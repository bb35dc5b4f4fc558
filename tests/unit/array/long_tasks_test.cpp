// SPDX-License-Identifier: Apache-2.0

/// \file
/// Tasks of several blocks: a task that takes 10 s to start takes three of 24 blocks.

#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/task/resume.hpp"

#include "unit/store/temporary_directory.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

using ::testing::HasSubstr;

constexpr index_t extent = 24;

std::atomic<bool> fails{false};
std::array<std::atomic<int>, extent> num_calls;

/// Adds a half and counts; fails at 13, in the second block of the fifth task.
struct failing_at_13 {
  double operator()(double x) const {
    if (fails && x == 13) throw store_error("the disk is full");
    ++num_calls.at(static_cast<std::size_t>(x));
    return x + 0.5;
  }
};

class LongTasks : public ::testing::Test {
 protected:
  [[nodiscard]] auto program(costs::seconds start = costs::seconds(10)) const {
    const spec limits{.work_dir = directory_ / "work", .costs = {.task = start, .workers = 1}};
    const auto x = arange(0.0, double{extent}, 1.0, {.chunks = {1}, .spec = limits});
    return plan(stored(map(failing_at_13{}, x), output_),
                run_with{.executor = executors::serial(), .resume = resume_mode::automatic});
  }

  /// Runs `first` to the middle of its fifth task.
  template <class Plan>
  void stop(const Plan& first) const {
    fails = true;
    EXPECT_THROW(first.execute(), task_error);
    fails = false;
    EXPECT_TRUE(std::filesystem::exists(output_ + "/12"));
    EXPECT_FALSE(std::filesystem::exists(output_ + "/13"));
    for (auto& calls : num_calls) calls = 0;
  }

  void expect_rest_computed() const {
    for (std::size_t i = 0; i < num_calls.size(); ++i) EXPECT_EQ(num_calls.at(i), i < 13 ? 0 : 1);
    expect_result();
  }

  void expect_result() const {
    const auto result = open<double, 1>(output_).compute();
    for (index_t i = 0; i < extent; ++i) EXPECT_EQ(result(i), static_cast<double>(i) + 0.5);
  }

  testing::temporary_directory directory_;
  std::string output_ = directory_ / "y.zarr";
};

TEST_F(LongTasks, AreContinuedAtTheBlocksThatAreMissing) {
  const auto first = program();
  ASSERT_EQ(first.num_tasks(), 8);
  stop(first);
  program().execute();
  expect_rest_computed();
}

TEST_F(LongTasks, AreContinuedByTasksOfOneBlock) {
  stop(program());
  const auto second = program(costs::seconds(2e-6));
  ASSERT_EQ(second.num_tasks(), 24);
  second.execute();
  expect_rest_computed();
}

TEST_F(LongTasks, AreExplained) {
  EXPECT_THAT(program().explain().to_string(), HasSubstr("blocks  (1,) of (24,), 3 a task;"));
}

TEST_F(LongTasks, AreHeldByPlanFiles) {
  program().save(directory_ / "plan");
  const auto loaded = plan<>::load(directory_ / "plan");
  EXPECT_EQ(loaded.num_tasks(), 8);
  loaded.execute({.executor = executors::serial()});
  expect_result();
}

}  // namespace
}  // namespace tessera
