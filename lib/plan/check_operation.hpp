// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The rules of an operation, checked for each plan that is made or read from a file.

#include "plan/api/planned.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Checks the rules of a primitive and its maps: maps lead into the inputs, programs read registers
/// that have been written, kernels get the data types that they take.
///
/// `inputs` are numbers of `arrays`. Throws: value_error <- a rule is broken; it names the
/// operation and the rule.
void check_operation(const operation& op, const numbered<planned_array>& arrays,
                     const std::vector<std::size_t>& inputs);

/// Checks that the outputs of an operation have the types and shapes of the arrays numbered
/// `outputs`.
///
/// Throws: value_error <- one has not.
void check_outputs(const operation& op, const numbered<planned_array>& arrays,
                   const std::vector<std::size_t>& outputs);

/// Throws value_error unless the buffers of an operation together are of a size that exists.
void check_buffers(const buffer_schedule& buffers);

}  // namespace tessera
