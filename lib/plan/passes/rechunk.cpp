// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/rechunk.hpp"

#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace tessera {

namespace {

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

/// Returns all operations of `copies`, of which the last is `what` itself; nothing where one does
/// not keep to the memory.
std::optional<staged> planned(const rechunk& one, std::vector<rechunking::route> routes,
                              const operation& what, const spec& limits) {
  staged all{std::move(routes), {}};
  array_storage before = one.source;
  for (std::size_t i = 0; i < all.copies().size(); ++i) {
    const bool is_last = i + 1 == all.copies().size();
    operation task = is_last ? what : copy_operation(one.from, all.copies()[i].block);
    walk_by(task, all.copies()[i].block);
    const planned_array between = array_between(one, all.copies()[i].chunks);
    const array_storage made = is_last ? one.target : storage_of(between, array_use::write, limits);
    all.operations.push_back(with_buffers(std::move(task), {before}, {made}));
    if (!fits(all.operations.back(), limits)) return std::nullopt;
    before = storage_of(between, array_use::read, limits);
  }
  return all;
}

index_vector blocks_of(const array_storage& array) { return clipped(array.chunks, array.shape); }

}  // namespace

bytes held_in_memory(const array_graph& graph) {
  bytes all;
  for (auto [v, last] = boost::vertices(graph); v != last; ++v) {
    if (is_operation(graph, *v)) continue;
    const planned_array& array = array_at(graph, *v);
    const bool is_result = array.is_requested && std::holds_alternative<open_place>(array.place);
    if (is_result || array.is_for_memory) all += array.size();
  }
  return all;
}

std::optional<rechunk> rechunk_of(const array_graph& graph, vertex v, const spec& limits) {
  const operation& what = operation_at(graph, v);
  const few<vertex> inputs = inputs_of(graph, v);
  const few<vertex> outputs = outputs_of(graph, v);
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

std::optional<staged> better(const rechunk& one, const operation& what, bool fits_now,
                             const spec& limits) {
  rechunking::problem of = problem_of(one, limits);
  const double now =
      rechunking::cost_of(of, {{clipped(what.how.block, of.shape), of.target}}).merit();
  // What buffers take besides blocks and chunks is not known before the route is.
  for (int attempt = 0; attempt < 4; ++attempt, of.memory = of.memory / 5 * 4) {
    std::vector<rechunking::route> routes = rechunking::shortest_routes(of);
    if (routes.empty()) return std::nullopt;
    if (fits_now && routes.front().cost.merit() > now * (1 - least_saving)) return std::nullopt;
    if (auto found = planned(one, std::move(routes), what, limits)) return found;
  }
  return std::nullopt;
}

void put_before(array_graph& graph, vertex v, const std::vector<rechunking::copy>& copies) {
  vertex current = inputs_of(graph, v).front();
  for (std::size_t i = 0; i + 1 < copies.size(); ++i) {
    current = add_copy(graph, current, copies[i].chunks, copies[i].block);
  }
  set_inputs(graph, v, {current});
  walk_by(operation_at(graph, v), copies.back().block);
}

void walk_by(operation& what, const index_vector& block) {
  what.how.block = what.how.stream = block;
  what.how.ordered.reset();
}

copy_in_memory::copy_in_memory(const rechunk& one, const operation& what)
    : one_(one), read_(copy_operation(one.from, blocks_of(one.source))), make_(what) {
  const array_storage memory{.how = array_storage::kind::memory,
                             .type = one.from.type,
                             .shape = one.from.shape,
                             .chunks = one.source.chunks};
  walk_by(make_, blocks_of(one.target));
  first_ = with_buffers(read_, {one.source}, {memory});
  second_ = with_buffers(make_, {memory}, {one.target});
}

bool copy_in_memory::fits(const array_graph& graph, const plan_workers& workers,
                          const spec& limits) const {
  if (!tessera::fits(first_, limits) || !tessera::fits(second_, limits)) return false;
  const bytes others = held_in_memory(graph);
  const bytes task = memory_of_tasks({&first_.buffers, &second_.buffers});
  const bytes all =
      others + one_.from.size() + reserved_on_host(limits, workers) + task * workers.count;
  return all <= host_limit(limits, workers, task, others);
}

double copy_in_memory::merit(const costs& figures, std::size_t num_workers) const {
  plan_cost_sum sum(figures, num_workers);
  sum.add_behind(first_, {});
  sum.add_behind(second_, {0});
  return sum.total().merit();
}

void copy_in_memory::apply(array_graph& graph, vertex v) const {
  const index_vector& block = read_.how.block;
  const vertex copy = add_copy(graph, inputs_of(graph, v).front(), block, block);
  array_at(graph, copy).is_for_memory = true;
  set_inputs(graph, v, {copy});
  walk_by(operation_at(graph, v), make_.how.block);
}

}  // namespace tessera
