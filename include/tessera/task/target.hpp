// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a plan is made for: the workers of an executor.

#include "tessera/plan/bounded_plan.hpp"

namespace tessera {

class executor;

/// Returns what a plan must know of the workers of `engine`.
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
