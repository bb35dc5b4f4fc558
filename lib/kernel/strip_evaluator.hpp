// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Evaluates a strip program for one strip after another along one axis of a block.

#include "tessera/core/few.hpp"
#include "tessera/core/strided_copy.hpp"
#include "tessera/kernel/block_runner.hpp"

#include "kernel/loop_nest.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera {

using detail::copy_strided;

/// Evaluates a strip program for one strip after another along axes of a block.
///
/// Operands that are contiguous along them are used in place; others are gathered into scratch.
/// A broadcast operand is filled in again only when its element or the strip's length changes.
class strip_evaluator {
 public:
  /// `axes` are those along which strips run, of a block of `extents`; `scratch` holds
  /// `scratch_bytes` for the program. Results of which `may_be_one` says so are evaluated once for
  /// a strip where no operand that they depend on changes along the axes.
  strip_evaluator(const strip_program& program, std::span<const block_operand> operands,
                  const few<bool>& may_be_one, const strip_axes& axes, const index_vector& extents,
                  index_t longest_strip, std::span<std::byte> scratch);

  /// Lets result `i` of the program be computed straight into `target` where that is possible.
  void set_target(std::size_t result, std::byte* target) { targets_[result] = target; }

  /// Does without a step whose results nobody reads.
  void leave_out(std::size_t step) { is_left_out_[step] = true; }

  /// Tells whether all that it evaluates are strips of operands as these lie.
  [[nodiscard]] bool are_in_place() const;

  /// Evaluates the program for `size` elements from `position` of the block on.
  void evaluate(const index_vector& position, index_t size);

  /// Returns the strip of result `i`: the target that was set for it, or scratch, or an operand.
  [[nodiscard]] const std::byte* result(std::size_t i) const {
    return registers_[program_.results[i]];
  }

  /// Returns the strip of a register that is an operand, or that a step has made.
  [[nodiscard]] const std::byte* at(std::size_t reg) const { return registers_[reg]; }

  /// Tells whether what result `i` has is one element, the same all along the strip.
  [[nodiscard]] bool is_one(std::size_t i) const { return is_one_[program_.results[i]]; }

 private:
  void find_ones(const few<bool>& may_be_one);
  void load(std::size_t operand, const index_vector& position, index_t size);
  void load_rows(std::size_t operand, const index_vector& position, index_t size);
  void run_steps(index_t size);
  [[nodiscard]] std::byte* writable(std::size_t reg);

  const strip_program& program_;
  std::span<const block_operand> operands_;
  strip_axes axes_;
  const index_vector& extents_;
  /// Which operands lie along the axes as if these were one.
  few<bool> are_one_axis_;
  /// Where each register's strip is now, and where it is when it lives in scratch.
  few<std::byte*> registers_;
  few<std::byte*> scratch_;
  few<std::byte*> targets_;
  /// Registers of one element.
  few<bool> is_one_;
  few<bool> is_left_out_;
  /// Operands that several read.
  few<bool> is_read_again_;
  /// Where the last strip of an operand of which all is read began, and the address of its end.
  few<const std::byte*> last_from_;
  few<std::intptr_t> last_to_;
  /// What a broadcast operand's scratch holds: which element, how many times.
  few<const std::byte*> filled_from_;
  few<index_t> filled_size_;
  few<const std::byte*> step_inputs_;
  few<std::byte*> step_outputs_;
};

}  // namespace tessera
