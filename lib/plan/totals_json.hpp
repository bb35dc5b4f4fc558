// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The work of operations as JSON.

#include "plan/api/operation_totals.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace tessera {

[[nodiscard]] nlohmann::json totals_json(const operation_totals& totals);

/// Returns the operations of a list of values that `totals_json` returned.
///
/// Throws: value_error <- a number is out of range: an operation comes after operations that stand
/// before it. nlohmann::json::exception <- a field is missing.
[[nodiscard]] std::vector<operation_totals> parse_totals(const nlohmann::json& list);

}  // namespace tessera
