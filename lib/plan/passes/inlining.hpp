// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations that compute by themselves what they read of others.

#include "plan/graph.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/reason.hpp"

#include <cstddef>
#include <optional>

namespace tessera {

/// Tells whether an array has its elements nowhere, so that none can be gathered.
[[nodiscard]] bool is_generated(const array_graph& graph, vertex array);

/// Returns why `reader` may not compute `array` by itself, element by element, where neither is
/// `array` asked for nor does it matter who else reads it.
[[nodiscard]] reason why_not_inline(const array_graph& graph, vertex array, vertex reader,
                                    const spec& limits);

/// Returns `reader` with every use of `array` computed in place; nothing where one cannot be.
[[nodiscard]] std::optional<candidate> inlined(const array_graph& graph, vertex array,
                                               vertex reader);

/// Returns why `after`, of which `fused` is the plan and which computes `array` by itself, needs
/// too much memory where `reader` and what makes `array` do not.
[[nodiscard]] reason why_too_large(const array_graph& graph, const candidate& after,
                                   const planned_operation& fused, vertex array, vertex reader,
                                   const spec& limits);

/// Returns why tasks of `one` would meet too many pieces.
[[nodiscard]] reason why_in_pieces(const candidate& one);

/// Returns how often all tasks together compute each element of operand `i`, which `what` takes in
/// blocks, and with them what lies around these.
[[nodiscard]] double times_computed(const operation& what, std::size_t i);

}  // namespace tessera
