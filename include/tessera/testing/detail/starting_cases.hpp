// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conformance of executors: the starts of workers.

#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/observer.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/detail/running_cases.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <vector>

namespace tessera::testing {

/// Compares the starts of workers with the batches that they run.
class start_observer final : public observer {
 public:
  void on_worker_start(const worker_start& start) override {
    EXPECT_FALSE(start.host.empty());
    EXPECT_LE(start.asked, start.ready);
    starts[start.worker].push_back(start);
  }
  void on_tasks_end(const tasks_event& event) override {
    ++num_batches[event.worker];
    const std::vector<worker_start>& told = starts[event.worker];
    // Batches of job arrays, each on a worker of its own, may end in another order than they begin.
    const auto first = std::ranges::min_element(told, {}, &worker_start::ready);
    ASSERT_NE(first, told.end()) << "worker " << event.worker;
    EXPECT_LE(first->ready, event.started) << "worker " << event.worker;
  }

  std::map<std::size_t, std::vector<worker_start>> starts;
  std::map<std::size_t, std::size_t> num_batches;
};

/// Runs tasks on all workers of `engine`, and returns the starts.
inline std::shared_ptr<start_observer> run_and_note_starts(executor& engine) {
  const auto count = static_cast<index_t>(engine.num_workers());
  scripted_workload work({large_tasks(2 * count), large_tasks(count, {0})});
  auto noted = std::make_shared<start_observer>();
  run_options options;
  options.backups.is_on = false;  // a backup has a start, and may be dropped
  options.observers = {noted};
  run(work, engine, options);
  EXPECT_FALSE(noted->num_batches.empty());
  return noted;
}

/// A worker that runs batches is told once, before its first batch ends.
inline void tells_the_start_of_each_worker(executor& engine) {
  const auto noted = run_and_note_starts(engine);
  for (const auto& [worker, told] : noted->starts) {
    EXPECT_LT(worker, engine.num_workers());
    EXPECT_EQ(told.size(), 1U) << "worker " << worker;
  }
}

/// Each batch has a worker of its own, which takes a number of one that has ended.
inline void tells_the_start_of_each_batch(executor& engine) {
  const auto noted = run_and_note_starts(engine);
  for (const auto& [worker, count] : noted->num_batches) {
    EXPECT_EQ(noted->starts[worker].size(), count) << "worker " << worker;
  }
}

}  // namespace tessera::testing
