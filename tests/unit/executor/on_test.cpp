// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/on.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/detail/running_cases.hpp"

#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>

namespace tessera {
namespace {

using executors::on;

using loop_body = std::function<void(std::size_t)>;

void call_in_turn(std::size_t n, const loop_body& body) {
  for (std::size_t i = 0; i < n; ++i) body(i);
}

TEST(On, HasAWorkerLessThanThreadsAndAtLeastOne) {
  EXPECT_EQ(on(3, call_in_turn)->name(), "on:3");
  EXPECT_EQ(on(3, call_in_turn)->num_workers(), 2U);
  EXPECT_EQ(on(1, call_in_turn)->num_workers(), 1U);
}

TEST(On, RefusesNoWorkersAndNoLoop) {
  EXPECT_THROW((void)on(0, call_in_turn), value_error);
  EXPECT_THROW((void)on(1, nullptr), value_error);
}

TEST(On, RefusesALoopThatCallsNoBody) {
  testing::scripted_workload work({testing::tiny_tasks(8)});
  EXPECT_THROW(run(work, *on(2, [](std::size_t, const loop_body&) {})), value_error);
}

TEST(On, PassesOnTheErrorOfTheLoop) {
  testing::scripted_workload work({testing::tiny_tasks(8)});
  const auto engine = on(2, [](std::size_t, const loop_body&) { throw std::domain_error("host"); });
  EXPECT_THROW(run(work, *engine), std::domain_error);
}

TEST(On, CallsTheLoopOnceForAComputation) {
  int num_calls = 0;
  testing::scripted_workload work({testing::tiny_tasks(1000)});
  run(work, *on(1, [&](std::size_t n, const loop_body& body) {
        ++num_calls;
        call_in_turn(n, body);
      }));
  EXPECT_EQ(num_calls, 1);
}

TEST(On, NeedsNotAllCallsOfTheLoop) {
  testing::scripted_workload work({testing::tiny_tasks(1000)});
  run(work, *on(4, [](std::size_t, const loop_body& body) { body(3); }));
  EXPECT_EQ(work.num_runs(), 1000);
}

TEST(On, ServesMoreCallsThanItsThreads) {
  testing::scripted_workload work({testing::tiny_tasks(1000)});
  run(work, *on(2, [](std::size_t, const loop_body& body) { call_in_turn(5, body); }));
  EXPECT_EQ(work.num_runs(), 1000);
}

}  // namespace
}  // namespace tessera
