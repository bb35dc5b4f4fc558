// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The attempts at a plan, in explanations.

#include "tessera/plan/plan_explanation.hpp"

#include "plan/graph.hpp"

#include <vector>

namespace tessera {

/// Returns all attempts at a plan whose tasks may use `allowed`; attempts that are alike as one.
[[nodiscard]] std::vector<plan_explanation::attempt> attempts_of(const plan_origin& origin,
                                                                 bytes allowed);

}  // namespace tessera
