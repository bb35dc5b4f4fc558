// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How long the arrays of a plan are in memory, where its operations run one after the other.

#include "tessera/core/bytes.hpp"
#include "tessera/plan/planned.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Returns for each operation the place behind the last that reads anything that it makes; behind
/// all where nothing does. So long it holds what it makes in memory.
[[nodiscard]] std::vector<std::size_t> ends_of_lifetimes(const bounded_plan::implementation& plan);

/// Returns the work that it saves to have `array` in memory, which is read `num_readers` times. One
/// that is kept is stored anyway.
[[nodiscard]] costs::seconds saved_in_memory(const planned_array& array, std::size_t num_readers,
                                             bool is_kept, const costs& figures);

/// Returns for each array whether it is in memory to hold what is stored elsewhere too.
[[nodiscard]] std::vector<bool> kept_among_arrays(const bounded_plan::implementation& plan);

/// Returns for each array whether the plan gives it.
[[nodiscard]] std::vector<bool> outputs_among_arrays(const bounded_plan::implementation& plan);

/// What is in memory while an operation runs, with what it makes.
struct held_memory {
  bytes intermediates;
  bytes results;
  /// Those among them that it makes.
  bytes new_intermediates;
  bytes new_results;
};

/// Returns what is in memory at each of the operations of a plan, whose arrays have their places.
[[nodiscard]] std::vector<held_memory> memory_held(const bounded_plan::implementation& plan);

}  // namespace tessera
