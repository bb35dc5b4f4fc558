// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs a plan, or a copy of what is stored.

#include "tessera/plan/bounded_plan.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace tessera {

class executor;
class observer;

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
///         value_error <- an output would be stored over an array that the plan reads, or the
///         executor only simulates: the message tells how long it takes the run to be;
///         task_error <- a task failed; interrupted_error <- an interrupt stopped the run.
[[nodiscard]] std::vector<computed_output> execute(
    const bounded_plan& plan, std::vector<std::shared_ptr<observer>> watchers = {});

/// Runs a plan for what it stores; outputs into memory are let go.
///
/// On an executor that only simulates, nothing is computed, read or written: the observers see what
/// would happen.
///
/// Throws: as `execute`.
void run(const bounded_plan& plan, std::vector<std::shared_ptr<observer>> watchers = {});

/// The same on `engine`, whatever executor the plan's spec names.
void run(const bounded_plan& plan, executor& engine,
         std::vector<std::shared_ptr<observer>> watchers = {});

/// Copies the elements of a stored array, which may be no numbers, into an array of the same shape
/// and data type (its byte order may differ), and returns that.
///
/// Memory: of a task: a block of whole chunks, a decoded and an encoded chunk.
/// Throws: as `execute` of a plan.
[[nodiscard]] zarr_array copy_elements(const zarr_array& from, zarr_destination to,
                                       const spec& limits,
                                       std::vector<std::shared_ptr<observer>> watchers = {});

}  // namespace tessera
