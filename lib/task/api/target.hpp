// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The target of a plan: the workers of an executor.

#include "tessera/plan/bounded_plan.hpp"

#include <vector>

namespace tessera {

class executor;

/// Returns the plan of `outputs` for the workers of `engine`, with their costs and the memory that
/// the processes hold now.
///
/// Throws: as `bounded_plan`. value_error <- the workers are other processes, which cannot run it.
[[nodiscard]] bounded_plan plan_for(std::vector<plan_output> outputs, const spec& limits,
                                    pass_switches passes, const executor& engine);

/// Returns the plan of the outputs of `plan` for the workers of `engine`, with the passes that
/// `plan` was asked for. A plan that was loaded from a file is returned as it is.
[[nodiscard]] bounded_plan planned_anew(const bounded_plan& plan, const executor& engine);

/// Returns the properties of the workers of `engine` that plans depend on.
[[nodiscard]] plan_workers workers_of(const executor& engine);

/// Adds to `workers` the memory that processes of this host hold before a run of `engine`, measured
/// now. Does nothing for ranks of an MPI program: each plans for itself, and their plans must be
/// equal.
void add_processes(plan_workers& workers, const executor& engine);

/// Throws: value_error <- `plan` was made for other workers than those of `engine`: these do not
///         share the memory in which it keeps arrays, are processes besides the one that schedules,
///         or more than its memory bound counts. An executor that only simulates takes every plan.
void check_target(const bounded_plan& plan, const executor& engine);

}  // namespace tessera
