// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/fold_in_levels.hpp"

#include "plan/buffers.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns `extents` cut into about so many pieces, a power of two, along the axes that `may_cut`
/// says: the longest first, as long as pieces are of one length. Whole axes may have a shorter last
/// one.
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

/// Folds of an operation that became one of parts, and what combines their states level by level.
class levels_of_fold {
 public:
  /// `whole` is the operation as it was, `parts` what it became.
  levels_of_fold(array_graph& graph, const operation& whole, const operation& parts,
                 const staged_fold& fold)
      : graph_(graph),
        whole_(whole),
        partial_(parts),
        stages_(fold.stages),
        levels_(fold.levels),
        parts_(parts.how.block) {}

  /// Adds the array of a state, `made` by the operation on parts.
  vertex add_state(const output& made) {
    state_axes_ = made.axes;
    states_.push_back(add_states(made, partial_.how, levels_.front().pieces));
    return states_.back();
  }

  /// Adds a result of theirs.
  void add_result(vertex array) { results_.push_back(array); }

  /// Puts what combines the states, the last of it in the place of `v`; nowhere: behind others.
  void put(vertex v) {
    few<vertex> states = states_;
    for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
      operation combine = combining(states, levels_[level]);
      few<vertex> made;
      for (const output& each : combine.outputs) {
        const index_t cuts = levels_[level + 1].pieces / levels_[level].pieces;
        made.push_back(add_states(each, combine.how, std::max<index_t>(1, cuts)));
      }
      add_operation(graph_, std::move(combine), states, made);
      states = std::move(made);
      parts_ = run_of(levels_[level]);
    }
    operation last = combining(states, levels_.back());
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
    return state_axes_[axis].how != output_axis::kind::per_block;
  }

  /// Lets results be made in the pieces in which their states are combined.
  void make_in_pieces(const operation& last) {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      planned_array& array = array_at(graph_, results_[i]);
      array.chunks = clipped(last.outputs[i].block(last.how), array.shape);
    }
  }

  /// Returns what a run of `level` is of the domain of the fold.
  [[nodiscard]] index_vector run_of(const fold_level& level) const {
    index_vector run = parts_;
    for (std::size_t axis = 0; axis < run.size(); ++axis) {
      if (stages_.reduced[axis]) run[axis] = level.run[axis];
    }
    return run;
  }

  /// Adds an array of states that `how` makes, for those that take it in so many pieces.
  vertex add_states(const output& made, const walk& how, index_t pieces) {
    const index_vector shape = made.shape(how);
    const index_vector chunks =
        in_pieces(made.block(how), shape, pieces, [&](std::size_t axis) { return is_kept(axis); });
    return add_array(graph_, {made.type, shape, chunks, "states of " + whole_.name, {}});
  }

  /// Returns what combines `states` to those of `level`.
  [[nodiscard]] operation combining(const few<vertex>& states, const fold_level& level) const {
    const planned_array& state = array_at(graph_, states.front());
    operation combine;
    combine.name = whole_.name + ", combine";
    combine.how.domain = state.shape;
    combine.how.block = state.chunks;
    combine.operands.assign(states.size(), index_map::identity(state.shape.size()));
    combine.body = stages_.combine({partial_.how.domain, parts_});
    const index_vector run = run_of(level);
    for (std::size_t axis = 0; axis < state.shape.size(); ++axis) {
      const output_axis& from = state_axes_[axis];
      if (from.how == output_axis::kind::own) combine.how.block[axis] = state.shape[axis];
      if (from.how == output_axis::kind::along && level.pieces == 1) {
        combine.how.block[axis] = parts_[from.axis];
      }
      if (is_kept(axis)) continue;
      const bool is_whole = run[from.axis] >= partial_.how.domain[from.axis];
      combine.how.block[axis] =
          is_whole ? state.shape[axis] : ceil_divide(run[from.axis], parts_[from.axis]);
    }
    combine.how.stream = combine.how.block;
    for (std::size_t axis = 0; axis < state.shape.size(); ++axis) {
      if (!is_kept(axis)) combine.how.stream[axis] = 1;
    }
    combine.outputs = combine.body->outputs(combine.how);
    return combine;
  }

  array_graph& graph_;
  const operation& whole_;
  const operation& partial_;
  const two_stages& stages_;
  const std::vector<fold_level>& levels_;
  /// What each of the states that are there is of the domain.
  index_vector parts_;
  std::vector<output_axis> state_axes_;
  few<vertex> states_;
  few<vertex> results_;
};

}  // namespace

void fold_in_levels(array_graph& graph, vertex v, operation partial,
                    const std::vector<staged_fold>& folds) {
  const operation whole = operation_at(graph, v);
  const few<vertex> made = outputs_of(graph, v);
  partial.outputs = partial.body->outputs(partial.how);
  partial.name += ", partial";
  const vertex first = add_operation(graph, partial, inputs_of(graph, v), {});
  remove_outputs(graph, v);
  std::deque<levels_of_fold> combined;
  std::vector<levels_of_fold*> of_output(made.size(), nullptr);
  for (const staged_fold& fold : folds) {
    if (partial.how.takes_all(fold.stages.reduced)) continue;
    combined.emplace_back(graph, whole, partial, fold);
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (fold.stages.num_states[i] > 0) of_output[i] = &combined.back();
    }
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (of_output[i] == nullptr) {
      add_output(graph, first, made[i], next);
      ++next;
      continue;
    }
    of_output[i]->add_result(made[i]);
    std::size_t num_states = 0;
    for (const staged_fold& fold : folds) num_states += fold.stages.num_states[i];
    for (; num_states > 0; --num_states, ++next) {
      add_output(graph, first, of_output[i]->add_state(partial.outputs[next]), next);
    }
  }
  for (levels_of_fold& each : combined) {
    each.put(&each == &combined.front() ? v : array_graph::null_vertex());
  }
}

}  // namespace tessera
