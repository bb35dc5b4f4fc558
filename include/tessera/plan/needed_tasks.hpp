// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which tasks of an operation make what tasks of another one read.

#include "tessera/core/task_range.hpp"
#include "tessera/plan/planned.hpp"

#include <vector>

namespace tessera {

/// Returns the tasks of `maker` that make what `tasks` of `reader` read, in order and without
/// overlaps.
///
/// Operands are taken to read a box each, those of a window one together: the hull of what their
/// maps reach, cut to the array. So some tasks may be named in vain: those between the elements
/// that a step leaves out, those that pieces beside an operand would read, all along axes that a
/// gather reads through a table. Complexity: O(rank) boxes for each operand, and some dozens of
/// runs for each of them at most.
[[nodiscard]] std::vector<task_range> needed_tasks(const planned_operation& reader,
                                                   task_range tasks,
                                                   const planned_operation& maker);

/// Puts ranges in order, and makes one of those that meet.
void sort_and_join(std::vector<task_range>& ranges);

}  // namespace tessera
