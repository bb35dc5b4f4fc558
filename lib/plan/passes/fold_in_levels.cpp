// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/fold_in_levels.hpp"

#include "plan/buffers.hpp"

#include <algorithm>
#include <cstddef>
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

/// An operation that becomes a fold of parts, and what combines their states level by level.
class levels_of_fold {
 public:
  levels_of_fold(array_graph& graph, vertex v, operation partial, const two_stages& stages,
                 std::span<const fold_level> levels)
      : graph_(graph), v_(v), stages_(stages), whole_(operation_at(graph, v)), levels_(levels) {
    partial.outputs = partial.body->outputs(partial.how);
    parts_ = partial.how.block;
    for (std::size_t i = 0, next = 0; i < stages.num_states.size(); ++i) {
      if (stages.num_states[i] > 0) state_axes_ = partial.outputs[next].axes;
      next += std::max<std::size_t>(1, stages.num_states[i]);
    }
    partial_ = std::move(partial);
  }

  void put() {
    std::vector<vertex> states = add_partial();
    for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
      operation combine = combining(states, levels_[level]);
      std::vector<vertex> made;
      for (const output& each : combine.outputs) {
        const index_t cuts = levels_[level + 1].pieces / levels_[level].pieces;
        made.push_back(add_states(each, combine.how, std::max<index_t>(1, cuts)));
      }
      add_operation(graph_, std::move(combine), states, made);
      states = std::move(made);
      parts_ = run_of(levels_[level]);
    }
    operation_at(graph_, v_) = combining(states, levels_.back());
    set_inputs(graph_, v_, states);
    if (levels_.back().pieces > 1) make_in_pieces();
  }

 private:
  [[nodiscard]] bool is_kept(std::size_t axis) const {
    return state_axes_[axis].how != output_axis::kind::per_block;
  }

  /// Lets results be made in the pieces in which their states are combined.
  void make_in_pieces() {
    const operation& last = operation_at(graph_, v_);
    const std::vector<vertex> made = outputs_of(graph_, v_);
    for (std::size_t i = 0; i < made.size(); ++i) {
      planned_array& array = array_at(graph_, made[i]);
      array.chunks = clipped(last.outputs[i].block(last.how), array.shape);
    }
  }

  /// Returns what a run of `level` is of the domain of the fold.
  [[nodiscard]] index_vector run_of(const fold_level& level) const {
    index_vector run = parts_;
    for (std::size_t axis = 0; axis < run.size(); ++axis) {
      if (partial_.body->reduced()[axis]) run[axis] = level.run[axis];
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

  /// Adds the fold of parts, which makes what the whole one made besides; returns its states.
  std::vector<vertex> add_partial() {
    operation partial = partial_;
    partial.name += ", partial";
    const std::vector<vertex> made = outputs_of(graph_, v_);
    const vertex first = add_operation(graph_, partial, inputs_of(graph_, v_), {});
    boost::clear_out_edges(v_, graph_);
    std::vector<vertex> states;
    std::size_t next = 0;
    std::size_t num_combined = 0;
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (stages_.num_states[i] == 0) {
        add_output(graph_, first, made[i], next++);
        continue;
      }
      add_output(graph_, v_, made[i], num_combined++);
      for (std::size_t k = 0; k < stages_.num_states[i]; ++k, ++next) {
        states.push_back(add_states(partial.outputs[next], partial.how, levels_.front().pieces));
        add_output(graph_, first, states.back(), next);
      }
    }
    return states;
  }

  /// Returns what combines `states` to those of `level`.
  [[nodiscard]] operation combining(const std::vector<vertex>& states,
                                    const fold_level& level) const {
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
  vertex v_;
  const two_stages& stages_;
  operation whole_;
  std::span<const fold_level> levels_;
  operation partial_;
  /// What each of the states that are there is of the domain.
  index_vector parts_;
  std::vector<output_axis> state_axes_;
};

}  // namespace

void fold_in_levels(array_graph& graph, vertex v, operation partial, const two_stages& stages,
                    std::span<const fold_level> levels) {
  levels_of_fold(graph, v, std::move(partial), stages, levels).put();
}

}  // namespace tessera
