// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The request that a plan answers, by which it can be planned anew.

#include "tessera/plan/bounded_plan.hpp"
#include "tessera/plan/passes.hpp"

#include <optional>
#include <vector>

namespace tessera {

/// The outputs that a plan was asked for, and the passes that were switched on.
struct plan_request {
  std::vector<plan_output> outputs;
  pass_switches passes;
};

/// Returns the request of `plan`; nullopt if it was loaded from a file.
[[nodiscard]] std::optional<plan_request> request_of(const bounded_plan& plan);

}  // namespace tessera
