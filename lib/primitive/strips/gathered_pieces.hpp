// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Steps of folds that several pieces make: what they make is put together and folded as one.

#include "tessera/core/dtype.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/piece_list.hpp"
#include "tessera/primitive/primitive.hpp"
#include "tessera/primitive/walk.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// Steps of folds that several pieces make: what they make is put together and folded as one.
///
/// In which order the elements of a step are folded depends on its extents. Piece by piece they
/// would be folded otherwise than where the pieces lie in one array, with other bits.
class gathered_pieces {
 public:
  /// Of steps in `within`: no others are looked for. Of a program's results, those are folded where
  /// `is_folded`. The pieces outlive the object.
  ///
  /// Complexity: linear in the pieces near `within`.
  gathered_pieces(const piece_list& pieces, const walk& how, const region& within,
                  const std::vector<bool>& is_folded);

  /// Returns the buffers that hold what is folded of a step, an empty one for what all pieces hand
  /// on; none where no step is cut.
  [[nodiscard]] std::vector<own_buffer> buffers() const;
  /// Returns the program that hands what was gathered to folds.
  [[nodiscard]] const strip_program& program() const { return program_; }

  /// Tells whether a step is to be gathered.
  [[nodiscard]] bool has_any() const { return are_steps_cut_; }
  /// Tells whether `step` is to be gathered.
  [[nodiscard]] bool has(const region& step) const;

  /// Returns what the program takes of `step`, and what pieces make before: the first of the
  /// buffers is the task's own `first`. What they hand on is not there yet.
  [[nodiscard]] std::vector<block_operand> rooms(task_blocks& blocks, const region& step,
                                                 std::size_t first) const;
  /// Adds to `targets` where `rooms` lets what a piece makes of `box` go.
  void add_targets(std::vector<strip_target>& targets, const std::vector<block_operand>& rooms,
                   const region& step, const region& box) const;
  /// Puts what pieces hand on of `step` beside what they have made of it. Pieces have read that by
  /// then, each when its turn came: before, it could lie where something else is still to come.
  void add_handed_on(std::vector<block_operand>& operands, task_blocks& blocks,
                     const region& step) const;

 private:
  /// What becomes of a result that is folded.
  struct folded {
    std::size_t result = 0;
    dtype type{};
    /// The operand that it is in all pieces, and that is taken as it lies.
    std::optional<std::size_t> operand;
  };

  const piece_list& pieces_;
  index_t step_size_;
  bool are_steps_cut_ = false;
  std::vector<folded> folded_;
  strip_program program_;
};

}  // namespace tessera
