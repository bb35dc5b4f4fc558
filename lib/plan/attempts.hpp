// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Attempts at a plan, which the search compares: their memory, their arrays, and why they lost.

#include "plan/api/planned.hpp"
#include "plan/graph.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// States why the attempt that led to `plan` lost.
void lose(plan_search& search, const bounded_plan::implementation& plan, std::string why);

/// Returns the memory by which the tasks and the host of `plan` exceed their limits.
[[nodiscard]] bytes excess_memory(const bounded_plan::implementation& plan);

/// Tells whether the tasks and the host of `plan` keep to the memory.
[[nodiscard]] bool keeps_to_memory(const bounded_plan::implementation& plan);

/// Returns the reason for which a plan does not keep to the memory.
[[nodiscard]] std::string memory_refusal(const bounded_plan::implementation& plan);

/// Tells whether `pass` has changed `plan`, or an earlier attempt at it.
[[nodiscard]] bool has_changed(const bounded_plan::implementation& plan, bool pass_switches::*pass);

/// Returns the bytes of the elements that the operations of `plan` need of arrays that it does not
/// compute, and the bytes of its results. It moves at least about as many.
[[nodiscard]] double least_moved(const bounded_plan::implementation& plan);

/// Returns the serial numbers of the arrays of the program that `plan` does not have, or has in
/// parts alone. Arrays of several readers come first, as fewer reads may pay for them; of these and
/// of the rest, the smallest come first.
[[nodiscard]] std::vector<std::size_t> missing_arrays(const bounded_plan::implementation& plan);

/// Returns the serial numbers of the arrays of `plan` that lie in storage, and that `duplicate`
/// left to be computed once in memory.
[[nodiscard]] std::vector<std::size_t> arrays_without_room(
    const bounded_plan::implementation& plan);

/// Returns the serial numbers of the arrays of `plan` that lie in storage, and that a gather reads
/// more often than `tuning.most_reads_of_chunk`.
[[nodiscard]] std::vector<std::size_t> gathered_often(const bounded_plan::implementation& plan);

}  // namespace tessera
