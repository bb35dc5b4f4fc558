// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/rechunk.hpp"

#include "plan/api/rings.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

/// Returns the array that a copy of the source of `original` into `chunks` yields.
planned_array array_between(const rechunk& original, const index_vector& chunks) {
  return {original.from.type, original.from.shape, chunks, original.from.name, {}};
}

/// Returns the requests in flight of a task of the copy, or 0 if both arrays are near.
std::size_t requests_in_flight(const rechunk& original, const costs& figures) {
  double most = 0;
  for (const planned_array* array : {&original.from, &original.to}) {
    const std::optional<request_cost> cost = requests_of(*array);
    if (!cost) continue;
    most = std::max(most, std::min(requests_of_full_wire(*cost, bandwidth_of_host(figures), 1),
                                   static_cast<double>(cost->most_in_flight)));
  }
  return static_cast<std::size_t>(std::min(most, static_cast<double>(tuning.most_in_ring)));
}

/// Lets a route count on rings, for which it leaves memory.
void add_rings(rechunking::problem& search, std::size_t in_flight) {
  if (in_flight <= search.costs.requests_in_flight) return;
  search.costs.requests_in_flight = in_flight;
  search.memory -= search.memory / tuning.ring_share_of_route;
}

rechunking::problem problem_of(const rechunk& original, const spec& limits) {
  const chunk_cost between =
      storage_of(array_between(original, original.source.chunks), array_use::write, limits).cost;
  const bool is_encoded =
      original.source.cost.encoded + original.target.cost.encoded + between.encoded > 0;
  const std::size_t reserved =
      limits.reserved_memory.count() +
      std::max({original.source.cost.workspace, original.target.cost.workspace, between.workspace});
  const std::size_t allowed = limits.allowed_memory.count();
  rechunking::problem search{
      .shape = original.from.shape,
      .source = clipped(original.source.chunks, original.from.shape),
      .target = clipped(original.target.chunks, original.from.shape),
      .itemsize = std::max(original.from.type.size(), original.to.type.size()),
      .memory = allowed > reserved ? allowed - reserved : 0,
      .chunk_copies = is_encoded ? std::size_t{2} : std::size_t{1},
      .costs = limits.costs};
  add_rings(search, requests_in_flight(original, limits.costs));
  return search;
}

/// Returns the planned operations of the first route, of which the last is `op` itself, or nullopt
/// if one of them does not fit.
std::optional<staged> plan_stages(const rechunk& original, std::vector<rechunking::route> routes,
                                  const operation& op, const spec& limits) {
  staged stages{std::move(routes), {}};
  array_storage before = original.source;
  for (std::size_t i = 0; i < stages.copies().size(); ++i) {
    const bool is_last = i + 1 == stages.copies().size();
    operation stage = is_last ? op : copy_operation(original.from, stages.copies()[i].block);
    set_blocks(stage, stages.copies()[i].block);
    const planned_array between = array_between(original, stages.copies()[i].chunks);
    const array_storage target =
        is_last ? original.target : storage_of(between, array_use::write, limits);
    stages.operations.push_back(with_buffers(std::move(stage), {before}, {target}));
    if (!fits(stages.operations.back(), limits)) return std::nullopt;
    before = storage_of(between, array_use::read, limits);
  }
  return stages;
}

index_vector blocks_of(const array_storage& array) { return clipped(array.chunks, array.shape); }

}  // namespace

bytes count_bytes_in_memory(const array_graph& graph) {
  bytes sum;
  for (auto [v, last] = boost::vertices(graph); v != last; ++v) {
    if (is_operation(graph, *v)) continue;
    const planned_array& array = array_at(graph, *v);
    const bool is_result = array.is_requested && array.is_open();
    if (is_result || array.is_for_memory) sum += array.size();
  }
  return sum;
}

std::optional<rechunk> rechunk_of(const array_graph& graph, vertex v, const spec& limits) {
  const operation& op = operation_at(graph, v);
  const small_vector<vertex> inputs = inputs_of(graph, v);
  const small_vector<vertex> outputs = outputs_of(graph, v);
  if (!op.primitive->may_grow() || inputs.size() != 1 || outputs.size() != 1) return std::nullopt;
  const planned_array& from = array_at(graph, inputs.front());
  const planned_array& to = array_at(graph, outputs.front());
  if (!op.operands.front().is_identity() || from.shape != op.schedule.domain ||
      to.shape != op.schedule.domain || num_elements(to.shape) == 0) {
    return std::nullopt;
  }
  rechunk result{from, to, storage_of(from, array_use::read, limits),
                 storage_of(to, array_use::write, limits)};
  if (result.source.medium != array_storage::kind::chunks ||
      result.target.medium != array_storage::kind::chunks) {
    return std::nullopt;
  }
  return result;
}

std::optional<staged> find_better(const rechunk& original, const operation& op, bool fits_now,
                                  const spec& limits, rechunking::route_cache& cache) {
  rechunking::problem search = problem_of(original, limits);
  const double now =
      rechunking::cost_of(search, {{clipped(op.schedule.block, search.shape), search.target}})
          .merit();
  // The search does not know all buffers of a stage: a route that does not fit is searched again
  // with less memory.
  for (int attempt = 0; attempt < 4; ++attempt, search.memory = search.memory / 5 * 4) {
    std::vector<rechunking::route> routes = cache.find(search);
    if (routes.empty()) return std::nullopt;
    if (fits_now && routes.front().cost.merit() > now * (1 - tuning.least_saving_of_copies))
      return std::nullopt;
    if (auto result = plan_stages(original, std::move(routes), op, limits)) return result;
  }
  return std::nullopt;
}

void put_before(array_graph& graph, vertex v, const std::vector<rechunking::copy>& copies) {
  vertex current = inputs_of(graph, v).front();
  for (std::size_t i = 0; i + 1 < copies.size(); ++i) {
    current = add_copy(graph, current, copies[i].chunks, copies[i].block);
  }
  set_inputs(graph, v, {current});
  set_blocks(operation_at(graph, v), copies.back().block);
}

void set_blocks(operation& op, const index_vector& block) {
  op.schedule.block = op.schedule.step = block;
  op.schedule.ordered.reset();
}

copy_in_memory::copy_in_memory(const rechunk& original, const operation& op)
    : rechunk_(original),
      read_(copy_operation(original.from, blocks_of(original.source))),
      make_(op) {
  const array_storage memory{.medium = array_storage::kind::memory,
                             .type = original.from.type,
                             .shape = original.from.shape,
                             .chunks = original.source.chunks};
  set_blocks(make_, blocks_of(original.target));
  first_ = with_buffers(read_, {original.source}, {memory});
  second_ = with_buffers(make_, {memory}, {original.target});
}

bool copy_in_memory::fits(const array_graph& graph, const plan_workers& workers,
                          const spec& limits) const {
  if (!tessera::fits(first_, limits) || !tessera::fits(second_, limits)) return false;
  const bytes resident = count_bytes_in_memory(graph);
  const bytes task = memory_of_tasks({&first_.buffers, &second_.buffers});
  const bytes needed =
      resident + rechunk_.from.size() + reserved_on_host(limits, workers) + task * workers.count;
  return needed <=
         host_limit(limits, workers, task, resident, graph[boost::graph_bundle].installed_memory);
}

double copy_in_memory::merit(const costs& figures, std::size_t num_workers) const {
  return cost_of_both(first_, second_, figures, num_workers).merit();
}

void copy_in_memory::apply(array_graph& graph, vertex v) const {
  const index_vector& block = read_.schedule.block;
  const vertex copy = add_copy(graph, inputs_of(graph, v).front(), block, block);
  array_at(graph, copy).is_for_memory = true;
  set_inputs(graph, v, {copy});
  set_blocks(operation_at(graph, v), make_.schedule.block);
}

}  // namespace tessera
