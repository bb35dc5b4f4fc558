// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// From a fold to a fold of parts, and what combines their states.

#include "plan/graph.hpp"
#include "plan/passes/fold_levels.hpp"

#include <vector>

namespace tessera {

/// Folds over the same axes of an operation, and the levels in which their states are combined:
/// those behind what makes the states, of which the last is the whole; of folds that are not cut,
/// none.
struct staged_fold {
  two_stages stages;
  std::vector<fold_level> levels;
};

/// Puts `partial`, whose blocks cut what some of `folds` reduce, and what combines the states of
/// these level by level in the place of `v`.
void fold_in_levels(array_graph& graph, vertex v, operation partial,
                    const std::vector<staged_fold>& folds);

}  // namespace tessera
