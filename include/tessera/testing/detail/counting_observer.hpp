// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts the events of a computation, and checks that they are consistent.

#include "tessera/core/index.hpp"
#include "tessera/executor/observer.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace tessera::testing {

/// Counts the events of a computation, and checks that they are consistent.
class counting_observer final : public observer {
 public:
  void on_computation_begin(const computation_event& event) override {
    num_operations = event.operations.size();
    num_workers = event.num_workers;
  }
  void on_operation_begin(std::size_t, session_time) override { ++num_begun; }
  void on_tasks_end(const tasks_event& event) override {
    num_tasks += event.count;
    last_attempt = std::max(last_attempt, event.attempt);
    has_bad_event |= event.worker >= num_workers || event.ended < event.started;
  }
  void on_failure(const failure_event& event) override { causes.push_back(event.cause); }
  void on_operation_end(std::size_t, session_time) override { ++num_ended; }
  void on_computation_end(computation_outcome how, session_time) override {
    outcomes.push_back(how);
  }

  std::size_t num_operations = 0;
  std::size_t num_workers = 0;
  std::size_t num_begun = 0;
  std::size_t num_ended = 0;
  index_t num_tasks = 0;
  int last_attempt = 0;
  bool has_bad_event = false;
  std::vector<std::string> causes;
  std::vector<computation_outcome> outcomes;
};

}  // namespace tessera::testing
