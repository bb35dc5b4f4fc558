// SPDX-License-Identifier: Apache-2.0
/// \file
/// Ends of runs on a system with elements that never end by themselves.

#include "executor/array/session.hpp"

#include "tessera/scheduler/interrupt.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include "scheduler/interruptible_scope.hpp"
#include "unit/store/temporary_directory.hpp"

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::job_arrays {
namespace {

using namespace std::chrono_literals;

constexpr auto running = "running";
constexpr auto cancelled = "cancelled";

/// The state of a system with one element, and the number of calls.
struct element_log {
  std::string state;
  int num_queries = 0;
  int num_cancellations = 0;
};

/// A system with elements that run until all jobs are cancelled.
class endless_system final : public array_system {
 public:
  explicit endless_system(element_log& log) : log_(log) {}
  [[nodiscard]] std::size_t max_elements() override { return 1; }
  [[nodiscard]] std::string submit(const array_request& /*request*/) override {
    log_.state = running;
    return "1";
  }
  [[nodiscard]] std::vector<queued_element> list() override {
    ++log_.num_queries;
    return {{0, 0, log_.state, {}, 0}};
  }
  [[nodiscard]] element_verdict judge(const queued_element& element) const override {
    return {element.state == cancelled, element.state == cancelled, {}};
  }
  [[nodiscard]] std::string describe_loss(const queued_element& /*element*/,
                                          std::string_view /*printed*/) const override {
    return {};
  }
  void cancel_waiting() override {}
  void cancel_element(const std::string& /*job*/, std::size_t /*element*/) override {}
  bool cancel_all() override {
    ++log_.num_cancellations;
    log_.state = cancelled;
    return true;
  }
  void end_all() override {}

 private:
  element_log& log_;
};

std::vector<workload_operation> single_task() {
  std::vector<workload_operation> operations(1);
  operations[0].num_tasks = 1;
  operations[0].task_memory = bytes{1 << 20};
  return operations;
}

class EndlessElement : public ::testing::Test {
 protected:
  EndlessElement() {
    options_.connect = [this](const std::string& /*run*/) {
      return std::make_unique<endless_system>(log_);
    };
    session_ = std::make_unique<session>(work_, options_);
    session_->submit({0, 0, 1}, 7);
    while (log_.state != running) (void)session_->wait(session_->now());
  }

  [[nodiscard]] std::optional<task_completion> wait_for_queries(int count) {
    while (log_.num_queries < count) {
      if (auto completion = session_->wait(session_->now() + 10ms)) return completion;
    }
    return std::nullopt;
  }

  testing::temporary_directory directory_;
  element_log log_;
  testing::scripted_workload work_{single_task()};
  array_options options_{"cluster", 1, directory_.path().string(), {.query = 5ms, .grace = 40ms},
                         true,      {}};
  std::unique_ptr<session> session_;
};

TEST_F(EndlessElement, IsCancelledAfterTheGraceOfAnInterrupt) {
  const interruptible_scope scope;
  request_interrupt();
  session_->cancel();
  const auto completion = wait_for_queries(1000);
  ASSERT_TRUE(completion);
  EXPECT_EQ(completion->ticket, 7U);
  EXPECT_EQ(completion->done, 0);
  EXPECT_FALSE(completion->failure);
  EXPECT_EQ(log_.num_cancellations, 1);
}

TEST_F(EndlessElement, IsWaitedForAfterAFailure) {
  session_->cancel();
  EXPECT_FALSE(wait_for_queries(30));
  EXPECT_EQ(log_.num_cancellations, 0);
}

}  // namespace
}  // namespace tessera::job_arrays
