// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The rewrite of a fold into a fold of parts and a tree of combine operations.

#include "plan/graph.hpp"
#include "plan/passes/fold_levels.hpp"

#include <vector>

namespace tessera {

/// Folds of an operation over the same axes, and the levels that combine their states, of which the
/// last yields the results. A fold that is not cut has no levels.
struct staged_fold {
  two_stages stages;
  std::vector<fold_level> levels;
};

/// Replaces `v` by `partial`, whose blocks cut the reduced axes of some of `folds`, and by the
/// operations that combine the states of these folds.
void fold_in_levels(array_graph& graph, vertex v, operation partial,
                    const std::vector<staged_fold>& folds);

}  // namespace tessera
