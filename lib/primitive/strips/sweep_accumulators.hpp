// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The accumulators of folds during a sweep: the states that a step is folded into.
///
/// A sweep is a box of a task that is complete along the reduced axes; it is taken in steps. Steps
/// cut the kept axes into parts. Each part has states of its own, a reduction tree for each fold:
///
///     kept axis    part 0: [step 0] [step 2] [step 4]  -> tree 0
///                  part 1: [step 1] [step 3] [step 5]  -> tree 1
///                           reduced axis
///
/// Folds over the same axes form a group and share parts. States lie in buffers of the task, or in
/// the output if it is in memory with the same layout.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/primitive.hpp"

#include "primitive/api/strips.hpp"
#include "primitive/pieces/programs.hpp"
#include "primitive/strips/piece_buffers.hpp"
#include "primitive/strips/reduction_tree.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

/// The layout of a fold's states in a sweep: part after part, in each the nodes of its tree, in
/// each node the states of the part.
struct accumulator_layout {
  /// The extents of a part's steps, along all axes.
  index_vector part;
  /// The number of parts along each axis; 1 along reduced axes.
  index_vector num_parts;
  /// The number of states of a part in a node, and the number of nodes.
  index_t num_states = 1;
  std::size_t num_nodes = 1;

  accumulator_layout(const loop_schedule& schedule, const index_vector& sweep,
                     const fold_sink& fold);

  /// Returns the number of states of all parts and nodes.
  [[nodiscard]] std::size_t size() const;
};

/// A fold of a group, the first program result that it takes, and its first output.
struct fold_member {
  std::size_t sink = 0;
  const fold_sink* fold = nullptr;
  std::size_t result = 0;
  std::size_t output = 0;
};

/// The states of a group of folds over the same axes, in a sweep of a task.
class sweep_accumulators {
 public:
  /// `outputs` are the task's outputs. The states lie in the task's buffers from `first_buffer` on.
  /// `part` is the program of this group, or nullopt if there is a single group.
  sweep_accumulators(task_blocks& blocks, const region& sweep, std::vector<fold_member> members,
                     std::span<const output> outputs, std::size_t first_buffer,
                     std::optional<program_part> part);

  /// Collects steps of several pieces in the task's buffers from `first` on.
  void set_piece_buffers(piece_buffers pieces, std::size_t first) {
    piece_buffers_.emplace(std::move(pieces));
    first_piece_buffer_ = first;
  }
  /// Returns the piece buffers for `step`, or nullptr if `step` has a single piece.
  [[nodiscard]] const piece_buffers* piece_buffers_for(const region& step) const {
    return piece_buffers_ && piece_buffers_->has_several_pieces(step) ? &*piece_buffers_ : nullptr;
  }
  [[nodiscard]] std::size_t first_piece_buffer() const { return first_piece_buffer_; }

  /// Begins a step that folds `count` elements into each state. With `is_by_strips`, the runner
  /// starts and merges states strip by strip while they are in the cache.
  void begin(const region& step, index_t count, bool is_by_strips);
  void end();

  [[nodiscard]] const std::vector<block_states>& states() const { return states_; }
  [[nodiscard]] const std::vector<fold_member>& members() const { return members_; }
  [[nodiscard]] const std::optional<program_part>& part() const { return part_; }
  [[nodiscard]] axis_set reduced() const { return reduced_; }
  [[nodiscard]] const index_vector& reference_step() const {
    return members_.front().fold->reference_step;
  }
  /// Returns the strides of states along the axes of `step`, in states.
  [[nodiscard]] index_vector strides(const region& step) const;
  /// Returns the number of the first buffer behind the states.
  [[nodiscard]] std::size_t next_buffer() const { return next_buffer_; }

  /// Calls `f` with the box of each part of the sweep and the final states of fold `i` in it.
  template <class F>
  void for_each_part(std::size_t i, F f) const {
    auto tree = trees_[i].begin();
    for_each_box(sweep_, part_extents(), [&](const region& box) { f(box, (tree++)->root()); });
  }

 private:
  /// Returns the extents of a part of the sweep, which is complete along the reduced axes.
  [[nodiscard]] index_vector part_extents() const;
  [[nodiscard]] std::optional<region> next_step(const region& step) const;
  [[nodiscard]] std::size_t part_number(const region& step) const;

  index_vector step_;
  region sweep_;
  std::vector<fold_member> members_;
  std::optional<program_part> part_;
  axis_set reduced_;
  std::vector<accumulator_layout> layouts_;
  /// The tree of each fold, in each part.
  std::vector<std::vector<reduction_tree>> trees_;
  std::vector<block_states> states_;
  std::size_t next_buffer_ = 0;
  std::optional<piece_buffers> piece_buffers_;
  std::size_t first_piece_buffer_ = 0;
  /// The part of the current step, and the elements that it folds into each state.
  std::size_t current_ = 0;
  index_t count_ = 0;
};

}  // namespace tessera
