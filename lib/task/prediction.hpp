// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How long a run would take, where an engine only simulates.

#include "tessera/scheduler/scheduler.hpp"

namespace tessera {

/// Throws: value_error <- always: there are no results; the message tells how long the run of
///         `work` takes on `engine`. What the run itself throws.
[[noreturn]] void throw_prediction(workload& work, executor& engine, run_options options);

}  // namespace tessera
