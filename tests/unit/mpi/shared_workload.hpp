// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A workload that every rank makes for itself, and that counts the runs of each task on each rank.

#include "tessera/core/error.hpp"
#include "tessera/scheduler/process_group.hpp"
#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <functional>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera::testing {

/// Operations that follow one another, with tasks that only call `body`.
class shared_workload final : public workload, private group_work {
 public:
  using body = std::function<void(std::size_t operation, index_t task, std::size_t worker)>;

  shared_workload(std::string identity, const std::vector<index_t>& num_tasks, body run = {})
      : identity_(std::move(identity)), body_(std::move(run)) {
    for (std::size_t i = 0; i < num_tasks.size(); ++i) {
      workload_operation operation;
      operation.name = "op" + std::to_string(i);
      operation.num_tasks = num_tasks[i];
      operation.element_steps_per_task = element_steps_per_task;
      if (i > 0) operation.after = {i - 1};
      operations_.push_back(operation);
      runs_.emplace_back(static_cast<std::size_t>(num_tasks[i]));
    }
  }

  const std::vector<workload_operation>& operations() const override { return operations_; }
  void begin(std::size_t) override { ++num_begun; }
  void run(std::size_t operation, index_t task, std::size_t worker) override {
    ++runs_[operation].at(static_cast<std::size_t>(task));
    if (body_) body_(operation, task, worker);
  }
  void end(std::size_t) override { ++num_ended; }
  std::string describe(std::size_t, index_t task) const override {
    return "block (" + std::to_string(task) + ",)";
  }
  tessera::group_work* group_work() override { return this; }

  /// Returns how often each task of an operation was run, on all ranks of `comm` together.
  [[nodiscard]] std::vector<int> runs(std::size_t operation, MPI_Comm comm) const {
    std::vector<int> counts = runs_[operation];
    MPI_Allreduce(MPI_IN_PLACE, counts.data(), static_cast<int>(counts.size()), MPI_INT, MPI_SUM,
                  comm);
    return counts;
  }

  /// Makes task t one of worker t modulo `count` alone.
  void bind_to_workers(std::size_t count) { num_workers = count; }

  static constexpr index_t element_steps_per_task = 1 << 20;
  int num_begun = 0;
  int num_ended = 0;
  bool has_joined = false;

 private:
  workload_recipe invitation() override { return {"shared", identity_}; }
  void join(const workload_recipe& leader) override {
    has_joined = true;
    if (leader.kind == "shared" && leader.content == identity_) return;
    throw value_error("this is \"" + identity_ + "\", but the first rank's is \"" + leader.content +
                      "\"");
  }
  bool is_bound_to_workers(std::size_t) const override { return num_workers != 0; }
  std::size_t worker_of(std::size_t, index_t task) const override {
    return static_cast<std::size_t>(task) % num_workers;
  }

  std::string identity_;
  body body_;
  std::vector<workload_operation> operations_;
  std::vector<std::vector<int>> runs_;
  std::size_t num_workers = 0;
};

}  // namespace tessera::testing
