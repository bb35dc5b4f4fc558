// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The operations of a plan that overwrite arrays which the plan reads.

#include "tessera/plan/bounded_plan.hpp"

#include <vector>

namespace tessera {

/// Returns, by operation, whether it copies an intermediate in storage to an array that the plan
/// reads (core/api/overwriting.hpp). Such an operation begins when its predecessors have ended.
[[nodiscard]] std::vector<bool> overwriting_operations(const bounded_plan::implementation& plan);

}  // namespace tessera
