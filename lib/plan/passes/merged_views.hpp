// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An operation that computes an operand in its own tasks, as one operation.

#include "tessera/core/spec.hpp"

#include "plan/graph.hpp"
#include "plan/passes/merged_blocks.hpp"
#include "plan/passes/reason.hpp"

#include <optional>

namespace tessera {

/// A producer, its output, and a reader of the output.
struct merged_pair {
  vertex producer;
  vertex array;
  vertex reader;
};

/// Returns both operations as one, in blocks that fit; or sets `refusal`. Whether the output is
/// requested, or has other readers, is not considered. A reader that sees the output in several
/// ways computes each view.
[[nodiscard]] std::optional<merged_operation> merged(const array_graph& graph,
                                                     const merged_pair& pair, const spec& limits,
                                                     reason& refusal);

/// Returns the estimate of `merged`, in the place of `reader`, in the blocks that `size_blocks`
/// would give it.
[[nodiscard]] planned_operation estimate_when_sized(const array_graph& graph,
                                                    merged_operation merged, vertex reader,
                                                    const spec& limits);

}  // namespace tessera
