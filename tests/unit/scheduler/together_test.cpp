// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/fake_workload.hpp"

#include <exception>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace literals;
using testing::fake_operation;
using testing::fake_workload;

/// One of several processes that run a program together, without the others.
class together_executor final : public executor {
 public:
  explicit together_executor(bool is_first) : is_first_(is_first) {}

  std::string name() const override { return "together"; }
  std::size_t num_workers() const override { return 1; }
  std::unique_ptr<executor_session> start(workload& work) override { return serial_->start(work); }
  bool serve(workload&) override { return !is_first_; }
  void conclude(const std::exception_ptr& failure) override { outcomes.push_back(failure); }

  std::vector<std::exception_ptr> outcomes;

 private:
  std::shared_ptr<executor> serial_ = executors::serial();
  bool is_first_;
};

TEST(RunTogether, LeavesTheSchedulingToTheFirstProcess) {
  together_executor engine(false);
  fake_workload work({fake_operation(3)});
  run(work, engine);
  EXPECT_EQ(work.num_runs(), 0);
  EXPECT_TRUE(engine.outcomes.empty());
}

TEST(RunTogether, TellsTheOthersThatARunEndedWell) {
  together_executor engine(true);
  fake_workload work({fake_operation(3)});
  run(work, engine);
  EXPECT_TRUE(work.has_ended());
  ASSERT_EQ(engine.outcomes.size(), 1U);
  EXPECT_EQ(engine.outcomes[0], nullptr);
}

TEST(RunTogether, TellsTheOthersWhyARunFailed) {
  together_executor engine(true);
  fake_workload work({fake_operation(3)},
                     [](std::size_t, index_t, int) { throw std::runtime_error("bad"); });
  EXPECT_THROW(run(work, engine), task_error);
  ASSERT_EQ(engine.outcomes.size(), 1U);
  EXPECT_THROW(std::rethrow_exception(engine.outcomes[0]), task_error);
}

TEST(RunTogether, TellsTheOthersOfARunThatWasRefused) {
  together_executor engine(true);
  fake_workload work({fake_operation(1, {}, 100_B)});
  run_options options;
  options.host_memory = 10_B;
  EXPECT_THROW(run(work, engine, options), memory_error);
  ASSERT_EQ(engine.outcomes.size(), 1U);
  EXPECT_THROW(std::rethrow_exception(engine.outcomes[0]), memory_error);
}

}  // namespace
}  // namespace tessera
