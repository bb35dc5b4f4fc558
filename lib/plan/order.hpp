// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The order in which operations are run one after the other.

#include "plan/graph.hpp"

#include <vector>

namespace tessera {

/// Returns all vertices in an order in which each stands behind those that lead to it, and in which
/// what is computed takes little memory until it is read last.
///
/// That of two in which the most is less: `in_order`, or the one that takes, of the operations that
/// could run, the one that frees most (inputs that it reads last, less its outputs); of equals the
/// one that reads the array made last, then the one that an evaluator would come by first.
/// Complexity: O((V + E) log V).
[[nodiscard]] std::vector<vertex> order_of_least_peak(array_graph& graph);

}  // namespace tessera
