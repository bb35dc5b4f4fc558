// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tree reduction: cuts a fold into parts that run in parallel, and combines their states.
///
/// Problem: sum(x) over all axes is one task; mean(x) along a long axis has few. Workers stay idle.
///     fold(x) = combine(partial(x_1), ..., partial(x_n))
/// States must be small against x. Ways to choose the parts x_k:
/// - x is distributed: the parts are those of the processes (`along_parts`).
/// - The fold has leaves, whose states may be merged in any grouping of one binary tree:
/// `fold_runs`
///   chooses the number of leaves of a task, `fold_levels` the levels of the tree.
/// - Products are cut by `split_products`.
/// - Otherwise blocks are cut until there are about `tuning.wanted_fold_tasks`, and one operation
/// combines all
///   states (`cut_at_once`).
/// Invariant: the bits depend on leaves or blocks, which the program fixes, not on the workers.

#include "core/api/array_kinds.hpp"
#include "core/api/element_count.hpp"
#include "core/api/text.hpp"
#include "plan/api/rings.hpp"
#include "plan/array_storage.hpp"
#include "plan/cost.hpp"
#include "plan/parts.hpp"
#include "plan/passes/fold_in_levels.hpp"
#include "plan/passes/fold_in_parts.hpp"
#include "plan/passes/fold_runs.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns the number of blocks into which the reduced axes of `op` should be cut.
index_t wanted_blocks(const operation& op, const two_stages& stages) {
  double kept = 1;
  double task_elements = 1;
  const axis_set reduced = op.primitive->reduced();
  for (std::size_t axis = 0; axis < op.schedule.domain.size(); ++axis) {
    const auto extent = static_cast<double>(op.schedule.domain[axis]);
    if (!reduced[axis]) kept *= extent;
    task_elements *= std::min(static_cast<double>(op.schedule.block[axis]), extent);
  }
  const double input_bytes = static_cast<double>(stages.element_bytes) * count_elements_read(op);
  const double most_for_states =
      tuning.most_states * input_bytes / (static_cast<double>(stages.state_bytes) * kept);
  const double most_for_work = task_elements / static_cast<double>(tuning.least_fold_block);
  const double wanted = static_cast<double>(tuning.wanted_fold_tasks) /
                        static_cast<double>(op.schedule.blocks().size());
  return static_cast<index_t>(std::min({wanted, most_for_states, most_for_work}));
}

/// Cuts the reduced axes of `op` into about `count` blocks of whole steps.
void cut_axes(operation& op, index_t count) {
  for (std::size_t axis = 0; axis < op.schedule.domain.size() && count > 1; ++axis) {
    if (!op.primitive->reduced()[axis]) continue;
    const index_t steps = ceil_divide(op.schedule.domain[axis], op.schedule.step[axis]);
    const index_t steps_in_block = ceil_divide(steps, std::min(count, steps));
    op.schedule.block[axis] = steps_in_block * op.schedule.step[axis];
    count = ceil_divide(count, ceil_divide(steps, steps_in_block));
  }
}

/// Returns `op` in up to `tuning.wanted_fold_tasks` blocks.
operation cut_into_blocks(operation op, const two_stages& stages) {
  if (element_count(op.schedule.domain) < 1 ||
      op.schedule.blocks().size() >= tuning.wanted_fold_tasks)
    return op;
  cut_axes(op, wanted_blocks(op, stages));
  return op;
}

/// Returns the common leaf of `folds`: along each reduced axis the longest leaf of any fold.
///
/// If that is several leaves of one fold along an axis, the common leaf takes the whole of the
/// later axes that the fold reduces: only then is it a node of the fold's tree.
index_vector common_leaf(const operation& op, const std::vector<two_stages>& folds) {
  index_vector leaf(op.schedule.rank(), 1);
  for (const two_stages& fold : folds) {
    for (std::size_t axis = 0; axis < leaf.size(); ++axis) {
      if (fold.reduced[axis]) leaf[axis] = std::max(leaf[axis], fold.leaf[axis]);
    }
  }
  for (std::size_t axis = 0; axis < leaf.size(); ++axis) {
    for (const two_stages& fold : folds) {
      if (!fold.reduced[axis] || leaf[axis] <= fold.leaf[axis]) continue;
      for (std::size_t behind = axis + 1; behind < leaf.size(); ++behind) {
        if (fold.reduced[behind]) leaf[behind] = std::max(leaf[behind], op.schedule.domain[behind]);
      }
    }
  }
  return leaf;
}

/// Returns the schedule of `op` with blocks of one `run` along the reduced axes.
loop_schedule schedule_in_runs(const operation& op, const index_vector& run) {
  loop_schedule schedule = op.schedule;
  const axis_set reduced = op.primitive->reduced();
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    if (!reduced[axis]) continue;
    schedule.block[axis] = std::max<index_t>(1, run[axis]);
    schedule.step[axis] = std::min(schedule.step[axis], schedule.block[axis]);
  }
  return schedule;
}

/// Returns the description of `stages`, folds of `v` over the same axes, for `fold_levels`: tasks
/// take one `run` along the axes that other folds reduce.
leafy_fold describe_fold(const array_graph& graph, vertex v, const two_stages& stages,
                         const index_vector& run, const pass_context& context) {
  const loop_schedule schedule = schedule_in_runs(operation_at(graph, v), run);
  leafy_fold fold{.domain = schedule.domain,
                  .leaf = stages.leaf,
                  .reduced = stages.reduced,
                  .num_tasks = 1,
                  .num_fields = 0,
                  .state_bytes = static_cast<double>(stages.state_bytes)};
  for (const std::size_t fields : stages.num_states) fold.num_fields += fields;
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    if (fold.reduced[axis]) continue;
    fold.num_tasks *= ceil_divide(schedule.domain[axis], schedule.block[axis]);
    fold.state_bytes *= static_cast<double>(std::min(schedule.block[axis], schedule.domain[axis]));
  }
  const bytes memory = context.limits.allowed_memory;
  const auto allowed = static_cast<double>(memory.count());
  fold.most_in_memory = context.workers == nullptr ? 0 : allowed;
  fold.most_in_task = allowed - static_cast<double>(context.limits.reserved_memory.count());
  const small_vector<vertex> outputs = outputs_of(graph, v);
  fold.requests = requests_of_intermediate(array_at(graph, outputs.front()), context.limits);
  fold.has_open_results = true;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (stages.num_states[i] == 0) continue;
    const planned_array& array = array_at(graph, outputs[i]);
    fold.has_open_results &= array.is_open() && uses_of(graph, outputs[i]).empty();
  }
  return fold;
}

/// Returns the description of the schedule of `whole`, in leaves of all `folds`, for `fold_runs`.
fold_schedule describe_schedule(const planned_operation& whole,
                                const std::vector<two_stages>& folds, const spec& limits) {
  const operation& op = whole.op;
  return {
      .domain = op.schedule.domain,
      .leaf = common_leaf(op, folds),
      .reduced = op.primitive->reduced(),
      .num_blocks = whole.num_tasks,
      .work =
          work_of(whole, limits.costs) - limits.costs.task * static_cast<double>(whole.num_tasks),
      .most_for_states = tuning.most_states_of_leaves *
                         static_cast<double>(folds.front().element_bytes) * count_elements_read(op),
      .longest_task = limits.task_time};
}

/// Tells whether blocks of `schedule` hold whole chunks of the outputs that keep a reduced axis.
bool runs_hold_whole_chunks(const array_graph& graph, vertex v, const loop_schedule& schedule) {
  const operation& op = operation_at(graph, v);
  const small_vector<vertex> outputs = outputs_of(graph, v);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const planned_array& array = array_at(graph, outputs[i]);
    index_vector extents = array.shape;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      const output_axis& from = op.outputs[i].axes[k];
      const bool is_cut =
          from.origin == output_axis::kind::along && op.primitive->reduced()[from.axis];
      if (is_cut) extents[k] = schedule.block[from.axis];
    }
    if (!holds_whole_chunks(extents, array.shape, array.chunks)) return false;
  }
  return true;
}

/// Returns the plan of `partial` in place of `v`, with its states in storage.
planned_operation estimate_in_runs(const array_graph& graph, vertex v, operation partial,
                                   const std::vector<two_stages>& folds, const spec& limits) {
  const bool is_whole = partial.schedule.takes_all(partial.primitive->reduced());
  if (is_whole) return estimate(graph, v, limits);
  partial.outputs = partial.primitive->outputs(partial.schedule);
  std::vector<array_storage> sources;
  for (const vertex input : inputs_of(graph, v)) {
    sources.push_back(storage_of(array_at(graph, input), array_use::read, limits));
    sources.back().array = input;
  }
  const small_vector<vertex> outputs = outputs_of(graph, v);
  std::vector<array_storage> targets;
  std::size_t next = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::size_t num_states = 0;
    for (const two_stages& fold : folds) {
      if (!partial.schedule.takes_all(fold.reduced)) num_states += fold.num_states[i];
    }
    if (num_states == 0) {
      targets.push_back(storage_of(array_at(graph, outputs[i]), array_use::write, limits));
      ++next;
    }
    for (std::size_t k = 0; k < num_states; ++k, ++next) {
      const output& state = partial.outputs[next];
      const index_vector shape = state.shape(partial.schedule);
      const index_vector block = clipped(state.block(partial.schedule), shape);
      const stored_placement to{make_intermediate(0, state.type, shape, block, limits), true};
      targets.push_back(
          storage_of(planned_array{state.type, shape, block, {}, to}, array_use::write, limits));
    }
  }
  return with_buffers(std::move(partial), sources, targets);
}

/// Tells whether `partial` reads so much more than `whole` that it is not worth it. `merit` is its
/// merit without the additional reads.
bool reads_too_much(const planned_operation& whole, const planned_operation& partial, double merit,
                    const spec& limits) {
  if (partial.bytes_read <= whole.bytes_read || !fits(whole, limits)) return false;
  const plan_cost cost = cost_of(whole, limits.costs, limits.costs.num_workers());
  const double times = work_of(partial, limits.costs) / cost.work;
  return merit * std::pow(times, 1.5) >= cost.merit();
}

/// Returns the runs of leaves that a task of `v`, planned as `whole`, may fold.
fold_runs runs_of_folds(const array_graph& graph, vertex v, const planned_operation& whole,
                        const std::vector<two_stages>& folds, const pass_context& context) {
  const auto folds_in = [&](const index_vector& run) {
    std::vector<leafy_fold> leafy;
    for (const two_stages& fold : folds)
      leafy.push_back(describe_fold(graph, v, fold, run, context));
    return leafy;
  };
  return {describe_schedule(whole, folds, context.limits), folds_in, context.limits.costs};
}

/// Folds, and the runs of leaves that a task may fold.
struct folds_in_runs {
  std::vector<two_stages> folds;
  fold_runs runs;
};

/// Returns `folds`, with folds over the same axes separated if that has a better (lower) merit.
folds_in_runs choose_separation(const array_graph& graph, vertex v, const planned_operation& whole,
                                const std::vector<two_stages>& folds, const pass_context& context) {
  folds_in_runs joint{folds, runs_of_folds(graph, v, whole, folds, context)};
  std::vector<two_stages> separated;
  for (const two_stages& fold : folds) {
    if (folds.size() == 1 && fold.apart.size() < 2) return joint;
    if (fold.apart.empty()) separated.push_back(fold);
    separated.insert(separated.end(), fold.apart.begin(), fold.apart.end());
  }
  if (separated.size() == folds.size()) return joint;
  folds_in_runs separate{separated, runs_of_folds(graph, v, whole, separated, context)};
  const double least = joint.runs.merit(joint.runs.best()) * (1 - tuning.least_gain);
  const double merit = separate.runs.merit(separate.runs.best());
  return merit < least ? separate : joint;
}

/// Cuts `v` into runs of leaves. Returns the number of tasks, or nullopt if `v` is not cut.
std::optional<index_t> cut_into_runs(array_graph& graph, vertex v,
                                     const std::vector<two_stages>& all_folds,
                                     const pass_context& context) {
  const operation& op = operation_at(graph, v);
  const loop_schedule leaves = schedule_in_runs(op, common_leaf(op, all_folds));
  if (leaves.takes_all(op.primitive->reduced())) return std::nullopt;
  if (!runs_hold_whole_chunks(graph, v, leaves)) return std::nullopt;
  const planned_operation whole = estimate(graph, v, context.limits);
  const folds_in_runs selection = choose_separation(graph, v, whole, all_folds, context);
  const std::vector<two_stages>& folds = selection.folds;
  const fold_runs& choices = selection.runs;
  std::size_t choice = choices.best();
  operation partial = op;
  const auto estimate_choice = [&] {
    partial.schedule = schedule_in_runs(op, choices.run(choice));
    return estimate_in_runs(graph, v, partial, folds, context.limits);
  };
  planned_operation planned = estimate_choice();
  while (choice > 0 && !fits(planned, context.limits)) {
    --choice;
    planned = estimate_choice();
  }
  if (partial.schedule.takes_all(op.primitive->reduced())) return std::nullopt;
  if (reads_too_much(whole, planned, choices.merit(choice), context.limits)) return std::nullopt;
  std::vector<staged_fold> staged;
  const std::vector<std::vector<fold_level>> levels = choices.levels(choice);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    staged.push_back({folds[i], {levels[i].begin() + 1, levels[i].end()}});
  }
  const index_t num_tasks = partial.schedule.blocks().size();
  fold_in_levels(graph, v, std::move(partial), staged);
  return num_tasks;
}

}  // namespace

index_t worthwhile_tasks(const operation& op, std::size_t num_workers) {
  const double by_work =
      element_count(op.schedule.domain) / static_cast<double>(tuning.least_fold_block);
  const auto most = static_cast<double>(std::min(2 * num_workers, costs::many_workers));
  return static_cast<index_t>(std::min(most, by_work));
}

index_t tasks_when_split(const operation& op) {
  const std::vector<two_stages> folds = op.primitive->in_stages();
  if (folds.empty() || is_product(op)) return in_partial_products(op).schedule.blocks().size();
  if (folds.front().leaf.empty())
    return cut_into_blocks(op, folds.front()).schedule.blocks().size();
  return schedule_in_runs(op, common_leaf(op, folds)).blocks().size();
}

void split_folds(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    const operation& op = operation_at(plan.graph, v);
    const std::vector<two_stages> folds = op.primitive->in_stages();
    if (folds.empty() || is_product(op) || element_count(op.schedule.domain) < 1) continue;
    std::optional<index_t> num_blocks;
    std::optional<operation> partial = along_parts(plan.graph, v);
    if (!partial && !folds.front().leaf.empty()) {
      num_blocks = cut_into_runs(plan.graph, v, folds, context);
    } else {
      if (!partial) partial = cut_into_blocks(op, folds.front());
      if (!partial->schedule.takes_all(op.primitive->reduced())) {
        num_blocks = partial->schedule.blocks().size();
        cut_at_once(plan.graph, v, std::move(*partial), folds);
      }
    }
    if (num_blocks) {
      context.tell(plan.graph, v, [&] {
        return "is cut into " + with_commas(*num_blocks) + " blocks, whose states are combined";
      });
    } else {
      const index_t count = op.schedule.blocks().size();
      const char* const rule = count >= tuning.wanted_fold_tasks
                                   ? "{op} has enough tasks as it is"
                                   : "parts of {op} would be small, or their states large";
      context.leave(plan.graph, v,
                    {rule, "{} tasks, {} elements a part", count, tuning.least_fold_block});
    }
  }
}

}  // namespace tessera
