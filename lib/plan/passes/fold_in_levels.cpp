// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rewrites a fold into a fold of parts and the levels of a tree that combine their states.
///
///     x -> [partial] -> states -> [combine] -> states -> [combine] -> results
/// `partial` folds one run of leaves for each task and emits its state, an array with one element
/// for each run along the reduced axes. Each combine operation merges the states of several runs.
/// `fold_levels` chooses how many.
/// Folds of one operation over different axes have a tree each; all trees share `partial`. A fold
/// whose axes `partial` takes whole emits its result at once.
/// Invariant: each state belongs to a node of the binary tree over the leaves (`runs_of`), so that
/// the bits of the result do not depend on the levels.

#include "plan/passes/fold_in_levels.hpp"

#include "plan/buffers.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns `extents` cut into about `pieces` pieces, a power of two, along the axes that `may_cut`
/// allows: the longest axis first, as long as all pieces have one length. The last piece of a whole
/// axis may be shorter.
template <class MayCut>
index_vector in_pieces(index_vector extents, const index_vector& shape, index_t pieces,
                       MayCut may_cut) {
  for (; pieces > 1; pieces /= 2) {
    std::size_t longest = no_axis;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const bool is_even = extents[axis] >= shape[axis] || extents[axis] % 2 == 0;
      if (!may_cut(axis) || extents[axis] < 2 || !is_even) continue;
      if (longest == no_axis || extents[axis] > extents[longest]) longest = axis;
    }
    if (longest == no_axis) break;
    extents[longest] = ceil_divide(std::min(extents[longest], shape[longest]), 2);
  }
  return extents;
}

/// The tree of folds over the same axes: the operations that combine their states.
class fold_tree {
 public:
  /// `whole` is the original operation, `parts` the operation that folds parts.
  fold_tree(array_graph& graph, const operation& whole, const operation& parts,
            const staged_fold& fold)
      : graph_(graph),
        whole_(whole),
        partial_(parts),
        stages_(fold.stages),
        levels_(fold.levels),
        part_(parts.schedule.block) {}

  /// Adds the array of one field of the states of the parts.
  vertex add_state(const output& state) {
    state_axes_ = state.axes;
    states_.push_back(add_states(state, partial_.schedule, levels_.front().pieces));
    return states_.back();
  }

  /// Adds an output of the original operation.
  void add_result(vertex array) { results_.push_back(array); }

  /// Adds the operations that combine the states. The last replaces `v`, or is added if `v` is
  /// null.
  void put(vertex v) {
    small_vector<vertex> states = states_;
    for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
      operation combine = combine_op(states, levels_[level]);
      small_vector<vertex> outputs;
      for (const output& output : combine.outputs) {
        const index_t cuts = levels_[level + 1].pieces / levels_[level].pieces;
        outputs.push_back(add_states(output, combine.schedule, std::max<index_t>(1, cuts)));
      }
      add_operation(graph_, std::move(combine), states, outputs);
      states = std::move(outputs);
      part_ = run_of(levels_[level]);
    }
    operation last = combine_op(states, levels_.back());
    if (levels_.back().pieces > 1) make_in_pieces(last);
    if (v == array_graph::null_vertex()) {
      add_operation(graph_, std::move(last), states, results_);
      return;
    }
    operation_at(graph_, v) = std::move(last);
    set_inputs(graph_, v, states);
    for (std::size_t i = 0; i < results_.size(); ++i) add_output(graph_, v, results_[i], i);
  }

 private:
  [[nodiscard]] bool is_kept(std::size_t axis) const {
    return state_axes_[axis].origin != output_axis::kind::per_block;
  }

  /// Gives the results the chunks of the pieces in which their states are combined.
  void make_in_pieces(const operation& last) {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      planned_array& array = array_at(graph_, results_[i]);
      array.chunks = clipped(last.outputs[i].block(last.schedule), array.shape);
    }
  }

  /// Returns the box of the domain of the fold that a run of `level` covers.
  [[nodiscard]] index_vector run_of(const fold_level& level) const {
    index_vector run = part_;
    for (std::size_t axis = 0; axis < run.size(); ++axis) {
      if (stages_.reduced[axis]) run[axis] = level.run[axis];
    }
    return run;
  }

  /// Adds an array of states, in chunks of `pieces` pieces of a block of `schedule`.
  vertex add_states(const output& state, const loop_schedule& schedule, index_t pieces) {
    const index_vector shape = state.shape(schedule);
    const index_vector chunks = in_pieces(state.block(schedule), shape, pieces,
                                          [&](std::size_t axis) { return is_kept(axis); });
    return add_array(graph_, {state.type, shape, chunks, "states of " + whole_.name, {}});
  }

  /// Returns the operation that combines `states` into the states of `level`.
  [[nodiscard]] operation combine_op(const small_vector<vertex>& states,
                                     const fold_level& level) const {
    const planned_array& state = array_at(graph_, states.front());
    operation combine;
    combine.name = whole_.name + ", combine";
    combine.schedule.domain = state.shape;
    combine.schedule.block = state.chunks;
    combine.operands.assign(states.size(), index_map::identity(state.shape.size()));
    combine.primitive = stages_.combine({partial_.schedule.domain, part_});
    const index_vector run = run_of(level);
    for (std::size_t axis = 0; axis < state.shape.size(); ++axis) {
      const output_axis& from = state_axes_[axis];
      if (from.origin == output_axis::kind::extra) combine.schedule.block[axis] = state.shape[axis];
      if (from.origin == output_axis::kind::along && level.pieces == 1) {
        combine.schedule.block[axis] = part_[from.axis];
      }
      if (is_kept(axis)) continue;
      const bool is_whole = run[from.axis] >= partial_.schedule.domain[from.axis];
      combine.schedule.block[axis] =
          is_whole ? state.shape[axis] : ceil_divide(run[from.axis], part_[from.axis]);
    }
    combine.schedule.step = combine.schedule.block;
    for (std::size_t axis = 0; axis < state.shape.size(); ++axis) {
      if (!is_kept(axis)) combine.schedule.step[axis] = 1;
    }
    combine.outputs = combine.primitive->outputs(combine.schedule);
    return combine;
  }

  array_graph& graph_;
  const operation& whole_;
  const operation& partial_;
  const two_stages& stages_;
  const std::vector<fold_level>& levels_;
  /// The extents of the domain that one present state covers.
  index_vector part_;
  std::vector<output_axis> state_axes_;
  small_vector<vertex> states_;
  small_vector<vertex> results_;
};

}  // namespace

void fold_in_levels(array_graph& graph, vertex v, operation partial,
                    const std::vector<staged_fold>& folds) {
  const operation whole = operation_at(graph, v);
  const small_vector<vertex> outputs = outputs_of(graph, v);
  partial.outputs = partial.primitive->outputs(partial.schedule);
  partial.name += ", partial";
  const vertex first = add_operation(graph, partial, inputs_of(graph, v), {});
  remove_outputs(graph, v);
  std::deque<fold_tree> trees;
  std::vector<fold_tree*> of_output(outputs.size(), nullptr);
  for (const staged_fold& fold : folds) {
    if (partial.schedule.takes_all(fold.stages.reduced)) continue;
    trees.emplace_back(graph, whole, partial, fold);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (fold.stages.num_states[i] > 0) of_output[i] = &trees.back();
    }
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (of_output[i] == nullptr) {
      add_output(graph, first, outputs[i], next);
      ++next;
      continue;
    }
    of_output[i]->add_result(outputs[i]);
    std::size_t num_states = 0;
    for (const staged_fold& fold : folds) num_states += fold.stages.num_states[i];
    for (; num_states > 0; --num_states, ++next) {
      add_output(graph, first, of_output[i]->add_state(partial.outputs[next]), next);
    }
  }
  for (fold_tree& tree : trees) {
    tree.put(&tree == &trees.front() ? v : array_graph::null_vertex());
  }
}

}  // namespace tessera
