// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The record of a run on simulated workers, to be compared with a closed form.

#include "tessera/executor/simulated.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/fake_workload.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace tessera::testing {

struct recorded_run {
  session_time elapsed{};
  /// Of all attempts that ended well.
  session_time busy{};
  index_t num_tasks = 0;
  index_t num_failures = 0;
  index_t num_backups = 0;
  std::vector<session_time> begins;
  std::vector<session_time> ends;

  [[nodiscard]] bool operator==(const recorded_run&) const = default;
};

/// Writes a run down.
class run_recorder final : public observer {
 public:
  void on_computation_begin(const computation_event& event) override {
    run.begins.resize(event.operations.size());
    run.ends.resize(event.operations.size());
  }
  void on_operation_begin(std::size_t operation, session_time now) override {
    run.begins[operation] = now;
  }
  void on_tasks_end(const tasks_event& event) override {
    run.num_tasks += event.count;
    run.busy += event.ended - event.started;
  }
  void on_backup(std::size_t, index_t, session_time) override { ++run.num_backups; }
  void on_failure(const failure_event&) override { ++run.num_failures; }
  void on_operation_end(std::size_t operation, session_time now) override {
    run.ends[operation] = now;
  }
  void on_computation_end(computation_outcome, session_time now) override { run.elapsed = now; }

  recorded_run run;
};

/// Runs `operations` on simulated workers.
inline recorded_run record(const std::vector<workload_operation>& operations,
                           const simulated_options& workers, run_options options = {}) {
  const auto recorder = std::make_shared<run_recorder>();
  options.observers.push_back(recorder);
  fake_workload work(operations);
  run(work, *executors::simulated(workers), options);
  return recorder->run;
}

}  // namespace tessera::testing
