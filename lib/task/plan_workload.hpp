// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A plan as a workload: the scheduler's view of its operations.

#include "tessera/plan/planned.hpp"
#include "tessera/scheduler/team.hpp"
#include "tessera/scheduler/workload.hpp"
#include "tessera/store/run_directory.hpp"
#include "tessera/task/execution.hpp"
#include "tessera/task/run_with.hpp"

#include "task/arena.hpp"
#include "task/array_memory.hpp"
#include "task/block_task.hpp"

#include <cstddef>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A plan as a workload.
///
/// In the process that schedules it makes outputs when their operation begins, or takes those over
/// that an earlier run has left, and lets intermediates go when their last reader has ended. In a
/// process that only runs its tasks it opens what that process has made.
class plan_workload final : public workload, private teamwork {
 public:
  /// `resume`: what becomes of an earlier run's work; not set: `default_resume()` as it is then.
  explicit plan_workload(bounded_plan plan, std::optional<resume_mode> resume = std::nullopt);
  ~plan_workload() override;

  /// Makes the workload that `recipe` of another one describes, in a process that runs its tasks.
  [[nodiscard]] static std::unique_ptr<workload> from_recipe(const std::string& content);

  [[nodiscard]] const std::vector<workload_operation>& operations() const override {
    return operations_;
  }
  void begin(std::size_t operation) override;
  [[nodiscard]] std::vector<task_range> remaining(std::size_t operation) override;
  [[nodiscard]] std::vector<task_range> needs(std::size_t operation, task_range tasks,
                                              std::size_t source) const override;
  void run(std::size_t operation, index_t task, std::size_t worker) override;
  void end(std::size_t operation) override;
  void limit_tasks(bytes all) override { arenas_.set_limit(all.count()); }
  [[nodiscard]] std::string describe(std::size_t operation, index_t task) const override;
  [[nodiscard]] workload_recipe recipe() override;
  [[nodiscard]] tessera::teamwork* teamwork() override { return this; }

  /// Makes what was stored part of the arrays to which it was appended; called once all operations
  /// have ended, before anybody in any process looks at the results.
  void commit();

  /// Returns the outputs of the plan; called once, after all operations have ended.
  [[nodiscard]] std::vector<computed_output> results();

  /// Removes the intermediates in storage, and what was noted for a run that is continued.
  void finish();

  /// Returns how to continue a run that did not end; empty where nothing of it is kept.
  [[nodiscard]] std::string how_to_continue();

 private:
  [[nodiscard]] workload_recipe invitation() override;
  void join(const workload_recipe& leader) override;
  [[nodiscard]] bool is_bound_to_workers(std::size_t operation) const override;
  [[nodiscard]] std::size_t worker_of(std::size_t operation, index_t task) const override;

  void open(std::size_t array);
  void lead();
  void hold_directory(const std::string& identity);
  void serve(const nlohmann::json& recipe);
  void claim_results();
  void refuse_kept_arrays();
  void name_intermediates();
  void take_over(bool has_results);
  static void set_sink(live_array& array, std::shared_ptr<const array_sink> sink);
  static void set_elements(live_array& array, std::shared_ptr<std::byte[]> elements);
  void attach(live_array& array);
  void attach_all(const planned_operation& planned);
  [[nodiscard]] std::shared_ptr<const array_destination> destination_of(
      const live_array& array, const stored_place& place) const;
  [[nodiscard]] std::string identity() const;

  bounded_plan bounded_;
  const bounded_plan::implementation& plan_;
  std::optional<resume_mode> resume_;
  std::vector<workload_operation> operations_;
  std::vector<live_array> arrays_;
  array_memory memory_;
  /// Those of them that another process has in memory and that are mapped here.
  std::vector<live_array*> mapped_;
  /// How many operations that read an array have not ended; one more for an output of the plan.
  std::vector<std::size_t> readers_;
  arena_pool arenas_;
  bool is_stored_ = false;   ///< whether anything is computed into storage
  bool is_serving_ = false;  ///< whether another process schedules
  bool is_resumed_ = false;  ///< whether an earlier run is continued
  /// Empty where the plan is equal to itself alone.
  std::string identity_;
  std::string directory_;
  /// What the intermediates in storage are called in it, by array.
  std::vector<std::string> names_;
  std::optional<run_directory> held_directory_;
  /// The claims on the results in storage, of the process that schedules.
  std::vector<std::unique_ptr<array_claim>> claims_;
  /// For each operation, what an earlier run has left; nothing: no run is continued.
  std::optional<std::vector<std::vector<task_range>>> left_;
  std::mutex attaching_;
};

}  // namespace tessera
