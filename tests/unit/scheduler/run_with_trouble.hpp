// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A run with an event that happens to its engine.

#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/detail/counting_observer.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::testing {

/// Returns an operation with a batch for each task, even if a batch costs a second.
inline workload_operation huge_tasks(index_t count, std::vector<std::size_t> after = {}) {
  return {.name = {},
          .num_tasks = count,
          .element_steps_per_task = index_t{1} << 40,
          .task_memory = bytes{16 << 20},
          .resident_memory = {},
          .after = std::move(after)};
}

/// Runs `work`, does `trouble` once `num_begun` of its tasks have begun, and returns the causes of
/// all failed attempts.
inline std::vector<std::string> run_with_trouble(scripted_workload& work, executor& engine,
                                                 index_t num_begun,
                                                 const std::function<void()>& trouble) {
  const auto counts = std::make_shared<counting_observer>();
  run_options options;
  options.observers = {counts};
  options.retry.first_pause = {};
  const std::jthread troublemaker([&](const std::stop_token& is_over) {
    while (!is_over.stop_requested() && work.num_runs() < num_begun) {
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
    if (!is_over.stop_requested()) trouble();
  });
  run(work, engine, options);
  return counts->causes;
}

}  // namespace tessera::testing
