// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A workload that computes nothing, follows a script, and checks the promises of a scheduler, also
/// if its tasks run in other processes of this host.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/process_group.hpp"
#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace tessera::testing {

/// The action of a task besides being counted.
enum class scripted_action : std::uint32_t {
  wait_for_tasks,      ///< waits until `amount` tasks have been running at the same time
  wait_for_operation,  ///< waits until every task of the operation `amount` has run
  stop_the_run,        ///< asks for a cancellation and waits until `confirm_stop`
  use_memory,          ///< uses `amount` bytes for a moment; std::bad_alloc if it cannot
  refuse_memory,       ///< throws std::bad_alloc
  fail_in_passing,     ///< throws a store_error that may pass: "busy"
  fail,                ///< throws a std::runtime_error: "no such chunk"
  crash,               ///< ends its process as a wrong pointer does: SIGSEGV
  exit,                ///< ends its process with the exit code `amount`
  be_killed,           ///< ends its process as `kill -9` does
  hang,                ///< never ends
};

/// The action of some attempts at some tasks of an operation, in the order of the script.
struct script_rule {
  scripted_action action = scripted_action::fail;
  std::uint64_t amount = 0;
  std::size_t operation = 0;
  task_range tasks{0, std::numeric_limits<index_t>::max()};
  /// The last attempt, counted from one, that it applies to.
  int last_attempt = std::numeric_limits<int>::max();
};

/// A workload that computes nothing, follows a script, and checks the promises of a scheduler.
///
/// Everything that it counts lies in a file that all processes that run its tasks have mapped;
/// `recipe` names the file, which is removed at the end of the workload that made it.
///
/// Memory that an operation declares counts as used while one of its tasks runs. `peak` is the sum
/// of declarations, not a measurement.
///
/// Threads: as a workload. Counts may be asked for at any time.
class scripted_workload : public workload, private group_work {
 public:
  /// Operations without a name are called by their position: "op0".
  ///
  /// Throws: std::system_error <- the file cannot be made.
  explicit scripted_workload(std::vector<workload_operation> operations,
                             const std::vector<script_rule>& script = {});
  /// Joins the workload whose recipe has this content.
  ///
  /// Throws: std::system_error <- the file cannot be mapped.
  explicit scripted_workload(const std::string& path);
  ~scripted_workload() override;

  [[nodiscard]] const std::vector<workload_operation>& operations() const override {
    return operations_;
  }
  /// Returns the tasks that have not ended well.
  [[nodiscard]] std::vector<task_range> remaining(std::size_t operation) override;
  [[nodiscard]] std::vector<task_range> needs(std::size_t operation, task_range tasks,
                                              std::size_t source) const override;
  void begin(std::size_t operation) override;
  void run(std::size_t operation, index_t task, std::size_t worker) override;
  void end(std::size_t operation) override;
  [[nodiscard]] std::string describe(std::size_t operation, index_t task) const override;
  [[nodiscard]] workload_recipe recipe() override;
  [[nodiscard]] tessera::group_work* group_work() override { return this; }

  /// Makes each task of an operation need but the one of the same number of the operation that it
  /// comes after, which is one and has no fewer tasks.
  void read_in_step(std::size_t operation);

  /// Counts the finished tasks of `earlier`, a stopped workload of the same operations, as done:
  /// the run of this one does the rest.
  void go_on_with(const scripted_workload& earlier);

  /// Makes a task on a worker of this number or a higher one a violation.
  void set_num_workers(std::size_t count);

  [[nodiscard]] bool has_ended() const;
  /// Returns how often a task was started.
  [[nodiscard]] int attempts(std::size_t operation, index_t task) const;
  /// Returns how often tasks were started in all.
  [[nodiscard]] index_t num_runs() const;
  /// Returns the most memory that was in use at once, without a baseline.
  [[nodiscard]] std::uint64_t peak() const;
  /// Returns the broken promises; a test expects none.
  [[nodiscard]] std::vector<std::string> violations() const;

  /// Tells whether a task waits in `scripted_action::stop_the_run`, and lets all of them go on.
  [[nodiscard]] bool is_asked_to_stop() const;
  void confirm_stop();

 private:
  class state;
  class running_task;

  [[nodiscard]] workload_recipe invitation() override { return recipe(); }
  void join(const workload_recipe& leader) override;
  [[nodiscard]] bool reads_in_step(std::size_t operation) const;
  void wait(const script_rule& rule);
  void release_sources(std::size_t operation);

  std::vector<workload_operation> operations_;
  std::unique_ptr<state> state_;
};

}  // namespace tessera::testing
