// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The bound of a plan's memory on a host, for print, check, run and admission.

#include "tessera/plan/memory_bound.hpp"

#include "plan/api/planned.hpp"

namespace tessera {

/// Returns the memory bound of `plan` on `workers`: the memory of the processes before any data,
/// the tasks that run at once, the arrays in memory, and the limit of all.
[[nodiscard]] memory_bound host_bound(const bounded_plan::implementation& plan,
                                      const plan_workers& workers);

}  // namespace tessera
