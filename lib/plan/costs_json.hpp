// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The figures of costs as JSON.

#include "tessera/core/costs.hpp"

#include <nlohmann/json.hpp>

namespace tessera {

/// Returns an object: bytes, or seconds; null for a figure that is not set.
[[nodiscard]] nlohmann::json costs_json(const costs& figures);

/// Returns the figures of `value`, which `costs_json` returned.
///
/// Throws: value_error <- a figure is out of its range. nlohmann::json::exception <- one is
/// missing.
[[nodiscard]] costs parse_costs(const nlohmann::json& value);

}  // namespace tessera
