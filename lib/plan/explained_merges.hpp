// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The merges that were refused, in explanations.

#include "plan/api/planned.hpp"
#include "plan/passes/trace.hpp"

#include <string>
#include <vector>

namespace tessera {

/// Returns, for each array between two operations of `plan`, the best merge of the two that a pass
/// of `trace` refused: the pass, the rule and its figures. Empty: no pass could merge them.
[[nodiscard]] std::vector<std::string> refused_merges(const bounded_plan::implementation& plan,
                                                      const pass_trace& trace);

/// Returns `placed`, the reason for the place of an array, with that for a refused merge.
[[nodiscard]] std::string with_refused_merge(std::string placed, const std::string& refusal);

}  // namespace tessera
