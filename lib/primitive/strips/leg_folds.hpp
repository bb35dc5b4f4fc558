// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What folds make of a leg, step by step.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/primitive.hpp"
#include "tessera/primitive/strips.hpp"

#include "primitive/strips/gathered_pieces.hpp"
#include "primitive/strips/leaf_tree.hpp"
#include "primitive/strips/programs.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

/// Where the states of a fold lie in a leg: for each part of the axes that are kept that steps
/// take, which several folds may cut for each other, the nodes of a tree, one behind the other.
struct state_places {
  /// The extents of the part, over all axes.
  index_vector part;
  /// How many parts there are along each axis; 1 along reduced ones.
  index_vector num_parts;
  /// How many states a part has, and how many nodes there are of each.
  index_t num_states = 1;
  std::size_t num_nodes = 1;

  state_places(const walk& how, const index_vector& leg, const fold_sink& fold);

  /// Returns how many values of a plane all of them have, each state `cells` of them.
  [[nodiscard]] std::size_t size() const;
};

/// A fold, the first result of the program that it takes, and the first output that it makes.
struct fold_member {
  std::size_t sink = 0;
  const fold_sink* fold = nullptr;
  std::size_t result = 0;
  std::size_t output = 0;
};

/// The states of folds over the same axes, in a leg of a task: in buffers of its own, or where they
/// are handed on, if that is in memory and they lie there as they would here.
class leg_folds {
 public:
  /// `made_of` are the task's outputs, `first_own` is the first of its own buffers that are theirs.
  /// `part`: what is run for them; nothing: what is run for all.
  leg_folds(task_blocks& blocks, const region& leg, std::vector<fold_member> members,
            std::span<const output> made_of, std::size_t first_own,
            std::optional<program_part> part);

  /// Lets steps that several pieces make be gathered, in the task's own buffers from `first` on.
  void gather(gathered_pieces pieces, std::size_t first) {
    gathered_.emplace(std::move(pieces));
    first_gathered_ = first;
  }
  /// Returns what gathers `step`; null where it is not to be gathered.
  [[nodiscard]] const gathered_pieces* gathered(const region& step) const {
    return gathered_ && gathered_->has(step) ? &*gathered_ : nullptr;
  }
  [[nodiscard]] std::size_t first_gathered() const { return first_gathered_; }

  /// Begins a step, of which `count` elements go into each state. `is_left_to_runner`: states are
  /// made and merged strip by strip, as they are taken into.
  void begin(const region& step, index_t count, bool is_left_to_runner);
  void end();

  [[nodiscard]] const std::vector<block_states>& states() const { return states_; }
  [[nodiscard]] const std::vector<fold_member>& members() const { return members_; }
  [[nodiscard]] const std::optional<program_part>& part() const { return part_; }
  [[nodiscard]] axis_set reduced() const { return reduced_; }
  [[nodiscard]] const index_vector& nominal() const { return members_.front().fold->nominal; }
  /// How they go along a step that has the extents of `step`.
  [[nodiscard]] index_vector strides(const region& step) const;
  /// The first of the buffers that are not theirs.
  [[nodiscard]] std::size_t next_own() const { return next_own_; }

  /// Calls `f` with each part of the leg along the axes that are kept, whole along others, and with
  /// the states that fold `i` has there when all steps were taken.
  template <class F>
  void for_each_part(std::size_t i, F f) const {
    auto tree = trees_[i].begin();
    for_each_box(leg_, whole_parts(), [&](const region& box) { f(box, (tree++)->root()); });
  }

 private:
  /// Returns the extents of a part of the leg, whole along axes that are reduced.
  [[nodiscard]] index_vector whole_parts() const;
  [[nodiscard]] std::optional<region> behind(const region& step) const;
  [[nodiscard]] std::size_t part_of(const region& step) const;

  index_vector stream_;
  region leg_;
  std::vector<fold_member> members_;
  std::optional<program_part> part_;
  axis_set reduced_;
  std::vector<state_places> places_;
  /// For each fold, of each part.
  std::vector<std::vector<leaf_tree>> trees_;
  std::vector<block_states> states_;
  std::size_t next_own_ = 0;
  std::optional<gathered_pieces> gathered_;
  std::size_t first_gathered_ = 0;
  /// Of the step that has begun.
  std::size_t current_ = 0;
  index_t count_ = 0;
};

}  // namespace tessera
