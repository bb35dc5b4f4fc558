// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Buffers that collect the results of several pieces of a step, to be folded as one.

#include "tessera/core/dtype.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/loop_schedule.hpp"
#include "tessera/primitive/piece_list.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// Buffers for the steps of folds that consist of several pieces.
///
/// Problem: the order in which a step is folded depends on its extents. Folded piece by piece, a
/// concatenation would give different bits than the same elements in one array.
///
/// Idea: each piece writes its results into its box of a buffer of the step's extents; then one
/// program folds the buffer. A result that is the same operand in all pieces needs no buffer: it is
/// folded from the operand itself.
class piece_buffers {
 public:
  /// For steps in `part`, and program results with `is_folded`. Pieces must outlive the object.
  ///
  /// Complexity: linear in the pieces near `part`.
  piece_buffers(const piece_list& pieces, const loop_schedule& schedule, const region& part,
                const std::vector<bool>& is_folded);

  /// Returns one buffer for each folded result, empty if the result is an operand; none if no step
  /// consists of several pieces.
  [[nodiscard]] std::vector<buffer_demand> buffers() const;
  /// Returns the program that folds the buffers.
  [[nodiscard]] const strip_program& program() const { return program_; }

  /// Tells whether some step consists of several pieces.
  [[nodiscard]] bool is_active() const { return has_cut_steps_; }
  /// Tells whether `step` consists of several pieces.
  [[nodiscard]] bool has_several_pieces(const region& step) const;

  /// Returns the operands of the program over `step`: the task's buffers from number `first_buffer`
  /// on. Results that are operands are missing until `add_shared_operands`.
  [[nodiscard]] std::vector<block_operand> operands_over(task_blocks& blocks, const region& step,
                                                         std::size_t first_buffer) const;
  /// Adds to `targets` the part `box` of each buffer.
  void add_targets(std::vector<strip_target>& targets,
                   const std::vector<block_operand>& buffer_operands, const region& step,
                   const region& box) const;
  /// Adds the results that are operands. Call it behind all pieces: earlier, the operand's window
  /// could be overwritten by an operand of a later piece.
  void add_shared_operands(std::vector<block_operand>& operands, task_blocks& blocks,
                           const region& step) const;

 private:
  /// A result of the pieces that is folded.
  struct folded_result {
    std::size_t result = 0;
    dtype type{};
    /// The operand that equals the result in all pieces; nullopt if it needs a buffer.
    std::optional<std::size_t> operand;
  };

  const piece_list& pieces_;
  index_t step_size_;
  bool has_cut_steps_ = false;
  std::vector<folded_result> folded_;
  strip_program program_;
};

}  // namespace tessera
