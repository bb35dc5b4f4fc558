// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/passes/passes.hpp"
#include "plan/rechunk/route.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
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

/// A copy of the whole array into memory, in blocks of a chunk, and the operation that reads it
/// there, in blocks of a chunk that it makes.
class copy_in_memory {
 public:
  copy_in_memory(const rechunk& one, const operation& what)
      : one_(one), read_(copy_operation(one.from, blocks_of(one.source))), make_(what) {
    const array_storage memory{.how = array_storage::kind::memory,
                               .type = one.from.type,
                               .shape = one.from.shape,
                               .chunks = one.source.chunks};
    walk_by(make_, blocks_of(one.target));
    first_ = with_buffers(read_, {one.source}, {memory});
    second_ = with_buffers(make_, {memory}, {one.target});
  }

  /// Tells whether the tasks keep to the allowed memory, and the host holds one of each worker
  /// besides the array and what `others` there is already.
  [[nodiscard]] bool fits(const plan_workers& workers, bytes others, const spec& limits) const {
    if (!tessera::fits(first_, limits) || !tessera::fits(second_, limits)) return false;
    const bytes task = memory_of_tasks({&first_.buffers, &second_.buffers});
    const bytes all =
        others + one_.from.size() + reserved_on_host(limits, workers) + task * workers.count;
    return all <= host_limit(limits, workers, task, others);
  }

  [[nodiscard]] double merit(const costs& figures, std::size_t num_workers) const {
    plan_cost_sum sum(figures, num_workers);
    sum.add(first_, {});
    sum.add(second_, {0});
    return sum.total().merit();
  }

  void apply(array_graph& graph, vertex v) const {
    const index_vector& block = read_.how.block;
    const vertex copy = add_copy(graph, inputs_of(graph, v).front(), block, block);
    array_at(graph, copy).is_for_memory = true;
    set_inputs(graph, v, {copy});
    walk_by(operation_at(graph, v), make_.how.block);
  }

 private:
  static index_vector blocks_of(const array_storage& array) {
    return clipped(array.chunks, array.shape);
  }

  const rechunk& one_;
  operation read_;
  operation make_;
  planned_operation first_;
  planned_operation second_;
};

/// Returns what results, and copies in memory, hold together.
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

/// Puts a copy in memory before `v` where that is better than `now`, the merit of the best way
/// without; returns whether it did.
bool is_held(plan_graph& plan, vertex v, const rechunk& one, double now,
             const pass_context& context) {
  if (context.workers == nullptr) return false;
  const copy_in_memory held(one, operation_at(plan.graph, v));
  if (!held.fits(*context.workers, held_in_memory(plan.graph), context.limits)) return false;
  const std::size_t num_workers = std::max<std::size_t>(1, context.workers->count);
  if (held.merit(context.limits.costs, num_workers) > now * (1 - least_saving)) return false;
  held.apply(plan.graph, v);
  context.tell(plan.graph, v, [&] {
    return fmt::format("reads '{}' from a copy in memory, {}", one.from.name,
                       format_short(one.from.size()));
  });
  return true;
}

/// Says a route: "copies in between, (6000, 1000) > (1000, 1000): ...".
std::string route_text(const std::vector<rechunking::copy>& copies, const planned_operation& direct,
                       bool fits_directly) {
  std::string text = fmt::format("by {} copies, block > chunks: ", copies.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    text += fmt::format("{}{} > {}", i == 0 ? "" : "; ", format_shape(copies[i].block),
                        format_shape(copies[i].chunks));
  }
  return text + (fits_directly ? fmt::format(", as {} would be read directly",
                                             format_short(direct.bytes_read))
                               : std::string(", as directly a task would need too much memory"));
}

}  // namespace

void stage_rechunks(plan_graph& plan, const pass_context& context) {
  const costs& figures = context.limits.costs;
  const std::size_t num_workers = context.workers == nullptr
                                      ? figures.workers
                                      : std::max<std::size_t>(1, context.workers->count);
  for (const vertex v : operations_in_order(plan.graph)) {
    const std::optional<rechunk> one = rechunk_of(plan.graph, v, context.limits);
    if (!one) continue;
    const operation& what = operation_at(plan.graph, v);
    const planned_operation direct = estimate(plan.graph, v, context.limits);
    const bool fits_now = fits(direct, context.limits);
    const double now = fits_now ? cost_of(direct, figures, num_workers).merit()
                                : std::numeric_limits<double>::infinity();
    if (is_held(plan, v, *one, now, context)) continue;
    // Another copy reads and writes all elements once more.
    if (fits_now && direct.bytes_read.count() / 2 <= one->from.size().count()) {
      context.leave(plan.graph, v,
                    {"it reads few chunks twice", "{} for an array of {}", direct.bytes_read,
                     one->from.size()});
      continue;
    }
    if (const auto copies = better(*one, what, fits_now, context.limits)) {
      apply(plan.graph, v, *copies);
      context.tell(plan.graph, v, [&] { return route_text(*copies, direct, fits_now); });
    } else {
      context.leave(plan.graph, v, "no copies between cost less");
    }
  }
}

}  // namespace tessera
