// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/passes/passes.hpp"
#include "plan/rechunk/route.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Copies between must save at least this share of what is made least.
constexpr double least_saving = 0.1;

/// An operation that reads one array and makes one of the same shape in other chunks.
struct rechunk {
  planned_array from;
  planned_array to;
  array_storage source;
  array_storage target;
};

/// Returns what an operation rechunks, where it does nothing else to positions.
std::optional<rechunk> rechunk_of(const array_graph& graph, vertex v, const spec& limits) {
  const operation& what = operation_at(graph, v);
  const std::vector<vertex> inputs = inputs_of(graph, v);
  const std::vector<vertex> outputs = outputs_of(graph, v);
  if (!what.body->may_grow() || inputs.size() != 1 || outputs.size() != 1) return std::nullopt;
  const planned_array& from = array_at(graph, inputs.front());
  const planned_array& to = array_at(graph, outputs.front());
  if (!what.operands.front().is_identity() || from.shape != what.how.domain ||
      to.shape != what.how.domain || num_elements(to.shape) == 0) {
    return std::nullopt;
  }
  rechunk found{from, to, storage_of(from, array_use::read, limits),
                storage_of(to, array_use::write, limits)};
  if (found.source.how != array_storage::kind::chunks ||
      found.target.how != array_storage::kind::chunks) {
    return std::nullopt;
  }
  return found;
}

/// Returns the array that a copy to `chunks` makes of `one`.
planned_array array_between(const rechunk& one, const index_vector& chunks) {
  return {one.from.type, one.from.shape, chunks, one.from.name, {}};
}

rechunking::problem problem_of(const rechunk& one, const spec& limits) {
  const chunk_cost between =
      storage_of(array_between(one, one.source.chunks), array_use::write, limits).cost;
  const bool is_encoded = one.source.cost.encoded + one.target.cost.encoded + between.encoded > 0;
  const std::size_t taken =
      limits.reserved_memory.count() +
      std::max({one.source.cost.workspace, one.target.cost.workspace, between.workspace});
  const std::size_t allowed = limits.allowed_memory.count();
  return {.shape = one.from.shape,
          .source = clipped(one.source.chunks, one.from.shape),
          .target = clipped(one.target.chunks, one.from.shape),
          .itemsize = std::max(one.from.type.size(), one.to.type.size()),
          .memory = allowed > taken ? allowed - taken : 0,
          .chunk_copies = is_encoded ? std::size_t{2} : std::size_t{1},
          .costs = limits.costs};
}

/// Makes the tasks of an operation walk one block, at once.
void walk_by(operation& what, const index_vector& block) {
  what.how.block = what.how.stream = block;
  what.how.ordered.reset();
}

/// Tells whether the tasks of `copies`, with all their buffers, keep to the memory. The last is
/// that of the operation `what` itself.
bool all_fit(const rechunk& one, const std::vector<rechunking::copy>& copies, const operation& what,
             const spec& limits) {
  array_storage before = one.source;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const bool is_last = i + 1 == copies.size();
    operation task = is_last ? what : copy_operation(one.from, copies[i].block);
    walk_by(task, copies[i].block);
    const planned_array between = array_between(one, copies[i].chunks);
    const array_storage made = is_last ? one.target : storage_of(between, array_use::write, limits);
    if (!fits(with_buffers(std::move(task), {before}, {made}), limits)) return false;
    before = storage_of(between, array_use::read, limits);
  }
  return true;
}

/// Returns copies that are clearly better than the operation as it is; none if there are none.
std::optional<std::vector<rechunking::copy>> better(const rechunk& one, const operation& what,
                                                    bool fits_now, const spec& limits) {
  rechunking::problem of = problem_of(one, limits);
  const double now =
      rechunking::cost_of(of, {{clipped(what.how.block, of.shape), of.target}}).merit();
  // What buffers take besides blocks and chunks is not known before the route is.
  for (int attempt = 0; attempt < 4; ++attempt, of.memory = of.memory / 5 * 4) {
    const auto copies = rechunking::shortest_route(of);
    if (!copies) return std::nullopt;
    if (fits_now && rechunking::cost_of(of, *copies).merit() > now * (1 - least_saving)) {
      return std::nullopt;
    }
    if (all_fit(one, *copies, what, limits)) return copies;
  }
  return std::nullopt;
}

/// Makes `copies` of the operation `v`.
void apply(array_graph& graph, vertex v, const std::vector<rechunking::copy>& copies) {
  vertex current = inputs_of(graph, v).front();
  for (std::size_t i = 0; i + 1 < copies.size(); ++i) {
    current = add_copy(graph, current, copies[i].chunks, copies[i].block);
  }
  set_inputs(graph, v, {current});
  walk_by(operation_at(graph, v), copies.back().block);
}

}  // namespace

void stage_rechunks(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    const std::optional<rechunk> one = rechunk_of(plan.graph, v, context.limits);
    if (!one) continue;
    const operation& what = operation_at(plan.graph, v);
    const planned_operation direct = estimate(plan.graph, v, context.limits);
    const bool fits_now = fits(direct, context.limits);
    // Another copy reads and writes all elements once more.
    if (fits_now && direct.bytes_read.count() / 2 <= one->from.size().count()) {
      context.leave(what, "it reads few chunks twice");
      continue;
    }
    if (const auto copies = better(*one, what, fits_now, context.limits)) {
      apply(plan.graph, v, *copies);
    } else {
      context.leave(what, "no copies between cost less");
    }
  }
}

}  // namespace tessera
