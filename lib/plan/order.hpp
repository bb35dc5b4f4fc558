// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The order in which operations run one after the other.

#include "plan/graph.hpp"

#include <vector>

namespace tessera {

/// Returns all vertices in a topological order with a low peak of memory: the better one of
/// `in_order` and a greedy order by freed memory.
///
/// Complexity: O((V + E) log V).
[[nodiscard]] std::vector<vertex> order_of_least_peak(array_graph& graph);

}  // namespace tessera
