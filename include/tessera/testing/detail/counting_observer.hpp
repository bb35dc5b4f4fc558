// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts the events of a computation, and checks that they are consistent.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/observer.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera::testing {

/// Counts the events of a computation, and checks that they are consistent. Each task ends well
/// once, between the begin and the end of its operation. Operations begin after the operations in
/// `after` have begun, and end after the tasks of these have ended.
class counting_observer final : public observer {
 public:
  void on_computation_begin(const computation_event& event) override {
    num_operations = event.operations.size();
    num_workers = event.num_workers;
    operations_.clear();
    for (const workload_operation& planned : event.operations) {
      operation state;
      state.after = planned.after;
      state.has_ended.resize(static_cast<std::size_t>(planned.num_tasks));
      operations_.push_back(std::move(state));
    }
  }
  void on_operation_begin(std::size_t operation, session_time) override {
    ++num_begun;
    operations_[operation].has_begun = true;
    for (const std::size_t source : operations_[operation].after) {
      has_bad_event |= !operations_[source].has_begun;
    }
  }
  void on_tasks_resumed(std::size_t operation, index_t count) override {
    num_resumed += count;
    has_bad_event |= !operations_[operation].has_begun || operations_[operation].num_resumed > 0;
    operations_[operation].num_resumed = count;
  }
  void on_tasks_end(const tasks_event& event) override {
    num_tasks += event.count;
    last_attempt = std::max(last_attempt, event.attempt);
    workers.insert(event.worker);
    operation& state = operations_[event.operation];
    state.first_started = std::min(state.first_started, event.started);
    state.last_ended = std::max(state.last_ended, event.ended);
    has_bad_event |= event.worker >= num_workers || event.ended < event.started || !state.has_begun;
    const auto first = state.has_ended.begin() + event.first;
    has_bad_event |= std::find(first, first + event.count, true) != first + event.count;
    std::fill(first, first + event.count, true);
  }
  void on_failure(const failure_event& event) override { causes.push_back(event.cause); }
  void on_operation_end(std::size_t operation, session_time) override {
    ++num_ended;
    has_bad_event |= !operations_[operation].is_done();
    for (const std::size_t source : operations_[operation].after)
      has_bad_event |= !operations_[source].is_done();
  }
  void on_computation_end(computation_outcome outcome, session_time) override {
    outcomes.push_back(outcome);
  }

  /// Returns when the first of an operation's tasks that have ended well started.
  [[nodiscard]] session_time first_started(std::size_t operation) const {
    return operations_[operation].first_started;
  }
  [[nodiscard]] session_time last_ended(std::size_t operation) const {
    return operations_[operation].last_ended;
  }

  std::size_t num_operations = 0;
  std::size_t num_workers = 0;
  std::size_t num_begun = 0;
  std::size_t num_ended = 0;
  index_t num_tasks = 0;
  index_t num_resumed = 0;
  int last_attempt = 0;
  bool has_bad_event = false;
  /// The workers on which a task has ended well.
  std::set<std::size_t> workers;
  std::vector<std::string> causes;
  std::vector<computation_outcome> outcomes;

 private:
  struct operation {
    std::vector<std::size_t> after;
    std::vector<bool> has_ended;  ///< for each task, whether it has ended well
    index_t num_resumed = 0;
    bool has_begun = false;
    session_time first_started = session_time::max();
    session_time last_ended{};

    [[nodiscard]] bool is_done() const {
      return std::count(has_ended.begin(), has_ended.end(), false) == num_resumed;
    }
  };

  std::vector<operation> operations_;
};

}  // namespace tessera::testing
