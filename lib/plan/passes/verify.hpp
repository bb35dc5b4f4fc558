// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The invariants of a graph between passes.

#include "plan/graph.hpp"

#include <string_view>

namespace tessera {

/// Throws std::logic_error, which names the pass that has just ended, unless arrays and operations
/// alternate, operands and outputs are numbered without gaps, each array has a source or is the
/// output of one operation, maps lead from domains to arrays, and outputs are those of primitives.
///
/// Complexity: O(vertices + edges).
void verify(const plan_graph& plan, std::string_view pass);

}  // namespace tessera
