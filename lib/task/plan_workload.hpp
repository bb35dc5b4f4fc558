// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A plan as a workload: the scheduler's view of its operations.
///
/// Problem: the scheduler knows numbered tasks, not arrays. Arrays must exist before their tasks
/// run, live as long as they are read, and be found by worker processes and by a resumed run.
///
/// Idea: each process has a `plan_workload` of the same plan, in one of two roles:
///
///     leader:  claims results, holds the run's directory, creates outputs when their operation
///              begins (or adopts those of an earlier run), frees arrays in memory behind their
///              last reader, commits results and removes intermediates at the end
///     server:  opens arrays that the leader has created, when a task needs them
///
/// A server finds the arrays of its leader by the recipe (JSON: directory, identity, hash of
/// tasks, names of intermediates, shared memory).
///
/// Invariant: a run holds the claims of all its results or of none; nothing is written before.
/// Reference: identity and resumption follow the rule of Make: same inputs and same recipe, same
/// result.

#include "tessera/scheduler/process_group.hpp"
#include "tessera/scheduler/workload.hpp"
#include "tessera/store/run_directory.hpp"
#include "tessera/task/execution.hpp"
#include "tessera/task/run_with.hpp"

#include "core/api/overwriting.hpp"
#include "executor/api/named_run.hpp"
#include "plan/api/intermediates.hpp"
#include "plan/api/planned.hpp"
#include "task/api/continuation_listener.hpp"
#include "task/arena.hpp"
#include "task/array_memory.hpp"
#include "task/block_task.hpp"
#include "task/ended_tasks.hpp"

#include <cstddef>
#include <future>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A plan as a workload, in the process that schedules it or in one that only runs its tasks.
class plan_workload final : public workload, public named_run, private group_work {
 public:
  /// `resume` decides about the work of an earlier run; nullopt: `default_resume()` when it begins.
  explicit plan_workload(bounded_plan plan, std::optional<resume_mode> resume = std::nullopt);
  ~plan_workload() override;

  /// Returns the workload that `content`, of the recipe of another process, describes.
  [[nodiscard]] static std::unique_ptr<workload> from_recipe(const std::string& content);

  [[nodiscard]] const std::vector<workload_operation>& operations() const override {
    return operations_;
  }
  void begin(std::size_t operation) override;
  [[nodiscard]] std::vector<task_range> remaining(std::size_t operation) override;
  [[nodiscard]] std::vector<task_range> needs(std::size_t operation, task_range tasks,
                                              std::size_t source) const override;
  void run(std::size_t operation, index_t task, std::size_t worker) override;
  void run_in_order(std::size_t operation, task_range tasks, std::size_t worker,
                    index_t& done) override;
  void end(std::size_t operation) override;
  void limit_tasks(bytes limit) override { arenas_.set_limit(limit.count()); }
  [[nodiscard]] std::string describe(std::size_t operation, index_t task) const override;
  [[nodiscard]] workload_recipe recipe() override;
  [[nodiscard]] tessera::group_work* group_work() override { return this; }
  /// Returns the identity of a plan that stores something.
  [[nodiscard]] std::string run_name() override;

  /// Lets the servers of results be asked how their claims work, in a thread beside the begin of
  /// the run.
  void prepare_claims();

  /// Commits stored results, such as appended chunks. Call it once, when all operations have ended
  /// and before any process reads results.
  void commit();

  /// Returns the outputs of the plan. Call it once, when all operations have ended.
  [[nodiscard]] std::vector<computed_output> results();

  /// Removes the intermediates in storage and the run's directory.
  void finish();

  /// Returns a sentence that tells users how to resume the run, or "" if nothing of it is kept.
  [[nodiscard]] std::string how_to_continue();

  /// Tells those of `observers` that listen if the run continues an earlier one.
  void tell_continuation_to(const std::vector<std::shared_ptr<observer>>& observers);

  /// Returns a clause that tells how many of the ended tasks run again when a later run continues,
  /// because their outputs are in memory, or "" if all are kept.
  [[nodiscard]] std::string loss_of(const ended_tasks& ended) const;

 private:
  [[nodiscard]] workload_recipe invitation() override;
  void join(const workload_recipe& leader) override;
  [[nodiscard]] bool is_bound_to_workers(std::size_t operation) const override;
  [[nodiscard]] std::size_t worker_of(std::size_t operation, index_t task) const override;

  void open(std::size_t array);
  void lead();
  void hold_directory(const std::string& identity);
  void serve(const nlohmann::json& recipe);
  void examine_results();
  void claim_results();
  void refuse_kept_arrays();
  void refuse_results_and_sources();
  [[nodiscard]] std::optional<std::string> known_state() const;
  void refuse_overwriting() const;
  [[nodiscard]] bool overwrites_files() const;
  void refuse_unfinished_sources();
  void refuse_unfinished(const stored_placement& location) const;
  [[nodiscard]] std::vector<const overwriting_destination*> overwritten() const;
  void leave_notes() const;
  void remove_stopped_appends(const overwriting_destination& to) const;
  void remove_notes() const;
  [[nodiscard]] bool has_unfinished_source() const;
  void name_intermediates();
  void adopt_earlier_run(bool has_results);
  void tell_continuation() const;
  static void set_sink(live_array& array, std::shared_ptr<const array_sink> sink);
  static void set_elements(live_array& array, std::shared_ptr<std::byte[]> elements);
  void create(live_array& array, const stored_placement& location, bool is_overwriting);
  void attach(live_array& array);
  void attach_all(const planned_operation& planned);
  [[nodiscard]] std::shared_ptr<const array_destination> destination_of(
      const live_array& array, const stored_placement& location) const;
  [[nodiscard]] std::string identity();

  bounded_plan bounded_;
  const bounded_plan::implementation& plan_;
  std::optional<resume_mode> resume_;
  std::vector<workload_operation> operations_;
  std::vector<live_array> arrays_;
  array_memory memory_;
  /// The arrays in the memory of another process that are mapped in this one.
  std::vector<live_array*> mapped_;
  /// For each array, the number of operations that read it and have not ended; one more for an
  /// output of the plan.
  std::vector<std::size_t> readers_;
  arena_pool arenas_;
  /// For each operation, whether it overwrites an array that the plan reads.
  std::vector<bool> are_overwriting_;
  bool are_sources_checked_ = false;
  bool is_stored_ = false;   ///< whether anything is computed into storage
  bool is_serving_ = false;  ///< whether another process schedules
  bool is_resumed_ = false;  ///< whether an earlier run is continued
  /// Empty if the plan cannot be recognised by another process.
  std::string identity_;
  /// The contents of sources, which the identity and the names of intermediates depend on.
  content_hashes contents_;
  std::string directory_;
  /// For each array, its name in the directory if it is an intermediate.
  std::vector<std::string> names_;
  std::optional<run_directory> run_directory_;
  /// The claims on stored results, in the process that schedules.
  std::vector<std::unique_ptr<array_claim>> claims_;
  /// The state of the results, if it was found while claims were confirmed.
  std::optional<std::string> state_of_results_;
  /// For each operation, the tasks that an earlier run has left; nullopt: no run is resumed.
  std::optional<std::vector<std::vector<task_range>>> tasks_left_;
  std::vector<std::shared_ptr<observer>> listeners_;
  std::mutex attach_mutex_;  ///< guards `arrays_` and `mapped_` while a task opens its arrays
  /// Ends before the plan does.
  std::future<void> preparation_;
};

}  // namespace tessera
