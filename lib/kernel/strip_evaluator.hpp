// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Evaluates a strip program for strips of a block, one after another.

#include "tessera/core/strided_copy.hpp"
#include "tessera/kernel/block_runner.hpp"

#include "core/api/small_vector.hpp"
#include "kernel/loop_nest.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera {

using detail::copy_strided;

/// Evaluates a strip program for one strip after another along axes of a block.
///
/// Operands that are contiguous along the axes are used in place; strided ones are gathered into
/// scratch.
/// A broadcast operand is filled in again only when its element or the strip's length changes.
class strip_evaluator {
 public:
  /// Strips run along `axes` of a block of `extents`; `scratch` holds `scratch_bytes` for the
  /// program. A result of which `may_be_one` is true is evaluated once for a strip if no operand
  /// that it depends on changes along the axes.
  strip_evaluator(const strip_program& program, std::span<const block_operand> operands,
                  const small_vector<bool>& may_be_one, const strip_axes& axes,
                  const index_vector& extents, index_t longest_strip, std::span<std::byte> scratch);

  /// Lets result `i` of the program be computed straight into `target` if possible.
  void set_target(std::size_t result, std::byte* target) { targets_[result] = target; }

  /// Skips a step. Requires: no step and no target reads its outputs.
  void leave_out(std::size_t step) { is_left_out_[step] = true; }

  /// Tells whether all results are strips of dense operands, in place.
  [[nodiscard]] bool are_in_place() const;

  /// Evaluates the program for `size` elements from `position` of the block on.
  void evaluate(const index_vector& position, index_t size);

  /// Returns the strip of result `i`: the target that was set for it, or scratch, or an operand.
  [[nodiscard]] const std::byte* result(std::size_t i) const {
    return registers_[program_.results[i]];
  }

  /// Returns the strip of a register.
  [[nodiscard]] const std::byte* at(std::size_t reg) const { return registers_[reg]; }

  /// Tells whether result `i` is one element, the same all along the strip.
  [[nodiscard]] bool is_one(std::size_t i) const { return is_one_[program_.results[i]]; }

 private:
  void find_ones(const small_vector<bool>& may_be_one);
  void prefetch(std::size_t operand, const std::byte* from, index_t bytes);
  void load(std::size_t operand, const index_vector& position, index_t size);
  void load_rows(std::size_t operand, const index_vector& position, index_t size);
  void run_steps(index_t size);
  [[nodiscard]] std::byte* writable(std::size_t reg);

  const strip_program& program_;
  std::span<const block_operand> operands_;
  strip_axes axes_;
  const index_vector& extents_;
  /// For each operand whether it is contiguous across the axes.
  small_vector<bool> are_one_axis_;
  /// The current strip of each register, and its slot in scratch.
  small_vector<std::byte*> registers_;
  small_vector<std::byte*> scratch_;
  small_vector<std::byte*> targets_;
  /// Registers of one element.
  small_vector<bool> is_one_;
  small_vector<bool> is_left_out_;
  /// Operands with more than one reader.
  small_vector<bool> is_read_again_;
  /// The start of the last strip of an operand, and the address of its end, for prefetches.
  small_vector<const std::byte*> last_from_;
  small_vector<std::intptr_t> last_to_;
  /// The element that fills a broadcast operand's scratch, and its count.
  small_vector<const std::byte*> filled_from_;
  small_vector<index_t> filled_size_;
  small_vector<const std::byte*> step_inputs_;
  small_vector<std::byte*> step_outputs_;
};

}  // namespace tessera
