// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What holds of a graph before and after every pass.

#include "plan/graph.hpp"

#include <string_view>

namespace tessera {

/// Throws std::logic_error, which names the pass that has just ended, unless arrays and operations
/// alternate, operands and outputs are numbered without gaps, each array is made by one operation
/// or has a source, maps lead from domains to arrays, and outputs are what primitives make.
///
/// Complexity: O(vertices + edges).
void verify(const plan_graph& plan, std::string_view pass);

}  // namespace tessera
