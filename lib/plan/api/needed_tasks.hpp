// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tasks of an operation that compute the inputs of tasks of another operation.

#include "tessera/core/task_range.hpp"

#include "plan/api/planned.hpp"

#include <vector>

namespace tessera {

/// Returns the tasks of `maker` that compute the inputs of `tasks` of `reader`, in order and
/// without overlaps.
///
/// Each operand is taken to read one box, and all operands of a window one box: the hull of the
/// images of their maps, cut to the array. So some tasks may be named in vain. A map with a step
/// leaves out elements, a piece may lie beside the operand, and a gather through a table is taken
/// to read all of its axes. Complexity: O(rank) boxes for each operand, and at most
/// some dozens of runs for each box.
[[nodiscard]] std::vector<task_range> needed_tasks(const planned_operation& reader,
                                                   task_range tasks,
                                                   const planned_operation& maker);

/// Sorts ranges, and joins ranges that meet.
void sort_and_join(std::vector<task_range>& ranges);

}  // namespace tessera
