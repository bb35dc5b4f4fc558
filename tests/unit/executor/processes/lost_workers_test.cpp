// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/detail/counting_observer.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include "unit/executor/processes/worker_killer.hpp"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

using testing::counting_observer;
using testing::scripted_workload;

std::vector<workload_operation> two_operations() {
  std::vector<workload_operation> operations(2);
  operations[0].num_tasks = 2000;
  operations[0].element_steps_per_task = 1 << 20;
  operations[1].num_tasks = 3000;
  operations[1].element_steps_per_task = 1;
  operations[1].after = {0};
  return operations;
}

TEST(WorkersKilledAtRandom, CostNoMoreThanAttempts) {
  constexpr int num_kills = 100;
  const auto engine = executors::processes(3);
  std::atomic<int> kills{0};
  const std::jthread killer([&kills](const std::stop_token& is_over) {
    std::mt19937 draw(20260101);
    while (kills < num_kills && !is_over.stop_requested()) {
      if (testing::kill_a_worker(getpid(), draw)) ++kills;
      std::this_thread::sleep_for(std::chrono::microseconds{draw() % 3000});
    }
  });
  std::size_t num_failures = 0;
  while (kills < num_kills) {
    scripted_workload work(two_operations());
    const auto counts = std::make_shared<counting_observer>();
    run_options options;
    options.retry = {.max_attempts = num_kills + 1, .first_pause = {}};
    options.observers = {counts};
    run(work, *engine, options);
    ASSERT_TRUE(work.has_ended());
    ASSERT_EQ(counts->num_tasks, 5000);
    num_failures += counts->causes.size();
  }
  EXPECT_GT(num_failures, 0U);
  EXPECT_LE(num_failures, static_cast<std::size_t>(num_kills));
}

}  // namespace
}  // namespace tessera
