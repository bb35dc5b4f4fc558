// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations as JSON, with kernels by name.

#include "tessera/plan/operation.hpp"

#include "plan/array_json.hpp"

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

namespace tessera {

/// Returns `op` as JSON. Its tables go among the elements in memory, from `offset` on, which is
/// moved to their end. Requires: its parameters are portable.
[[nodiscard]] nlohmann::json operation_json(const operation& op, std::size_t& offset);

/// Calls `sink` with each table of `op`, in the order of their offsets.
void write_tables(const operation& op, const std::function<void(std::span<const std::byte>)>& sink);

/// Returns the operation that `json` describes. Its parts are not checked against one another.
///
/// Throws: value_error <- this program has no such kernel, parameters are not the kernel's, or a
/// number is out of range. shape_error <- a gather leads outside its table.
/// nlohmann::json::exception <- a field is missing.
[[nodiscard]] operation parse_operation(const nlohmann::json& json, const file_elements& elements);

}  // namespace tessera
