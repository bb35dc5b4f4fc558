// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/text.hpp"

#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// A scan with as many tasks is left, as its blocks would read all twice. It does not depend on how
/// many workers there are: the same program makes the same plan everywhere.
constexpr index_t enough_tasks = 8;

/// A task of a part takes no fewer elements than this.
constexpr double least_block = 1 << 16;

/// The states of all leaves together are at most this fraction of what is scanned.
constexpr double largest_share_of_states = 1.0 / 16;

double product(const index_vector& extents) {
  double elements = 1;
  for (const index_t extent : extents) elements *= static_cast<double>(extent);
  return elements;
}

/// Returns `what` in tasks of one leaf each.
operation by_leaves(operation what, const scan_stages& stages) {
  what.how.block[stages.axis] = stages.leaf;
  what.how.stream[stages.axis] = std::min(what.how.stream[stages.axis], stages.leaf);
  return what;
}

/// Tells whether a scan in leaves, each of which is read twice, is of less merit than `v` as it is.
bool is_worth_it(const array_graph& graph, vertex v, const scan_stages& stages,
                 const spec& limits) {
  const plan_cost whole =
      cost_of(estimate(graph, v, limits), limits.costs, limits.costs.num_workers());
  const planned_operation seeded = estimate(graph, by_leaves(operation_at(graph, v), stages),
                                            inputs_of(graph, v), outputs_of(graph, v), limits);
  planned_operation totals = seeded;
  totals.chunk_writes = 0;
  totals.bytes_written = bytes{0};
  plan_cost_sum stages_of_it(limits.costs, limits.costs.num_workers());
  stages_of_it.add_behind(totals, {});
  stages_of_it.add_behind(seeded, {0});
  return stages_of_it.total().merit() < whole.merit();
}

/// Returns why a scan is not cut.
reason why_not(const array_graph& graph, vertex v, const scan_stages& stages, const spec& limits) {
  const operation& what = operation_at(graph, v);
  const index_t extent = what.how.domain[stages.axis];
  if (product(what.how.domain) < 1 || stages.leaf >= extent) return "it has one leaf";
  if (what.how.tasks().size() >= enough_tasks) return "it has many tasks";
  index_vector part = what.how.block;
  part[stages.axis] = stages.leaf;
  if (product(part) < least_block) return "blocks would be small";
  const double leaves = static_cast<double>(ceil_divide(extent, stages.leaf));
  const double states = static_cast<double>(stages.state_bytes) * leaves;
  const double lines = static_cast<double>(stages.element_bytes) * static_cast<double>(extent);
  if (states > largest_share_of_states * lines) return "its states are large";
  for (const vertex made : outputs_of(graph, v)) {
    if (stages.leaf % array_at(graph, made).chunks[stages.axis] != 0) {
      return "blocks would cut chunks";
    }
  }
  if (!is_worth_it(graph, v, stages, limits)) return "more would be read than workers gain";
  return nullptr;
}

/// Adds `what`, and arrays for its outputs in chunks of its blocks; returns these.
few<vertex> add_stage(array_graph& graph, operation what, const few<vertex>& inputs,
                      const std::string& name) {
  what.outputs = what.body->outputs(what.how);
  few<vertex> made;
  for (const output& each : what.outputs) {
    made.push_back(
        add_array(graph, {each.type, each.shape(what.how), each.block(what.how), name, {}}));
  }
  static_cast<void>(add_operation(graph, std::move(what), inputs, made));
  return made;
}

/// Returns the map to what is before leaf `leaf`, the same along the whole axis.
index_map seed_of(std::size_t rank, std::size_t axis, index_t leaf) {
  std::vector<axis_map> axes = index_map::identity(rank).axes();
  axes[axis] = axis_map(leaf);
  return {rank, std::move(axes)};
}

/// Puts the three stages in the place of `v`.
void cut(array_graph& graph, vertex v, const scan_stages& stages) {
  const operation whole = operation_at(graph, v);
  few<vertex> inputs = inputs_of(graph, v);
  operation totals = by_leaves(whole, stages);
  totals.name += ", partial";
  totals.body = stages.totals;
  const few<vertex> states = add_stage(graph, std::move(totals), inputs, "states of " + whole.name);

  operation seeds;
  seeds.name = whole.name + ", before blocks";
  seeds.how.domain = array_at(graph, states.front()).shape;
  seeds.how.block = array_at(graph, states.front()).chunks;
  seeds.how.block[stages.axis] = seeds.how.domain[stages.axis];
  seeds.how.stream = seeds.how.block;
  seeds.how.ordered.set(stages.axis);
  const std::size_t rank = seeds.how.rank();
  const index_t leaves = seeds.how.domain[stages.axis];
  seeds.operands.assign(states.size(), index_map::identity(rank));
  seeds.body = stages.seeds(seeds.how.domain);
  const few<vertex> before =
      add_stage(graph, std::move(seeds), states, "states before blocks of " + whole.name);

  operation seeded = by_leaves(whole, stages);
  seeded.body = stages.seeded(whole.how.domain, inputs.size());
  for (index_t leaf = 0; leaf < leaves; ++leaf) {
    seeded.operands.insert(seeded.operands.end(), before.size(), seed_of(rank, stages.axis, leaf));
    inputs.insert(inputs.end(), before.begin(), before.end());
  }
  seeded.outputs = seeded.body->outputs(seeded.how);
  operation_at(graph, v) = std::move(seeded);
  set_inputs(graph, v, inputs);
}

}  // namespace

bool is_scan_to_cut(const array_graph& graph, vertex v, const spec& limits) {
  const std::optional<scan_stages> stages = operation_at(graph, v).body->in_leaves();
  return stages && why_not(graph, v, *stages, limits) == nullptr;
}

void cut_scans(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    const std::optional<scan_stages> stages = operation_at(plan.graph, v).body->in_leaves();
    if (!stages) continue;
    if (const reason why = why_not(plan.graph, v, *stages, context.limits)) {
      context.leave(plan.graph, v, why);
    } else {
      cut(plan.graph, v, *stages);
      context.tell(plan.graph, v, [&] {
        return fmt::format("is scanned in {} tasks, behind the states of all blocks",
                           with_commas(operation_at(plan.graph, v).how.tasks().size()));
      });
    }
  }
}

}  // namespace tessera
