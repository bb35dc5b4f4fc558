// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A workload of which only the scheduling is tested.

#include "tessera/scheduler/process_group.hpp"
#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace tessera::testing {

/// One or more operations that do nothing; some tasks may be done already, or bound to workers.
class idle_workload final : public workload, private group_work {
 public:
  explicit idle_workload(std::vector<index_t> num_tasks, index_t element_steps_per_task = 1 << 30) {
    for (const index_t tasks : num_tasks) {
      workload_operation operation;
      operation.name = "op" + std::to_string(operations_.size());
      operation.num_tasks = tasks;
      operation.element_steps_per_task = element_steps_per_task;
      operation.may_be_duplicated = true;
      operations_.push_back(operation);
    }
  }

  const std::vector<workload_operation>& operations() const override { return operations_; }
  void begin(std::size_t) override {}
  void run(std::size_t, index_t, std::size_t) override { ADD_FAILURE() << "a task was run"; }
  void end(std::size_t operation) override { ended.push_back(operation); }
  std::string describe(std::size_t, index_t task) const override {
    return "task " + std::to_string(task);
  }
  std::vector<task_range> remaining(std::size_t operation) override {
    return unfinished ? *unfinished : workload::remaining(operation);
  }
  std::vector<task_range> needs(std::size_t operation, task_range tasks,
                                std::size_t source) const override {
    return needed ? needed(operation, tasks, source) : workload::needs(operation, tasks, source);
  }
  tessera::group_work* group_work() override { return this; }

  workload_operation& operator[](std::size_t operation) { return operations_[operation]; }

  std::optional<std::vector<task_range>> unfinished;
  std::function<std::vector<task_range>(std::size_t, task_range, std::size_t)> needed;
  /// The worker of each task; empty: any.
  std::vector<std::size_t> bound;
  std::vector<std::size_t> ended;

 private:
  workload_recipe invitation() override { return recipe(); }
  void join(const workload_recipe&) override { ADD_FAILURE() << "it was joined"; }
  bool is_bound_to_workers(std::size_t) const override { return !bound.empty(); }
  std::size_t worker_of(std::size_t, index_t task) const override {
    return bound.at(static_cast<std::size_t>(task));
  }

  std::vector<workload_operation> operations_;
};

}  // namespace tessera::testing
