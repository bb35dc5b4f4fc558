// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tasks of a run that have ended, for the error of a run that stops.

#include "tessera/scheduler/observer.hpp"

#include "scheduler/api/finished_tasks.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// The tasks of each operation that have ended in this run.
class ended_tasks final : public observer {
 public:
  explicit ended_tasks(std::size_t num_operations) : tasks_(num_operations) {}

  void on_tasks_end(const tasks_event& event) override {
    tasks_[event.operation].add({event.first, event.first + event.count});
    num_ended_ += event.count;
  }

  [[nodiscard]] bool has(std::size_t operation, index_t task) const {
    return !tasks_[operation].last_missing({task, task + 1});
  }
  [[nodiscard]] index_t size() const { return num_ended_; }

 private:
  std::vector<finished_tasks> tasks_;
  index_t num_ended_ = 0;
};

}  // namespace tessera
