// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The blocks of an operation that computes an operand in its own tasks.

#include "tessera/core/index.hpp"
#include "tessera/core/spec.hpp"

#include "plan/graph.hpp"
#include "plan/passes/candidate.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Both operations as one, and its outputs in chunks of its blocks.
struct merged_operation {
  candidate fused;
  std::vector<planned_array> outputs;
  /// Whether a task fits only if its inputs of open placement are in memory.
  bool needs_memory = false;
};

/// The merged domain: the axes of the reader, and those of the producer in it.
struct merged_domain {
  loop_schedule schedule;
  std::vector<std::size_t> axes;
  /// The axes of the reader that its blocks have whole, so that the producer runs once.
  axis_set whole = {};
};

/// Returns the merged domain, in the steps of the reader. A step takes private axes whole. `axes`
/// are the reader's axes of the producer; `no_axis` for private ones.
///
/// Along axes that the producer does not have, steps of the reader would compute each of its
/// elements again. The reader then takes such an axis whole, if that keeps its elements and is no
/// axis that it reduces in steps.
[[nodiscard]] merged_domain merge_domains(const operation& producer, const operation& reader,
                                          std::vector<std::size_t> axes);

/// Returns the estimate of `merged` in its present blocks, with inputs and outputs under limits of
/// their own.
[[nodiscard]] planned_operation estimate(const array_graph& graph, const merged_operation& merged,
                                         const spec& limits, const spec& limits_of_outputs);
[[nodiscard]] inline planned_operation estimate(const array_graph& graph,
                                                const merged_operation& merged,
                                                const spec& limits) {
  return estimate(graph, merged, limits, limits);
}

/// Cuts blocks along kept axes but `whole` until a task of `merged` fits, if they can be cut so
/// far.
void cut_to_fit(const array_graph& graph, merged_operation& merged, axis_set whole,
                const spec& limits);

}  // namespace tessera
