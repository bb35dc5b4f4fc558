// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// From a fold to a fold of parts, and what combines their states.

#include "plan/graph.hpp"
#include "plan/passes/fold_levels.hpp"

#include <span>

namespace tessera {

/// Puts `partial`, whose blocks cut what `v` reduces, and what combines its states level by level
/// in the place of `v`. `levels` are those behind `partial`; the last is the whole.
void fold_in_levels(array_graph& graph, vertex v, operation partial, const two_stages& stages,
                    std::span<const fold_level> levels);

}  // namespace tessera
