// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether an operation that was read from a file is one that a task can run.

#include "tessera/plan/planned.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Throws value_error unless `what` keeps every rule that tasks rely on: its maps lead into its
/// inputs, its programs read what has been written, its kernels get the data types that they take,
/// and what it makes are the blocks of its outputs.
///
/// `inputs` and `outputs` are numbers of `arrays`. Sets what its primitive makes of its walk.
void check_operation(operation& what, const numbered<planned_array>& arrays,
                     const std::vector<std::size_t>& inputs,
                     const std::vector<std::size_t>& outputs);

/// Throws value_error unless the buffers of an operation together are of a size that exists.
void check_buffers(const buffer_schedule& buffers);

}  // namespace tessera
