// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs a plan.

#include "tessera/executor/observer.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace tessera {

/// What one output of a plan has become.
struct computed_output {
  /// The elements, dense in row-major order; set for an output into memory.
  std::shared_ptr<std::byte[]> elements;
  /// The array; set for an output with a destination.
  std::optional<zarr_array> stored;
};

/// Runs a plan and returns its outputs in the order in which they were asked for.
///
/// Runs on the plan's `spec().executor`, on `default_executor()` where that is null.
///
/// Throws: memory_error <- the plan needs more memory than is allowed, before a byte moves;
///         value_error <- an output would be stored over an array that the plan reads;
///         task_error <- a task failed; interrupted_error <- an interrupt stopped the run.
[[nodiscard]] std::vector<computed_output> execute(
    const bounded_plan& plan, std::vector<std::shared_ptr<observer>> watchers = {});

}  // namespace tessera
