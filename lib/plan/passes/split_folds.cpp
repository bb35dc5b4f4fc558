// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/array_kinds.hpp"
#include "tessera/core/text.hpp"

#include "plan/array_storage.hpp"
#include "plan/cost.hpp"
#include "plan/parts.hpp"
#include "plan/passes/fold_in_levels.hpp"
#include "plan/passes/fold_runs.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// How many tasks a fold without leaves should have, so that many workers have something to do. It
/// does not depend on how many there are: the same program gives the same bits everywhere.
constexpr index_t wanted_tasks = 64;

/// A part is no smaller than this many elements.
constexpr index_t least_block = index_t{1} << 16;

/// The states of all blocks together are at most this fraction of what is folded.
constexpr double largest_share_of_states = 1.0 / 16;
constexpr double largest_share_of_states_of_leaves = 1.0 / 4;

double product(const index_vector& extents) {
  double elements = 1;
  for (const index_t extent : extents) elements *= static_cast<double>(extent);
  return elements;
}

/// Returns how many elements of its operands `what` takes.
double elements_taken(const operation& what) {
  const region all = region::whole(what.how.domain);
  double elements = 0;
  for (const index_map& map : what.operands) elements += product(map.image(all).shape());
  return elements;
}

/// Returns into how many blocks the reduced axes of `what` should be cut altogether.
index_t wanted_blocks(const operation& what, const two_stages& stages) {
  double kept = 1;
  double task_elements = 1;
  const axis_set reduced = what.body->reduced();
  for (std::size_t axis = 0; axis < what.how.domain.size(); ++axis) {
    const auto extent = static_cast<double>(what.how.domain[axis]);
    if (!reduced[axis]) kept *= extent;
    task_elements *= std::min(static_cast<double>(what.how.block[axis]), extent);
  }
  const double input_bytes = static_cast<double>(stages.element_bytes) * elements_taken(what);
  const double most_for_states =
      largest_share_of_states * input_bytes / (static_cast<double>(stages.state_bytes) * kept);
  const double most_for_work = task_elements / static_cast<double>(least_block);
  const double wanted =
      static_cast<double>(wanted_tasks) / static_cast<double>(what.how.tasks().size());
  return static_cast<index_t>(std::min({wanted, most_for_states, most_for_work}));
}

/// Cuts the reduced axes of `what` into about `count` blocks that are multiples of its stream.
void cut(operation& what, index_t count) {
  for (std::size_t axis = 0; axis < what.how.domain.size() && count > 1; ++axis) {
    if (!what.body->reduced()[axis]) continue;
    const index_t steps = ceil_divide(what.how.domain[axis], what.how.stream[axis]);
    const index_t steps_in_block = ceil_divide(steps, std::min(count, steps));
    what.how.block[axis] = steps_in_block * what.how.stream[axis];
    count = ceil_divide(count, ceil_divide(steps, steps_in_block));
  }
}

/// Returns `what` in as many blocks as are worth it.
operation in_blocks(operation what, const two_stages& stages) {
  if (product(what.how.domain) < 1 || what.how.tasks().size() >= wanted_tasks) return what;
  cut(what, wanted_blocks(what, stages));
  return what;
}

/// Tells whether the blocks of `what` have no more states than its operands have elements.
bool has_few_states(const operation& what) {
  const chunk_grid tasks = what.how.tasks();
  double states = 1;
  for (std::size_t axis = 0; axis < what.how.rank(); ++axis) {
    states *= static_cast<double>(what.body->reduced()[axis] ? tasks.num_chunks()[axis]
                                                             : what.how.domain[axis]);
  }
  return states <= elements_taken(what);
}

/// Returns `what` in blocks that each lie in one process's memory; nothing if it reads no array in
/// the memory of several, or is not worth to be cut so.
std::optional<operation> along_parts(const array_graph& graph, vertex v) {
  operation what = operation_at(graph, v);
  const few<vertex> inputs = inputs_of(graph, v);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const distribution* parts = parts_of(array_at(graph, inputs[i]));
    if (parts == nullptr) continue;
    if (what.operands[i].behind() != nullptr) return std::nullopt;
    for (std::size_t axis = 0; axis < parts->grid.rank(); ++axis) {
      const axis_term* const term = what.operands[i][axis].only_term();
      if (term == nullptr || !what.body->reduced()[term->axis]) continue;
      const std::size_t walked = term->axis;
      what.how.block[walked] = parts->grid.chunks()[axis];
      what.how.stream[walked] = std::min(what.how.stream[walked], what.how.block[walked]);
    }
    if (keeps_to_chunks(what, i, parts->grid) && has_few_states(what)) return what;
    return std::nullopt;
  }
  return std::nullopt;
}

/// Returns what all folds of `what` can be cut into: of leaves, which are as many chunks as a power
/// of two, the longest along each axis. What is several leaves of a fold along an axis has all
/// along those behind it, or it would be no node of the fold's tree.
index_vector common_leaf(const operation& what, const std::vector<two_stages>& folds) {
  index_vector leaf(what.how.rank(), 1);
  for (const two_stages& fold : folds) {
    for (std::size_t axis = 0; axis < leaf.size(); ++axis) {
      if (fold.reduced[axis]) leaf[axis] = std::max(leaf[axis], fold.leaf[axis]);
    }
  }
  for (std::size_t axis = 0; axis < leaf.size(); ++axis) {
    for (const two_stages& fold : folds) {
      if (!fold.reduced[axis] || leaf[axis] <= fold.leaf[axis]) continue;
      for (std::size_t behind = axis + 1; behind < leaf.size(); ++behind) {
        if (fold.reduced[behind]) leaf[behind] = std::max(leaf[behind], what.how.domain[behind]);
      }
    }
  }
  return leaf;
}

/// Returns how `what` walks in blocks that take the runs `run` of what it reduces.
walk in_runs(const operation& what, const index_vector& run) {
  walk how = what.how;
  const axis_set reduced = what.body->reduced();
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (!reduced[axis]) continue;
    how.block[axis] = std::max<index_t>(1, run[axis]);
    how.stream[axis] = std::min(how.stream[axis], how.block[axis]);
  }
  return how;
}

/// Returns those folds of `v` that are over the same axes as those know them who choose levels,
/// where tasks take `run` of what others reduce.
leafy_fold as_leafy(const array_graph& graph, vertex v, const two_stages& stages,
                    const index_vector& run, const pass_context& context) {
  const walk how = in_runs(operation_at(graph, v), run);
  leafy_fold fold{.domain = how.domain,
                  .leaf = stages.leaf,
                  .reduced = stages.reduced,
                  .num_tasks = 1,
                  .num_planes = 0,
                  .state_bytes = static_cast<double>(stages.state_bytes)};
  for (const std::size_t planes : stages.num_states) fold.num_planes += planes;
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (fold.reduced[axis]) continue;
    fold.num_tasks *= ceil_divide(how.domain[axis], how.block[axis]);
    fold.state_bytes *= static_cast<double>(std::min(how.block[axis], how.domain[axis]));
  }
  const bytes memory = context.limits.allowed_memory;
  const auto allowed = static_cast<double>(memory.count());
  fold.most_in_memory = context.workers == nullptr ? 0 : allowed;
  fold.most_in_task = allowed - static_cast<double>(context.limits.reserved_memory.count());
  const few<vertex> made = outputs_of(graph, v);
  fold.has_open_results = true;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (stages.num_states[i] == 0) continue;
    const bool is_open = std::holds_alternative<open_place>(array_at(graph, made[i]).place) &&
                         uses_of(graph, made[i]).empty();
    fold.has_open_results = fold.has_open_results && is_open;
  }
  return fold;
}

/// Returns what `whole` walks in leaves of all `folds`.
folded_walk as_walked(const planned_operation& whole, const std::vector<two_stages>& folds,
                      const spec& limits) {
  const operation& what = whole.what;
  return {.domain = what.how.domain,
          .leaf = common_leaf(what, folds),
          .reduced = what.body->reduced(),
          .num_tasks = whole.num_tasks,
          .work = cost_of(whole, limits.costs, 1).work,
          .most_for_states = largest_share_of_states_of_leaves *
                             static_cast<double>(folds.front().element_bytes) *
                             elements_taken(what)};
}

/// Tells whether tasks make whole chunks of the results that `what` has along axes that it cuts.
bool runs_hold_whole_chunks(const array_graph& graph, vertex v, const walk& how) {
  const operation& what = operation_at(graph, v);
  const few<vertex> made = outputs_of(graph, v);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const planned_array& array = array_at(graph, made[i]);
    index_vector extents = array.shape;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      const output_axis& from = what.outputs[i].axes[k];
      const bool is_cut = from.how == output_axis::kind::along && what.body->reduced()[from.axis];
      if (is_cut) extents[k] = how.block[from.axis];
    }
    if (!holds_whole_chunks(extents, array.shape, array.chunks)) return false;
  }
  return true;
}

/// Returns what `partial` takes in the place of `v`; its states are written as they are handed on.
planned_operation estimate_in_runs(const array_graph& graph, vertex v, operation partial,
                                   const std::vector<two_stages>& folds, const spec& limits) {
  const bool is_whole = partial.how.takes_all(partial.body->reduced());
  if (is_whole) return estimate(graph, v, limits);
  partial.outputs = partial.body->outputs(partial.how);
  std::vector<array_storage> inputs;
  for (const vertex input : inputs_of(graph, v)) {
    inputs.push_back(storage_of(array_at(graph, input), array_use::read, limits));
    inputs.back().array = input;
  }
  const few<vertex> made = outputs_of(graph, v);
  std::vector<array_storage> outputs;
  std::size_t next = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    std::size_t num_states = 0;
    for (const two_stages& fold : folds) {
      if (!partial.how.takes_all(fold.reduced)) num_states += fold.num_states[i];
    }
    if (num_states == 0) {
      outputs.push_back(storage_of(array_at(graph, made[i]), array_use::write, limits));
      ++next;
    }
    for (std::size_t k = 0; k < num_states; ++k, ++next) {
      const output& state = partial.outputs[next];
      const index_vector shape = state.shape(partial.how);
      const index_vector block = clipped(state.block(partial.how), shape);
      const stored_place to{make_intermediate(0, state.type, shape, block, limits), true};
      outputs.push_back(
          storage_of(planned_array{state.type, shape, block, {}, to}, array_use::write, limits));
    }
  }
  return with_buffers(std::move(partial), inputs, outputs);
}

/// Tells whether `partial`, of that merit if it reads what `whole` reads, reads so much more that
/// this is better left as it is.
bool reads_too_much(const planned_operation& whole, const planned_operation& partial, double merit,
                    const spec& limits) {
  if (partial.bytes_read <= whole.bytes_read || !fits(whole, limits)) return false;
  const plan_cost cost = cost_of(whole, limits.costs, limits.costs.num_workers());
  const double times = cost_of(partial, limits.costs, 1).work / cost.work;
  return merit * std::pow(times, 1.5) >= cost.merit();
}

/// Returns the runs of leaves that tasks of `v`, of which `whole` is the plan, may take.
fold_runs runs_of_folds(const array_graph& graph, vertex v, const planned_operation& whole,
                        const std::vector<two_stages>& folds, const pass_context& context) {
  const auto folds_in = [&](const index_vector& run) {
    std::vector<leafy_fold> leafy;
    for (const two_stages& fold : folds) leafy.push_back(as_leafy(graph, v, fold, run, context));
    return leafy;
  };
  return {as_walked(whole, folds, context.limits), folds_in, context.limits.costs};
}

/// Folds, and the runs of leaves that tasks may take of them.
struct folds_in_runs {
  std::vector<two_stages> folds;
  fold_runs runs;
};

/// Returns `folds`, those over the same axes each by itself where that is of less merit.
folds_in_runs apart_where_worth_it(const array_graph& graph, vertex v,
                                   const planned_operation& whole,
                                   const std::vector<two_stages>& folds,
                                   const pass_context& context) {
  folds_in_runs together{folds, runs_of_folds(graph, v, whole, folds, context)};
  std::vector<two_stages> apart;
  for (const two_stages& fold : folds) {
    if (folds.size() == 1 && fold.apart.size() < 2) return together;
    if (fold.apart.empty()) apart.push_back(fold);
    apart.insert(apart.end(), fold.apart.begin(), fold.apart.end());
  }
  if (apart.size() == folds.size()) return together;
  folds_in_runs by_themselves{apart, runs_of_folds(graph, v, whole, apart, context)};
  const double least = together.runs.merit(together.runs.best()) * (1 - least_gain);
  const double merit = by_themselves.runs.merit(by_themselves.runs.best());
  return merit < least ? by_themselves : together;
}

/// Cuts `v`, whose leaves have states, into runs of leaves. Returns into how many tasks; none where
/// it is left.
std::optional<index_t> cut_into_runs(array_graph& graph, vertex v,
                                     const std::vector<two_stages>& all,
                                     const pass_context& context) {
  const operation& what = operation_at(graph, v);
  const walk leaves = in_runs(what, common_leaf(what, all));
  if (leaves.takes_all(what.body->reduced())) return std::nullopt;
  if (!runs_hold_whole_chunks(graph, v, leaves)) return std::nullopt;
  const planned_operation whole = estimate(graph, v, context.limits);
  const folds_in_runs cut = apart_where_worth_it(graph, v, whole, all, context);
  const std::vector<two_stages>& folds = cut.folds;
  const fold_runs& choices = cut.runs;
  std::size_t choice = choices.best();
  operation partial = what;
  const auto in_choice = [&] {
    partial.how = in_runs(what, choices.run(choice));
    return estimate_in_runs(graph, v, partial, folds, context.limits);
  };
  planned_operation planned = in_choice();
  while (choice > 0 && !fits(planned, context.limits)) {
    --choice;
    planned = in_choice();
  }
  if (partial.how.takes_all(what.body->reduced())) return std::nullopt;
  if (reads_too_much(whole, planned, choices.merit(choice), context.limits)) return std::nullopt;
  std::vector<staged_fold> staged;
  const std::vector<std::vector<fold_level>> levels = choices.levels(choice);
  for (std::size_t i = 0; i < folds.size(); ++i) {
    staged.push_back({folds[i], {levels[i].begin() + 1, levels[i].end()}});
  }
  const index_t num_tasks = partial.how.tasks().size();
  fold_in_levels(graph, v, std::move(partial), staged);
  return num_tasks;
}

/// Cuts `v` into `partial`, and combines all states at once.
void cut_at_once(array_graph& graph, vertex v, operation partial,
                 const std::vector<two_stages>& folds) {
  std::vector<staged_fold> staged;
  for (const two_stages& fold : folds) staged.push_back({fold, {{partial.how.domain, 1}}});
  fold_in_levels(graph, v, std::move(partial), staged);
}

}  // namespace

index_t worthwhile_tasks(const operation& what) {
  const double by_work = product(what.how.domain) / static_cast<double>(least_block);
  return static_cast<index_t>(std::min(static_cast<double>(wanted_tasks), by_work));
}

index_t tasks_when_split(const operation& what) {
  const std::vector<two_stages> folds = what.body->in_stages();
  if (folds.empty()) return what.how.tasks().size();
  if (folds.front().leaf.empty()) return in_blocks(what, folds.front()).how.tasks().size();
  return in_runs(what, common_leaf(what, folds)).tasks().size();
}

void split_folds(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    const operation& what = operation_at(plan.graph, v);
    const std::vector<two_stages> folds = what.body->in_stages();
    if (folds.empty() || product(what.how.domain) < 1) continue;
    const bool has_enough = what.how.tasks().size() >= wanted_tasks;
    std::optional<index_t> num_tasks;
    std::optional<operation> partial = along_parts(plan.graph, v);
    if (!partial && !folds.front().leaf.empty()) {
      num_tasks = cut_into_runs(plan.graph, v, folds, context);
    } else {
      if (!partial) partial = in_blocks(what, folds.front());
      if (!partial->how.takes_all(what.body->reduced())) {
        num_tasks = partial->how.tasks().size();
        cut_at_once(plan.graph, v, std::move(*partial), folds);
      }
    }
    if (num_tasks) {
      context.tell(plan.graph, v, [&] {
        return fmt::format("folds the states of {} tasks", with_commas(*num_tasks));
      });
    } else {
      context.leave(
          plan.graph, v,
          has_enough ? "it has many tasks" : "blocks would be small, or their states large");
    }
  }
}

}  // namespace tessera
