// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An operation of a plan as the scheduler sees it.

#include "tessera/plan/planned.hpp"
#include "tessera/scheduler/workload.hpp"

namespace tessera {

/// Returns `planned` as the scheduler sees it, but for the memory that its results hold.
[[nodiscard]] workload_operation as_scheduled(const planned_operation& planned);

}  // namespace tessera
