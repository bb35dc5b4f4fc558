// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The error for results asked of an executor that only simulates.

#include "tessera/scheduler/scheduler.hpp"

namespace tessera {

/// Throws: value_error <- always, with the predicted time of `work` on `engine`; errors of the
///         simulated run.
[[noreturn]] void throw_prediction(workload& work, executor& engine, run_options options);

}  // namespace tessera
