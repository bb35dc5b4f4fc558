// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The simulated time of a run.

#include "tessera/scheduler/scheduler.hpp"

#include "plan/api/operation_totals.hpp"

#include <vector>

namespace tessera {

/// Returns the time of a run of `work` on `engine`, an executor that simulates and computes
/// nothing.
///
/// Throws: as `run` of a workload.
[[nodiscard]] session_time simulated_time(workload& work, executor& engine, run_options options);

/// Returns the time of a run of `operations` on `engine`. A task begins when all operations before
/// its operation have ended. The time is an upper bound: a run starts a task as soon as its inputs
/// are there. The simulation ignores the memory of tasks and arrays.
[[nodiscard]] session_time simulated_time(const std::vector<operation_totals>& operations,
                                          executor& engine);

}  // namespace tessera
