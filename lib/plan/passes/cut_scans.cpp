// SPDX-License-Identifier: Apache-2.0
/// \file
/// Parallel prefix scan: cuts a scan with few tasks at its leaves.
///
/// Problem: a cumulative sum along an axis has one task for each line, so that few lines keep few
/// workers busy.
/// Idea (Blelloch's three phases), for leaves x_1, ..., x_n along the scanned axis:
///     totals(x_1), ..., totals(x_n)         one task for each leaf, x is read once
///     prefix = exclusive prefix of totals   one small task for each line
///     rescan(x_k, prefix_k)                 one task for each leaf, x is read again
/// Legality and price (`check_applicable`): fewer than `tuning.enough_scan_tasks` tasks now; leaves
/// are large and hold whole chunks of the outputs; states of all leaves are small against x; the
/// merit of the three operations is better than that of the one, although x is read twice.
/// Invariant: a whole scan combines the states of leaves in the same order, so that the bits are
/// those of one task.
/// Reference: Blelloch, "Prefix Sums and Their Applications" (1990).

#include "core/api/element_count.hpp"
#include "core/api/text.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/passes.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns `op` in blocks of one leaf.
operation in_leaves(operation op, const scan_stages& stages) {
  op.schedule.block[stages.axis] = stages.leaf;
  op.schedule.step[stages.axis] = std::min(op.schedule.step[stages.axis], stages.leaf);
  return op;
}

/// Tells whether the scan in leaves, which reads its input twice, has a better (lower) merit than
/// `v` has now.
bool has_better_merit(const array_graph& graph, vertex v, const scan_stages& stages,
                      const spec& limits) {
  const plan_cost whole =
      cost_of(estimate(graph, v, limits), limits.costs, limits.costs.num_workers());
  const planned_operation rescan = estimate(graph, in_leaves(operation_at(graph, v), stages),
                                            inputs_of(graph, v), outputs_of(graph, v), limits);
  planned_operation totals = rescan;
  totals.chunk_writes = 0;
  totals.bytes_written = bytes{0};
  const plan_cost staged = cost_of_both(totals, rescan, limits.costs, limits.costs.num_workers());
  return staged.merit() < whole.merit();
}

/// Returns a refusal if the scan is not cut.
reason check_applicable(const array_graph& graph, vertex v, const scan_stages& stages,
                        const spec& limits) {
  const operation& op = operation_at(graph, v);
  const index_t extent = op.schedule.domain[stages.axis];
  if (element_count(op.schedule.domain) < 1 || stages.leaf >= extent) {
    return {"{op} has one leaf", "{} elements of a line of {}", stages.leaf, extent};
  }
  if (const index_t num_tasks = op.schedule.blocks().size();
      num_tasks >= tuning.enough_scan_tasks) {
    return {"{op} has enough tasks as it is", "{}, and {} suffice", num_tasks,
            tuning.enough_scan_tasks};
  }
  index_vector part = op.schedule.block;
  part[stages.axis] = stages.leaf;
  if (element_count(part) < tuning.least_scan_leaf) {
    return {"the leaves of {op} are small", "{} elements, and {} are worth a task",
            element_count(part), tuning.least_scan_leaf};
  }
  const double leaves = static_cast<double>(ceil_divide(extent, stages.leaf));
  const double states = static_cast<double>(stages.state_bytes) * leaves;
  const double lines = static_cast<double>(stages.element_bytes) * static_cast<double>(extent);
  if (states > tuning.most_states_of_scan * lines)
    return {"the states of the leaves of {op} are large beside its input", "{} and {}",
            bytes{static_cast<std::uint64_t>(states)}, bytes{static_cast<std::uint64_t>(lines)}};
  for (const vertex output : outputs_of(graph, v)) {
    if (stages.leaf % array_at(graph, output).chunks[stages.axis] != 0) {
      return {"leaves of {op} would cut chunks of its output", "leaves of {}, chunks of {}",
              stages.leaf, array_at(graph, output).chunks[stages.axis]};
    }
  }
  if (!has_better_merit(graph, v, stages, limits))
    return "reading the input of {op} twice costs more than more workers gain";
  return nullptr;
}

/// Adds `op` and arrays for its outputs, in chunks of one block, and returns the arrays.
small_vector<vertex> add_stage(array_graph& graph, operation op, const small_vector<vertex>& inputs,
                               const std::string& name) {
  op.outputs = op.primitive->outputs(op.schedule);
  small_vector<vertex> outputs;
  for (const output& output : op.outputs) {
    outputs.push_back(add_array(
        graph, {output.type, output.shape(op.schedule), output.block(op.schedule), name, {}}));
  }
  static_cast<void>(add_operation(graph, std::move(op), inputs, outputs));
  return outputs;
}

/// Returns the map to the carried state of leaf `leaf`, constant along the scanned axis.
index_map seed_of(std::size_t rank, std::size_t axis, index_t leaf) {
  std::vector<axis_map> axes = index_map::identity(rank).axes();
  axes[axis] = axis_map(leaf);
  return {rank, std::move(axes)};
}

/// Replaces `v` by the three phases.
void cut(array_graph& graph, vertex v, const scan_stages& stages) {
  const operation whole = operation_at(graph, v);
  small_vector<vertex> inputs = inputs_of(graph, v);
  operation totals = in_leaves(whole, stages);
  totals.name += ", partial";
  totals.primitive = stages.block_totals;
  const small_vector<vertex> states =
      add_stage(graph, std::move(totals), inputs, "states of " + whole.name);

  operation prefix;
  prefix.name = whole.name + ", before blocks";
  prefix.schedule.domain = array_at(graph, states.front()).shape;
  prefix.schedule.block = array_at(graph, states.front()).chunks;
  prefix.schedule.block[stages.axis] = prefix.schedule.domain[stages.axis];
  prefix.schedule.step = prefix.schedule.block;
  prefix.schedule.ordered.set(stages.axis);
  const std::size_t rank = prefix.schedule.rank();
  const index_t leaves = prefix.schedule.domain[stages.axis];
  prefix.operands.assign(states.size(), index_map::identity(rank));
  prefix.primitive = stages.exclusive_prefix(prefix.schedule.domain);
  const small_vector<vertex> prefixes =
      add_stage(graph, std::move(prefix), states, "states before blocks of " + whole.name);

  operation rescan = in_leaves(whole, stages);
  rescan.primitive = stages.rescan(whole.schedule.domain, inputs.size());
  for (index_t leaf = 0; leaf < leaves; ++leaf) {
    rescan.operands.insert(rescan.operands.end(), prefixes.size(),
                           seed_of(rank, stages.axis, leaf));
    inputs.insert(inputs.end(), prefixes.begin(), prefixes.end());
  }
  rescan.outputs = rescan.primitive->outputs(rescan.schedule);
  operation_at(graph, v) = std::move(rescan);
  set_inputs(graph, v, inputs);
}

}  // namespace

bool is_scan_to_cut(const array_graph& graph, vertex v, const spec& limits) {
  const std::optional<scan_stages> stages = operation_at(graph, v).primitive->in_leaves();
  return stages && check_applicable(graph, v, *stages, limits) == nullptr;
}

void cut_scans(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    const std::optional<scan_stages> stages = operation_at(plan.graph, v).primitive->in_leaves();
    if (!stages) continue;
    if (const reason refusal = check_applicable(plan.graph, v, *stages, context.limits)) {
      context.leave(plan.graph, v, refusal);
    } else {
      cut(plan.graph, v, *stages);
      context.tell(plan.graph, v, [&] {
        return fmt::format("is scanned in {} blocks, after a prefix scan of their states",
                           with_commas(operation_at(plan.graph, v).schedule.blocks().size()));
      });
    }
  }
}

}  // namespace tessera
