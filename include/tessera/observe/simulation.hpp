// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How long a plan would run: a simulated run, and what is learnt from it.

#include "tessera/executor/simulated.hpp"
#include "tessera/observe/history.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/task/run_with.hpp"

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <vector>

namespace tessera {

/// What a simulated run was like.
struct simulation_report {
  session_time elapsed{};
  std::size_t num_workers = 0;
  /// In the plan's order: begins, ends, attempts, failures, backups.
  std::vector<operation_history> operations;

  /// Returns the part of the workers' time in which they ran tasks that ended well, in [0, 1].
  [[nodiscard]] double utilisation() const;
  [[nodiscard]] index_t num_failures() const;
  [[nodiscard]] index_t num_backups() const;
};

/// Prints the time, the workers' utilisation, and a line for each operation.
std::ostream& operator<<(std::ostream& out, const simulation_report& report);

/// Returns what a run of `plan` on the workers that `options` describe would be like. Of
/// `how` the attempts, the time-out and the backups count. Nothing is computed, read or stored.
///
/// Throws: value_error <- as `executors::simulated`. task_error <- a task failed too often.
[[nodiscard]] simulation_report simulate(const bounded_plan& plan, const simulated_options& options,
                                         const run_with& how = {});

/// The same of a plan that knows the types of its results: `simulate(ts::plan(x), {...})`. What
/// `how` does not set is what the plan was made with.
template <class Plan>
requires requires(const Plan& plan) {
  { plan.bounded() } -> std::convertible_to<const bounded_plan&>;
  { plan.made_with() } -> std::convertible_to<const run_with&>;
}
[[nodiscard]] simulation_report simulate(const Plan& plan, const simulated_options& options,
                                         const run_with& how = {}) {
  return simulate(plan.bounded(), options, how.or_else(plan.made_with()));
}

}  // namespace tessera
