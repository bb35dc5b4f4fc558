// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The merges that were refused, in explanations.

#include "tessera/plan/plan_explanation.hpp"

#include "plan/api/planned.hpp"

#include <string>
#include <vector>

namespace tessera {

/// The notes of each operation of a plan.
using notes_of_operations = std::vector<std::vector<plan_explanation::note>>;

/// Returns, for each array of `plan`, the reason for which a reader does not compute it in its
/// steps: the rule and its figures. Empty: it has no reader, lies in memory, or no pass tried.
[[nodiscard]] std::vector<std::string> refused_merges(const bounded_plan::implementation& plan,
                                                      const notes_of_operations& notes);

/// Returns `placed`, the reason for the place of an array, with that for a refused merge.
[[nodiscard]] std::string with_refused_merge(std::string placed, const std::string& refusal);

}  // namespace tessera
