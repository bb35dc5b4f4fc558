// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Inlining: an operation computes the elements of an operand in its own strip program.

#include "plan/graph.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/reason.hpp"

#include <optional>
#include <span>

namespace tessera {

/// Tells whether the elements of an array are generated from their positions, so that none can be
/// gathered.
[[nodiscard]] bool is_generated(const array_graph& graph, vertex array);

/// Returns a refusal if `reader` cannot inline the producer of `array`. Whether `array` is
/// requested, or has other readers, is not considered.
[[nodiscard]] reason check_inlining(const array_graph& graph, vertex array, vertex reader,
                                    const spec& limits);

/// Returns `reader` with the producers of `arrays` inlined at each use, or nullopt if one use
/// cannot be inlined.
[[nodiscard]] std::optional<candidate> inlined(const array_graph& graph,
                                               std::span<const vertex> arrays, vertex reader);

/// Returns a refusal if a task of `fused`, planned as `planned`, needs too much memory although
/// tasks of `reader` and of the producers of `arrays` do not.
[[nodiscard]] reason check_fused_memory(const array_graph& graph, const candidate& fused,
                                        const planned_operation& planned,
                                        std::span<const vertex> arrays, vertex reader,
                                        const spec& limits);

/// Returns a refusal if a task of `fused` would cross too many pieces.
[[nodiscard]] reason check_pieces(const candidate& fused);

}  // namespace tessera
