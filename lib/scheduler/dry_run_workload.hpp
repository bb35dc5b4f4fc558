// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A workload with empty tasks, for engines that only predict times.

#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// The operations and dependencies of a workload, with empty tasks, for engines that run nothing.
class dry_run_workload final : public workload {
 public:
  explicit dry_run_workload(const workload& work) : work_(work) {}
  const std::vector<workload_operation>& operations() const override { return work_.operations(); }
  std::vector<task_range> needs(std::size_t operation, task_range tasks,
                                std::size_t source) const override {
    return work_.needs(operation, tasks, source);
  }
  void begin(std::size_t) override {}
  void run(std::size_t, index_t, std::size_t) override {}
  void end(std::size_t) override {}
  std::string describe(std::size_t operation, index_t task) const override {
    return work_.describe(operation, task);
  }

 private:
  const workload& work_;
};

}  // namespace tessera
