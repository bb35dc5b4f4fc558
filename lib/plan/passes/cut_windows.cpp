// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts moving windows into tasks that overlap.
///
/// Problem: a moving window sweeps along its axis with a state, so that all of the axis is one
/// task: a rolling mean over time of chunks of whole maps keeps one worker busy.
/// Idea: a block begins with the elements before its first output, as many as a window has but one.
/// The state knows no more after them:
///
///     elements  0 1 2 3 4 5 6 7 8 9       windows of 3
///     block 0   . . x x x x               results 0 to 3
///     block 1           . . x x x x       results 4 to 7, reads 4 and 5 again
///
/// Legality (`overlap_axis`): every result leaves with its sweep. Blocks hold whole steps, and
/// whole chunks of the outputs. Price: blocks are halved while the merit falls, or while tasks take
/// longer than `spec.task_time`. Invariant: windows lie in one grid in all blocks, so that the bits
/// are those of one task.

#include "core/api/wide_integer.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/overlap.hpp"
#include "plan/parts.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"

#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <utility>

namespace tessera {

namespace {

/// The blocks of one operation of windows.
class window_cuts {
 public:
  window_cuts(const array_graph& graph, vertex v, std::size_t axis, const spec& limits)
      : graph_(graph), v_(v), axis_(axis), limits_(limits), unit_(unit_of_blocks()) {}

  struct priced_operation {
    operation op;
    plan_cost cost;
  };

  /// Returns the operation in the best blocks, or nullopt if it stays whole.
  [[nodiscard]] std::optional<priced_operation> run() const {
    const priced_operation whole = priced(operation_at(graph_, v_));
    priced_operation best = whole;
    while (std::optional<operation> shorter = in_shorter_blocks(best.op)) {
      priced_operation cut = priced(*std::move(shorter));
      const bool is_long = has_long_tasks(best.cost, limits_);
      if (!is_long && cut.cost.merit() >= best.cost.merit()) break;
      best = std::move(cut);
    }
    if (best.op.schedule.overlap == 0) return std::nullopt;
    return best;
  }

 private:
  [[nodiscard]] priced_operation priced(operation op) const {
    const planned_operation planned =
        estimate(graph_, op, inputs_of(graph_, v_), outputs_of(graph_, v_), limits_);
    return {std::move(op), cost_of(planned, limits_.costs, limits_.costs.num_workers())};
  }

  /// Returns a length of which blocks are multiples, so that they hold whole steps and chunks.
  [[nodiscard]] index_t unit_of_blocks() const {
    const operation& op = operation_at(graph_, v_);
    index_t unit = op.schedule.step[axis_];
    const small_vector<vertex> outputs = outputs_of(graph_, v_);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::vector<output_axis>& axes = op.outputs[i].axes;
      for (std::size_t k = 0; k < axes.size(); ++k) {
        if (axes[k].origin != output_axis::kind::along || axes[k].axis != axis_) continue;
        const index_t chunk = array_at(graph_, outputs[i]).chunks[k];
        const index_t common = unit / std::gcd(unit, chunk);
        if (__builtin_mul_overflow(common, chunk, &unit)) return greatest_index;
      }
    }
    return unit;
  }

  /// Returns `op` in blocks of half the length, or in fewer while workers have none; nullopt if
  /// blocks have the least length.
  [[nodiscard]] std::optional<operation> in_shorter_blocks(operation op) const {
    loop_schedule& schedule = op.schedule;
    const index_t overlap = overlap_of_windows(op);
    const index_t num_results = schedule.domain[axis_] - overlap;
    const auto workers = static_cast<index_t>(limits_.costs.num_workers());
    index_t length = std::min(schedule.block[axis_], num_results);
    if (length <= unit_) return std::nullopt;
    do {
      length = ceil_divide(ceil_divide(length, 2), unit_) * unit_;
      schedule.block[axis_] = length;
      schedule.overlap = overlap;
    } while (length > unit_ && 2 * schedule.blocks().size() < workers);
    return op;
  }

  const array_graph& graph_;
  vertex v_;
  std::size_t axis_;
  const spec& limits_;
  index_t unit_;
};

}  // namespace

void cut_windows(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    const std::optional<std::size_t> axis = overlap_axis(operation_at(plan.graph, v));
    if (!axis) continue;
    if (reads_distributed(plan.graph, v)) {
      context.leave(plan.graph, v, {"{op} reads the parts of other processes"});
      continue;
    }
    std::optional<window_cuts::priced_operation> cut =
        window_cuts(plan.graph, v, *axis, context.limits).run();
    if (!cut) {
      context.leave(plan.graph, v, {"windows of {op} in several tasks take no less time"});
      continue;
    }
    context.tell(plan.graph, v, [&] {
      return fmt::format("{} blocks along axis {}, which share {} elements with the next",
                         cut->op.schedule.blocks().num_chunks()[*axis], *axis,
                         cut->op.schedule.overlap);
    });
    operation_at(plan.graph, v).schedule = cut->op.schedule;
  }
}

}  // namespace tessera
