// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Costs as JSON.

#include "tessera/plan/plan_cost.hpp"

#include <nlohmann/json.hpp>

namespace tessera {

/// Returns an object: sizes in bytes, times in seconds.
[[nodiscard]] nlohmann::json cost_json(const plan_cost& cost);

}  // namespace tessera
