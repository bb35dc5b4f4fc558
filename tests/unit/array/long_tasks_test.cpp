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
#include <gtest/gtest.h>

namespace tessera {
namespace {

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
  [[nodiscard]] auto program() const {
    const spec limits{.work_dir = directory_ / "work",
                      .costs = {.task = std::chrono::seconds(10), .workers = 1}};
    const auto x = arange(0.0, double{extent}, 1.0, {.chunks = {1}, .spec = limits});
    return plan(stored(map(failing_at_13{}, x), output_),
                run_with{.executor = executors::serial(), .resume = resume_mode::automatic});
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
  fails = true;
  EXPECT_THROW(first.execute(), task_error);
  fails = false;
  EXPECT_TRUE(std::filesystem::exists(output_ + "/12"));
  EXPECT_FALSE(std::filesystem::exists(output_ + "/13"));
  for (auto& calls : num_calls) calls = 0;
  program().execute();
  for (std::size_t i = 0; i < num_calls.size(); ++i) EXPECT_EQ(num_calls.at(i), i < 13 ? 0 : 1);
  expect_result();
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
