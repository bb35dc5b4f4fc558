// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The time of a run on an executor that only simulates.

#include "tessera/scheduler/scheduler.hpp"

#include "plan/api/operation_totals.hpp"

#include <vector>

namespace tessera {

/// Returns the time of a run of `work` on `engine`, which only simulates.
///
/// Throws: as `run` of a workload.
[[nodiscard]] session_time simulated_time(workload& work, executor& engine, run_options options);

/// Returns the time of a run of these operations. A task begins once all operations that come
/// before its operation have ended. The time is an upper bound: a run starts a task as soon as its
/// inputs are there. The memory of the tasks and arrays is left out.
[[nodiscard]] session_time simulated_time(const std::vector<operation_totals>& operations,
                                          executor& engine);

}  // namespace tessera
