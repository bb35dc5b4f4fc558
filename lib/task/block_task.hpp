// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What one task does: read, compute, write, in the buffers of its schedule.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/plan/planned.hpp"
#include "tessera/primitive/primitive.hpp"
#include "tessera/primitive/results_in_memory.hpp"

#include "task/live_array.hpp"
#include "task/window.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tessera {

/// One task of a planned operation, in an arena of its schedule's size.
class block_task final : public task_blocks, public results_in_memory {
 public:
  /// `is_resumed`: chunks that are there are those that it would make, and stay as they are.
  block_task(const planned_operation& planned, std::span<const live_array> arrays,
             std::span<std::byte> memory, bool is_resumed = false);

  /// Makes what `box`, the box of a task or a part of one along axes that are not reduced, is of
  /// every output.
  void run(const region& box);

 private:
  [[nodiscard]] const walk& how() const override { return planned_.what.how; }
  [[nodiscard]] std::size_t num_operands() const override { return operands_.size(); }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    prepare(i, box);
    return operands_[i];
  }
  void begin(walk_stretch what, const region& box) override;
  void end(walk_stretch what) override;
  [[nodiscard]] const region& output_box(std::size_t i) const override { return output_boxes_[i]; }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override;
  [[nodiscard]] bool is_in_memory(std::size_t i) const override {
    return planned_.outputs[i].access == output_access::in_place;
  }
  [[nodiscard]] std::span<std::byte> own(std::size_t i) const override {
    return buffer(planned_.own[i]);
  }
  [[nodiscard]] std::span<std::byte> scratch() const override { return buffer(planned_.scratch); }

  /// Makes operand `i` ready over `box`, a box of the domain.
  void prepare(std::size_t i, const region& box);
  void read_whole_chunk(std::size_t i, const region& box);
  /// Returns the window of operand `i`.
  [[nodiscard]] window& window_of(std::size_t i);
  /// Reads what the first operand shows of `box` to where the first output is in memory.
  void read_into(const region& box);
  /// Points operand `i` into its window.
  void look_into(std::size_t i, const region& box);
  void generate(std::size_t i, const region& box);
  void point_into(std::size_t i, const std::byte* data, std::span<const index_t> array_strides);

  /// Returns where `box`, a box of output `i`, lies once it is made.
  [[nodiscard]] block_operand made(std::size_t i, const region& box) const;

  void start_output(std::size_t i, const region& box);
  /// Fills the chunk that output `i` is made in where the array ends within, once.
  void fill_beyond(std::size_t i) const;
  void write_output(std::size_t i);
  /// Tells whether an earlier run has written a chunk of an output.
  [[nodiscard]] bool is_there(const array_sink& array, const index_vector& chunk) const {
    return is_resumed_ && array.has_chunk(chunk);
  }
  void write_whole_chunk(std::size_t i);
  void write_many_chunks(std::size_t i);

  [[nodiscard]] const live_array& input(std::size_t i) const;
  [[nodiscard]] const live_array& output(std::size_t i) const;
  /// Returns a buffer of the schedule; empty for `no_buffer`.
  [[nodiscard]] std::span<std::byte> buffer(std::size_t id) const;

  const planned_operation& planned_;
  std::span<const live_array> arrays_;
  std::span<std::byte> memory_;
  bool is_resumed_;
  std::vector<block_operand> operands_;
  /// Those of the operation that were looked into so far.
  std::vector<std::unique_ptr<window>> windows_;
  /// The box of the step, the leg or the task that began last, and of the task.
  region step_;
  region task_;
  /// What is being made of each output.
  std::vector<region> output_boxes_;
  /// Whose chunks have yet to be filled: others may lie in their places until they are asked for.
  mutable std::vector<bool> are_unfilled_;
};

}  // namespace tessera
