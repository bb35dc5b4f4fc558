// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A workload that measures the cost of handing out a task.

#include <cstddef>
#include <string>
#include <tessera/scheduler/process_group.hpp>
#include <tessera/scheduler/workload.hpp>
#include <vector>

/// Tasks that do nothing. Their stated size is so large that each is a batch by itself.
class empty_tasks final : public tessera::workload, private tessera::group_work {
 public:
  explicit empty_tasks(tessera::index_t num_tasks) {
    operations_[0].name = "nothing";
    operations_[0].num_tasks = num_tasks;
    operations_[0].element_steps_per_task = tessera::index_t{1} << 40;
  }

  const std::vector<tessera::workload_operation>& operations() const override {
    return operations_;
  }
  void begin(std::size_t) override {}
  void run(std::size_t, tessera::index_t, std::size_t) override {}
  void end(std::size_t) override {}
  std::string describe(std::size_t, tessera::index_t task) const override {
    return "task " + std::to_string(task);
  }
  tessera::workload_recipe recipe() override {
    return {"empty tasks", std::to_string(operations_[0].num_tasks)};
  }
  tessera::group_work* group_work() override { return this; }

 private:
  tessera::workload_recipe invitation() override { return recipe(); }
  void join(const tessera::workload_recipe&) override {}

  std::vector<tessera::workload_operation> operations_{1};
};
