// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The invariants of a graph between passes.

#include "plan/graph.hpp"

#include <string_view>

namespace tessera {

/// Checks the graph after `pass`: arrays and operations alternate. Operands and outputs are
/// numbered without gaps. Each array has a source, or is the output of one operation. Maps lead
/// from domains to arrays. Outputs are as the primitives state them.
///
/// Throws: std::logic_error <- a rule is broken; the message names the pass.
/// Complexity: O(vertices + edges).
void verify(const plan_graph& plan, std::string_view pass);

}  // namespace tessera
