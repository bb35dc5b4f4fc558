// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The lifetimes of arrays in memory, if operations run one after the other.

#include "tessera/core/bytes.hpp"

#include "plan/api/planned.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Returns, by operation, the end of the lifetime of its outputs: the number after the last
/// operation that reads one of them, or the number of operations if none does.
[[nodiscard]] std::vector<std::size_t> ends_of_lifetimes(const bounded_plan::implementation& plan);

/// Returns the work that `array` in memory saves if it has `num_readers` readers. An array that is
/// cached (`is_kept`) is stored anyway, so that only reads are saved.
[[nodiscard]] costs::seconds saved_in_memory(const planned_array& array, std::size_t num_readers,
                                             bool is_kept, const costs& figures);

/// Returns, by array, whether it is the cached copy of a stored array.
[[nodiscard]] std::vector<bool> kept_among_arrays(const bounded_plan::implementation& plan);

/// Returns, by array, whether it is a result of the plan.
[[nodiscard]] std::vector<bool> outputs_among_arrays(const bounded_plan::implementation& plan);

/// The memory that arrays occupy while an operation runs, its outputs included.
struct memory_in_use {
  bytes intermediates;
  bytes results;
  /// The part of its outputs.
  bytes new_intermediates;
  bytes new_results;
};

/// Returns, by operation, the memory that arrays occupy. Requires: all arrays are placed.
[[nodiscard]] std::vector<memory_in_use> find_memory_in_use(
    const bounded_plan::implementation& plan);

}  // namespace tessera
