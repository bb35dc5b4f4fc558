// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs a plan.

#include "tessera/core/array_sink.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/task/run_with.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace tessera {

/// The result of one output of a plan.
struct computed_output {
  /// The elements, dense in row-major order; set for an output into memory.
  std::shared_ptr<std::byte[]> elements;
  /// The array; set for an output with a destination.
  std::shared_ptr<const array_sink> stored = nullptr;
};

/// Runs a plan and returns its outputs in the order in which they were asked for.
///
/// There is no observer if `settings` names none.
///
/// Throws: memory_error <- the plan needs more memory than is allowed, before a byte moves;
///         value_error <- an output would be stored over an array that the plan reads; or as
///         `check_target`; or the executor only simulates: the message tells how long it takes the
///         run to be;
///         task_error <- a task failed; interrupted_error <- an interrupt stopped the run.
[[nodiscard]] std::vector<computed_output> execute(const bounded_plan& plan,
                                                   const run_with& settings = {});

/// Runs a plan to store its results; outputs into memory are let go.
///
/// On an executor that only simulates, nothing is computed, read or written: the observers see the
/// events of the simulation.
///
/// Throws: as `execute`.
void run(const bounded_plan& plan, const run_with& settings = {});

}  // namespace tessera
