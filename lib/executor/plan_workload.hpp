// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A plan as a workload: the scheduler's view of its operations.

#include "tessera/executor/execution.hpp"
#include "tessera/executor/workload.hpp"
#include "tessera/plan/planned.hpp"

#include "executor/arena.hpp"
#include "executor/block_task.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// A plan as a workload.
///
/// Makes outputs when their operation begins and lets intermediates go when their last reader has
/// ended.
class plan_workload final : public workload {
 public:
  explicit plan_workload(const bounded_plan& plan);

  [[nodiscard]] const std::vector<workload_operation>& operations() const override {
    return operations_;
  }
  void begin(std::size_t operation) override;
  void run(std::size_t operation, index_t task, std::size_t worker) override;
  void end(std::size_t operation) override;
  [[nodiscard]] std::size_t worker_of(std::size_t operation, index_t task) const override;
  [[nodiscard]] std::string describe(std::size_t operation, index_t task) const override;

  /// Returns the outputs of the plan; called once, after all operations have ended.
  [[nodiscard]] std::vector<computed_output> results() const;

  /// Removes the intermediates in storage.
  void remove_intermediates();

 private:
  void open(std::size_t array);
  void create(live_array& array, const zarr_place& place);
  [[nodiscard]] std::string intermediate_path(const std::string& name);

  const bounded_plan::implementation& plan_;
  std::vector<workload_operation> operations_;
  std::vector<live_array> arrays_;
  /// How many operations that read an array have not ended; one more for an output of the plan.
  std::vector<std::size_t> readers_;
  arena_pool arenas_;
  std::string run_name_;
};

}  // namespace tessera
