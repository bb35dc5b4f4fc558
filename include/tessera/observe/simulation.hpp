// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The predicted time of a plan: a simulated run, and its report.

#include "tessera/executor/simulated.hpp"
#include "tessera/observe/history.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/task/run_with.hpp"

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <vector>

namespace tessera {

/// The report of a simulated run.
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

/// The type of `as_planned`.
struct as_planned_t {
  explicit as_planned_t() = default;
};

/// Asks `simulate` to run a plan as it is, with the operations that were chosen for its own
/// workers.
inline constexpr as_planned_t as_planned{};

/// Returns the report of a simulated run on the workers that `options` describe. The outputs of
/// `plan` are planned anew for these workers and their costs; a plan from a file runs as it is. Of
/// `settings` the attempts, the time-out and the backups count. Nothing is computed, read or
/// stored.
///
/// Throws: value_error <- as `executors::simulated`. task_error <- a task failed too often.
///         memory_error <- the new plan needs more memory than is allowed.
[[nodiscard]] simulation_report simulate(const bounded_plan& plan, const simulated_options& options,
                                         const run_with& settings = {});

/// As above, of `plan` as it is: `simulate(plan, {.workers = 1000}, ts::as_planned)`.
[[nodiscard]] simulation_report simulate(const bounded_plan& plan, const simulated_options& options,
                                         as_planned_t, const run_with& settings = {});

/// A plan that knows the types of its results.
template <class Plan>
concept typed_plan = requires(const Plan& plan) {
  { plan.bounded() } -> std::convertible_to<const bounded_plan&>;
  { plan.default_settings() } -> std::convertible_to<const run_with&>;
};

/// The same of a plan that knows the types of its results: `simulate(ts::plan(x), {...})`. Members
/// that `settings` does not set come from the plan.
template <typed_plan Plan>
[[nodiscard]] simulation_report simulate(const Plan& plan, const simulated_options& options,
                                         const run_with& settings = {}) {
  return simulate(plan.bounded(), options, settings.or_else(plan.default_settings()));
}
template <typed_plan Plan>
[[nodiscard]] simulation_report simulate(const Plan& plan, const simulated_options& options,
                                         as_planned_t, const run_with& settings = {}) {
  return simulate(plan.bounded(), options, as_planned, settings.or_else(plan.default_settings()));
}

}  // namespace tessera
