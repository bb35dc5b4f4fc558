// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A workload that computes nothing and checks everything that a scheduler promises.

#include "tessera/scheduler/workload.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tessera::testing {

/// Returns an operation; the name is its position, "op0", unless it is set afterwards.
inline workload_operation fake_operation(index_t num_tasks, std::vector<std::size_t> after = {},
                                         bytes task_memory = {}, bytes resident_memory = {},
                                         index_t element_steps_per_task = 1 << 20) {
  workload_operation operation;
  operation.num_tasks = num_tasks;
  operation.after = std::move(after);
  operation.task_memory = task_memory;
  operation.resident_memory = resident_memory;
  operation.element_steps_per_task = element_steps_per_task;
  return operation;
}

/// A workload that computes nothing and checks everything that a scheduler promises.
///
/// `violations` lists the broken promises; a test expects it to be empty.
class fake_workload : public workload {
 public:
  /// Called in each task: operation, task, which attempt of it (from one).
  using body = std::function<void(std::size_t, index_t, int)>;

  explicit fake_workload(std::vector<workload_operation> operations, body run = {})
      : operations_(std::move(operations)), body_(std::move(run)), states_(operations_.size()) {
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (operations_[i].name.empty()) operations_[i].name = "op" + std::to_string(i);
      states_[i].attempts =
          std::vector<std::atomic<int>>(static_cast<std::size_t>(operations_[i].num_tasks));
      states_[i].successes = std::vector<std::atomic<int>>(states_[i].attempts.size());
    }
  }

  const std::vector<workload_operation>& operations() const override { return operations_; }

  void begin(std::size_t operation) override {
    state& progress = states_[operation];
    if (progress.has_begun.exchange(true)) violation("begun twice: ", operation);
    for (const std::size_t source : operations_[operation].after) {
      if (!states_[source].has_ended) violation("begun before a source has ended: ", operation);
    }
    use(operations_[operation].resident_memory.count());
    if (on_begin) on_begin(operation);
  }

  void run(std::size_t operation, index_t task, std::size_t worker) override {
    state& progress = states_[operation];
    if (!progress.has_begun) violation("a task before begin: ", operation);
    if (progress.has_ended) violation("a task after end: ", operation);
    if (worker >= max_workers) violation("no such worker: ", worker);
    const auto position = static_cast<std::size_t>(task);
    const int attempt = ++progress.attempts.at(position);
    use(operations_[operation].task_memory.count());
    const giving_back guard{*this, operations_[operation].task_memory.count()};
    if (body_) body_(operation, task, attempt);
    ++progress.successes.at(position);
  }

  void end(std::size_t operation) override {
    state& progress = states_[operation];
    if (progress.has_ended.exchange(true)) violation("ended twice: ", operation);
    for (const auto& successes : progress.successes) {
      if (successes != 1) violation("a task has not run exactly once: ", operation);
    }
    for (std::size_t source = 0; source < operations_.size(); ++source) {
      if (is_last_reader(operation, source)) {
        const workload_operation& source_operation = operations_[source];
        give_back((source_operation.resident_memory - source_operation.kept_memory).count());
      }
    }
  }

  std::string describe(std::size_t, index_t task) const override {
    return "block (" + std::to_string(task) + ",)";
  }

  [[nodiscard]] bool has_ended() const {
    for (const state& operation_state : states_) {
      if (!operation_state.has_ended) return false;
    }
    return true;
  }

  [[nodiscard]] int attempts(std::size_t operation, index_t task) const {
    return states_[operation].attempts.at(static_cast<std::size_t>(task));
  }

  [[nodiscard]] index_t num_runs() const {
    index_t runs = 0;
    for (const state& operation_state : states_) {
      for (const auto& attempts : operation_state.attempts) runs += attempts;
    }
    return runs;
  }

  /// The most memory that was in use at once, without a baseline.
  [[nodiscard]] std::uint64_t peak() const { return peak_; }

  [[nodiscard]] std::vector<std::string> violations() const {
    const std::lock_guard lock(mutex_);
    return violations_;
  }

  std::size_t max_workers = static_cast<std::size_t>(-1);
  std::function<void(std::size_t)> on_begin;

 private:
  struct state {
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_ended{false};
    std::vector<std::atomic<int>> attempts;
    std::vector<std::atomic<int>> successes;
  };

  struct giving_back {
    fake_workload& owner;
    std::uint64_t size;
    ~giving_back() { owner.give_back(size); }
  };

  bool is_last_reader(std::size_t operation, std::size_t source) const {
    bool reads = false;
    for (std::size_t reader = 0; reader < operations_.size(); ++reader) {
      for (const std::size_t read_operation : operations_[reader].after) {
        if (read_operation != source) continue;
        if (reader == operation) reads = true;
        if (!states_[reader].has_ended) return false;
      }
    }
    return reads;
  }

  void use(std::uint64_t size) {
    const std::uint64_t now = in_use_ += size;
    std::uint64_t peak = peak_;
    while (peak < now && !peak_.compare_exchange_weak(peak, now)) {
    }
  }

  void give_back(std::uint64_t size) { in_use_ -= size; }

  void violation(const std::string& message, std::size_t number) {
    const std::lock_guard lock(mutex_);
    violations_.push_back(message + std::to_string(number));
  }

  std::vector<workload_operation> operations_;
  body body_;
  std::vector<state> states_;
  std::atomic<std::uint64_t> in_use_{0};
  std::atomic<std::uint64_t> peak_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> violations_;
};

}  // namespace tessera::testing
