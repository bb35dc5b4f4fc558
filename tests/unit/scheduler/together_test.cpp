// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/process_group.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/fake_workload.hpp"

#include <exception>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using testing::fake_operation;
using testing::fake_workload;

/// One of several processes that run a program together; the test has no further process.
class together_executor final : public executor, private process_group {
 public:
  explicit together_executor(bool is_first) : is_first_(is_first) {}

  std::string name() const override { return "together"; }
  std::size_t num_workers() const override { return 1; }
  std::unique_ptr<executor_session> start(workload& work) override {
    events.emplace_back("start");
    return serial_->start(work);
  }
  tessera::process_group* group() override { return this; }

  std::vector<std::string> events;
  std::vector<std::exception_ptr> outcomes;

 private:
  bool is_leader() const override { return is_first_; }
  bool serve(workload&) override {
    events.emplace_back("serve");
    return !is_first_;
  }
  void conclude(const std::exception_ptr& failure) override {
    events.emplace_back("conclude");
    outcomes.push_back(failure);
  }
  void meet(const std::exception_ptr& failure) override {
    events.emplace_back("meet");
    outcomes.push_back(failure);
  }

  std::shared_ptr<executor> serial_ = executors::serial();
  bool is_first_;
};

TEST(RunTogether, LeavesTheSchedulingToTheFirstProcess) {
  together_executor engine(false);
  fake_workload work({fake_operation(3)});
  run(work, engine);
  EXPECT_EQ(work.num_runs(), 0);
  EXPECT_THAT(engine.events, ElementsAre("serve"));
}

TEST(RunTogether, TellsTheOthersThatARunEndedWell) {
  together_executor engine(true);
  fake_workload work({fake_operation(3)});
  run(work, engine);
  EXPECT_TRUE(work.has_ended());
  EXPECT_THAT(engine.events, ElementsAre("serve", "start", "conclude"));
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
  EXPECT_THAT(engine.events, ElementsAre("serve", "conclude"));
}

TEST(RunTogether, MeetsAsTheTeamOfTheEngineDoes) {
  together_executor engine(true);
  meet(engine, std::make_exception_ptr(store_error("no such chunk")));
  EXPECT_THAT(engine.events, ElementsAre("meet"));
  EXPECT_THROW(std::rethrow_exception(engine.outcomes[0]), store_error);
}

TEST(RunTogether, MeetsNobodyOnAnEngineWithoutATeam) {
  const auto engine = executors::threads(2);
  EXPECT_EQ(engine->group(), nullptr);
  meet(*engine, nullptr);
  EXPECT_THROW(meet(*engine, std::make_exception_ptr(store_error("no such chunk"))), store_error);
}

TEST(RunTogether, RefusesAWorkloadThatNobodyCanJoin) {
  fake_workload work({fake_operation(3)});
  EXPECT_THROW((void)group_work_of(work), value_error);
}

}  // namespace
}  // namespace tessera
