// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations as JSON: what a task computes, with kernels by name.

#include "tessera/plan/operation.hpp"

#include "plan/array_json.hpp"

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

namespace tessera {

/// Returns `what` as JSON. Its tables stand among the elements in memory, from `offset` on, which
/// is moved behind them. Requires: its parameters are portable.
[[nodiscard]] nlohmann::json operation_json(const operation& what, std::size_t& offset);

/// Calls `sink` with each table of `what`, in the order of their offsets.
void write_tables(const operation& what,
                  const std::function<void(std::span<const std::byte>)>& sink);

/// Returns the operation that `json` describes; what its parts say of one another is not checked.
///
/// Throws: value_error <- this program has no such kernel, parameters are not the kernel's, or a
/// number is out of range. shape_error <- a gather shows what is not there.
/// nlohmann::json::exception <- something is missing.
[[nodiscard]] operation parse_operation(const nlohmann::json& json, const file_elements& elements);

}  // namespace tessera
