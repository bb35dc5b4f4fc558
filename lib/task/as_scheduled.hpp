// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The conversion of a planned operation to an operation of a workload.

#include "tessera/scheduler/workload.hpp"

#include "plan/api/operation_totals.hpp"
#include "plan/api/planned.hpp"

namespace tessera {

/// Returns the workload operation of an operation with this work, without any memory.
[[nodiscard]] workload_operation as_scheduled(operation_totals totals);

/// Returns the workload operation of `planned`, without the memory of its results.
[[nodiscard]] workload_operation as_scheduled(const planned_operation& planned);

}  // namespace tessera
