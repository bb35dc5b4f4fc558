// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The figures by which a pass compares a fusion with the two operations apart.

#include "plan/buffers.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/reason.hpp"

namespace tessera {

/// Plans of two operations, and of the operation that does the work of both.
struct fusion_estimate {
  planned_operation producer;
  planned_operation reader;
  planned_operation fused;
};

/// Estimates `fused`, which computes the outputs of `reader`, and both operations apart.
[[nodiscard]] inline fusion_estimate estimate_fusion(const array_graph& graph,
                                                     const candidate& fused, vertex producer,
                                                     vertex reader, const spec& limits) {
  return {estimate(graph, producer, limits), estimate(graph, reader, limits),
          estimate(graph, fused.op, fused.inputs, outputs_of(graph, reader), limits)};
}

/// Returns the plan of `fused`, which computes the outputs of `v`, in the blocks of `size_blocks`.
[[nodiscard]] inline planned_operation estimate_when_sized(const array_graph& graph,
                                                           candidate& fused, vertex v,
                                                           const spec& limits) {
  const small_vector<vertex> outputs = outputs_of(graph, v);
  fused.op.schedule = schedule_when_sized(graph, fused.op, fused.inputs, outputs, limits);
  return estimate(graph, fused.op, fused.inputs, outputs, limits);
}

/// As above, of `v` as it is.
[[nodiscard]] inline planned_operation estimate_when_sized(const array_graph& graph, vertex v,
                                                           const spec& limits) {
  candidate unchanged = candidate_at(graph, v);
  return estimate_when_sized(graph, unchanged, v, limits);
}

/// Returns the refusal that one operation would be `after` of work, more than `before`.
[[nodiscard]] inline reason takes_longer(costs::seconds after, costs::seconds before) {
  return {"{op} and {partner} in one operation would take longer", "{} of work in place of {}",
          after, before};
}

}  // namespace tessera
