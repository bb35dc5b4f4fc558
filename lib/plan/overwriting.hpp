// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Results of a plan that overwrite arrays which the plan reads.

#include "tessera/core/spec.hpp"

#include "plan/api/overwriting.hpp"
#include "plan/graph.hpp"

#include <vector>

namespace tessera {

/// Puts a copy before each result that overwrites a source of the plan: the result is computed into
/// an intermediate in storage. Then results without a destination go to storage as well: a run that
/// is continued has them, and does not read the source again.
///
///     x -> [op] -> x       becomes       x -> [op] -> intermediate -> [copy] -> x
void stage_overwriting(plan_graph& plan, const spec& limits);

/// Moves the copies of `stage_overwriting`, and their outputs, behind all other vertices of
/// `order`.
void move_overwriting_back(const plan_graph& plan, std::vector<vertex>& order);

/// Makes the copies of `stage_overwriting` successors of all operations that read the array, and of
/// all that compute results or intermediates of copies. Then no task reads an array that changes.
void order_overwriting(bounded_plan::implementation& plan);

}  // namespace tessera
