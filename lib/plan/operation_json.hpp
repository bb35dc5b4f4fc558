// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations as JSON: what a task computes, with kernels by name.

#include "tessera/plan/operation.hpp"

#include <nlohmann/json.hpp>

namespace tessera {

/// Returns `what` as JSON. Requires: its parameters are portable.
[[nodiscard]] nlohmann::json operation_json(const operation& what);

/// Returns the operation that `json` describes; what its parts say of one another is not checked.
///
/// Throws: value_error <- this program has no such kernel, parameters are not the kernel's, or a
/// number is out of range. nlohmann::json::exception <- something is missing.
[[nodiscard]] operation parse_operation(const nlohmann::json& json);

}  // namespace tessera
