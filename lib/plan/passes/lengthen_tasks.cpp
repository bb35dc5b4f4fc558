// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lets tasks over arrays that are far away take larger blocks, so that they have many requests,
/// and lets tasks that take long to start take several blocks.
///
/// Problem: a task has no more requests in flight than it makes. A map of one chunk a task makes
/// one, and the wire is idle while it waits, computes and writes.
/// Idea: a task sweeps along an axis and takes block after block; reads run ahead of it, and writes
/// behind it.
///     | task 0 | task 1 | task 2 | ...     ->     | task 0 ---->---->---->---->----> | task 1 ...
/// With K requests that keep the wire full, a task gets up to 8 K requests while 4 tasks are left
/// for each worker, and up to K requests while 2 are left.
/// A block leaves the task before the next one is read, so that memory stays. Copies do not sweep:
/// they take larger blocks in place, or become maps.
/// If starting a task takes long beside a block, tasks take neighbouring blocks, one after the
/// other: the same blocks in the same memory, by fewer tasks (`choose_blocks_of_tasks`).
/// Invariant: a task keeps to the allowed memory, grows by no more than its ring, and reads no
/// chunk more often. Blocks over near arrays stay as they are.

#include "plan/api/rings.hpp"
#include "plan/blocks_of_tasks.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/parts.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"
#include "plan/tuning.hpp"
#include "primitive/api/as_map.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// The requests of an operation for the remote array that it transfers most chunks of.
struct remote_traffic {
  /// The requests in flight of a full ring, and its bytes.
  index_t num_places = 0;
  std::size_t ring_bytes = 0;
  /// Of a task.
  index_t num_requests = 0;
};

/// Adds the requests for an array of `cost` if it is far away.
void add_traffic(remote_traffic& traffic, const std::optional<request_cost>& cost,
                 index_t num_requests, const costs& figures) {
  if (!cost || num_requests <= traffic.num_requests) return;
  const double places = std::min({requests_of_full_wire(*cost, bandwidth_of_host(figures), 1),
                                  static_cast<double>(cost->most_in_flight),
                                  static_cast<double>(tuning.most_in_ring)});
  const auto num_places = static_cast<index_t>(places);
  traffic = {num_places, static_cast<std::size_t>(num_places) * cost->largest, num_requests};
}

/// The search for longer tasks of one operation of the graph.
class longer_tasks {
 public:
  longer_tasks(const plan_graph& plan, vertex v, const spec& limits)
      : graph_(plan.graph),
        limits_(limits),
        op_(operation_at(plan.graph, v)),
        inputs_(inputs_of(plan.graph, v)),
        outputs_(outputs_of(plan.graph, v)) {}

  /// Tells whether the operation is a map between arrays one of which is far away.
  [[nodiscard]] bool is_remote_map() const {
    const primitive& body = *op_.primitive;
    if (body.reduced().any() || op_.schedule.ordered.any() || !body.may_grow()) return false;
    if (std::ranges::any_of(op_.operands,
                            [](const index_map& map) { return map.gather() != nullptr; }))
      return false;
    const auto is_far = [&](vertex array) {
      return requests_of(array_at(graph_, array)).has_value();
    };
    const auto has_parts = [&](vertex array) {
      return parts_of(array_at(graph_, array)) != nullptr;
    };
    return (std::ranges::any_of(inputs_, is_far) || std::ranges::any_of(outputs_, is_far)) &&
           std::ranges::none_of(inputs_, has_parts);
  }

  /// Returns the operation with longer tasks, or nullopt if its tasks are long enough, or cannot be
  /// longer.
  [[nodiscard]] std::optional<operation> run() const {
    const planned_operation now = estimate(graph_, op_, inputs_, outputs_, limits_);
    const remote_traffic traffic = traffic_of(now);
    for (index_t count = most_blocks(now, traffic); count > 1; count /= 2) {
      for (operation& longer : in_blocks(count)) {
        if (is_worth(estimate(graph_, longer, inputs_, outputs_, limits_), now, traffic))
          return std::move(longer);
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] remote_traffic traffic_of(const planned_operation& planned) const {
    remote_traffic traffic;
    if (planned.num_tasks == 0) return traffic;
    for (const planned_window& window : planned.windows) {
      const planned_array& array = array_at(graph_, inputs_[window.operands.front()]);
      add_traffic(traffic, requests_of(planned, window, array),
                  ceil_divide(window.chunk_reads, planned.num_tasks), limits_.costs);
    }
    for (std::size_t i = 0; i < planned.outputs.size(); ++i) {
      add_traffic(traffic, requests_of(array_at(graph_, outputs_[i])),
                  ceil_divide(planned.outputs[i].chunk_writes, planned.num_tasks), limits_.costs);
    }
    return traffic;
  }

  /// Returns the number of blocks that a task takes at best.
  [[nodiscard]] index_t most_blocks(const planned_operation& now,
                                    const remote_traffic& traffic) const {
    if (traffic.num_requests == 0) return 1;
    const auto num_workers = static_cast<index_t>(limits_.costs.num_workers());
    const index_t filling = ceil_divide(traffic.num_places, traffic.num_requests);
    return std::max(
        std::min(tuning.many_fillings * filling,
                 now.num_tasks / (tuning.many_tasks_of_worker * num_workers)),
        std::min(filling, now.num_tasks / (tuning.fewest_tasks_of_worker * num_workers)));
  }

  /// Returns the last of the axes with the most blocks.
  [[nodiscard]] std::size_t longest_axis() const {
    const index_vector num_blocks = op_.schedule.blocks().num_chunks();
    std::size_t longest = 0;
    for (std::size_t axis = 1; axis < num_blocks.size(); ++axis) {
      if (num_blocks[axis] >= num_blocks[longest]) longest = axis;
    }
    return longest;
  }

  /// Returns forms of the operation whose tasks take up to `count` blocks, the cheapest first.
  [[nodiscard]] std::vector<operation> in_blocks(index_t count) const {
    if (op_.schedule.rank() == 0) return {};
    const std::size_t axis = longest_axis();
    const index_t num_blocks = op_.schedule.blocks().num_chunks()[axis];
    const index_t num_tasks = ceil_divide(num_blocks, std::min(count, num_blocks));
    const index_t length = ceil_divide(num_blocks, num_tasks) * op_.schedule.block[axis];
    if (op_.primitive->can_sweep()) return {in_sweeps(op_, axis, length)};
    operation larger = op_;
    lengthen(larger.schedule, *larger.primitive, axis, length);
    std::vector<operation> forms{std::move(larger)};
    operation map = op_;
    map.primitive = as_map(*op_.primitive);
    if (map.primitive == nullptr) return forms;
    map.outputs = map.primitive->outputs(map.schedule);
    forms.push_back(in_sweeps(std::move(map), axis, length));
    return forms;
  }

  [[nodiscard]] static operation in_sweeps(operation op, std::size_t axis, index_t length) {
    op.schedule.step[axis] = op.schedule.block[axis];
    op.schedule.block[axis] = length;
    op.schedule.ordered.set(axis);
    return op;
  }

  [[nodiscard]] bool is_worth(const planned_operation& longer, const planned_operation& now,
                              const remote_traffic& traffic) const {
    const std::size_t most = now.buffers.peak_bytes() + traffic.ring_bytes;
    return fits(longer, limits_) && longer.buffers.peak_bytes() <= most &&
           longer.num_tasks < now.num_tasks && longer.chunk_reads <= now.chunk_reads &&
           longer.chunk_writes <= now.chunk_writes && longer.bytes_read <= now.bytes_read;
  }

  const array_graph& graph_;
  const spec& limits_;
  const operation& op_;
  small_vector<vertex> inputs_;
  small_vector<vertex> outputs_;
};

/// Returns the number of blocks that a task of operation `v` takes at best.
index_t blocks_per_task(const array_graph& graph, vertex v, const spec& limits) {
  const auto num_blocks = static_cast<double>(operation_at(graph, v).schedule.blocks().size());
  if (!may_save_by_long_tasks(num_blocks, limits.costs) || reads_distributed(graph, v)) return 1;
  const planned_operation planned = estimate(graph, v, limits);
  const costs::seconds block = work_of(planned, limits.costs) / num_blocks - limits.costs.task;
  return choose_blocks_of_tasks(num_blocks, block, limits.costs, limits.task_time).per_task;
}

/// Lets tasks over remote arrays take larger blocks.
void lengthen_blocks(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    const longer_tasks search(plan, v, context.limits);
    if (is_search_over(plan.graph) || !search.is_remote_map()) continue;
    std::optional<operation> longer = search.run();
    if (!longer) {
      context.leave(plan.graph, v,
                    {"tasks of {op} have enough requests for remote arrays, or get no more within "
                     "memory and with work for all workers"});
      continue;
    }
    context.tell(plan.graph, v, [&] {
      return fmt::format("tasks of {} blocks in place of {}: more requests in flight",
                         format_shape(longer->schedule.block),
                         format_shape(operation_at(plan.graph, v).schedule.block));
    });
    operation_at(plan.graph, v) = std::move(*longer);
  }
}

}  // namespace

void lengthen_tasks(plan_graph& plan, const pass_context& context) {
  lengthen_blocks(plan, context);
  for (const vertex v : operations_in_order(plan.graph)) {
    const index_t blocks = blocks_per_task(plan.graph, v, context.limits);
    if (blocks == 1) continue;
    context.tell(plan.graph, v, [&] {
      return fmt::format("tasks take {} blocks each, as starting a task takes long", blocks);
    });
    operation_at(plan.graph, v).schedule.blocks_per_task = blocks;
  }
}

}  // namespace tessera
