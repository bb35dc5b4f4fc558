// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A task: it reads operands, runs its primitive, and writes outputs, in scheduled buffers.
///
/// Problem: primitives know neither stores nor chunks; arrays have no boxes of the schedule.
///
/// Idea: the task implements `task_blocks`. It serves an operand by the access that the planner has
/// chosen, and takes an output in the same way:
///
///     operand                                   output
///     in_place     pointer into the array       in_place      result points into the array
///     generated    generator, or computed       read_into     the store reads into the array
///     whole_chunk  one decoded chunk            whole_chunk   result is the chunk, with its border
///     gathered     box of a window              many_chunks   the block is cut into chunks
///                                               forwarded, handed_on   chunks of the operand
///                                               streamed     the leg is appended to a shard
///
/// Invariant: elements and chunks lie in the arena, at the offsets of the buffer schedule, so a
/// task needs no more memory than planned.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/primitive/primitive.hpp"

#include "core/api/streamed_shards.hpp"
#include "plan/api/planned.hpp"
#include "primitive/api/results_in_memory.hpp"
#include "task/live_array.hpp"
#include "task/window.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tessera {

/// Runs tasks of a planned operation, one after the other, in one arena.
class block_task final : public task_blocks, public results_in_memory {
 public:
  /// `is_resumed`: an earlier run has written the chunks that exist; they are kept.
  block_task(const planned_operation& planned, std::span<const live_array> arrays,
             std::span<std::byte> memory, bool is_resumed = false);

  /// Computes all outputs over `box`: the box of a task, or a part of it along kept axes.
  void run(const region& box);

 private:
  [[nodiscard]] const loop_schedule& schedule() const override { return schedule_; }
  [[nodiscard]] std::size_t num_operands() const override { return operands_.size(); }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    prepare(i, box);
    return operands_[i];
  }
  void begin(task_scope scope, const region& box) override;
  void end(task_scope scope) override;
  [[nodiscard]] const region& output_box(std::size_t i) const override { return output_boxes_[i]; }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override;
  [[nodiscard]] bool is_in_memory(std::size_t i) const override {
    return planned_.outputs[i].access == output_access::in_place;
  }
  [[nodiscard]] std::span<std::byte> work_buffer(std::size_t i) const override {
    return buffer(planned_.primitive_buffers[i]);
  }
  [[nodiscard]] std::span<std::byte> scratch() const override { return buffer(planned_.scratch); }

  /// Computes all outputs over `box`, a box of the task or one of its legs.
  void run_leg(const region& box);

  /// Sets operand `i` for `box`, a box of the domain.
  void prepare(std::size_t i, const region& box);
  void read_whole_chunk(std::size_t i, const region& box);
  /// Begins the task in the windows that are in use, and in all of them if there are rings.
  void begin_windows();
  /// Returns window `number` of the operation.
  [[nodiscard]] window& window_at(std::size_t number);
  /// Returns the window of operand `i`.
  [[nodiscard]] window& window_of(std::size_t i) { return window_at(planned_.inputs[i].window); }
  /// Reads the part `box` of the first operand into the first output, which is in memory.
  void read_into(const region& box);
  /// Reads the window of operand `i`, and points the operand into it.
  void read_window(std::size_t i, const region& box);
  void generate(std::size_t i, const region& box);
  void point_operand_at(std::size_t i, const std::byte* data,
                        std::span<const index_t> array_strides);

  /// Returns the elements of `box`, a box of output `i`, that was computed.
  [[nodiscard]] block_operand computed_elements(std::size_t i, const region& box) const;

  void start_output(std::size_t i, const region& box);
  /// Fills the chunk of output `i` once, if the array ends within it.
  void fill_border(std::size_t i) const;
  void write_output(std::size_t i);
  /// Tells whether an earlier run has written `chunk`.
  [[nodiscard]] bool is_written(const array_sink& array, const index_vector& chunk) const {
    return is_resumed_ && array.has_chunk(chunk);
  }
  void write_whole_chunk(std::size_t i);
  /// Returns the values of a chunk of output `i`, with the elements of `box`, in place or in the
  /// buffer of a chunk.
  [[nodiscard]] const std::byte* chunk_to_write(std::size_t i, const region& box) const;
  void write_many_chunks(std::size_t i);
  /// Returns the chunks that the leg has in the shard of output `i`, as a box of the shard.
  [[nodiscard]] region leg_in_shard(std::size_t i) const;
  /// Returns the extents of the whole chunks in the buffer of output `i`: of one chunk or of a leg.
  [[nodiscard]] index_vector buffered_extents(std::size_t i) const;
  /// Appends the leg to the shard of output `i`.
  void append_leg(std::size_t i);
  /// Writes a chunk of output `i`. If the output has a ring, the write ends later.
  void write_chunk(std::size_t i, const index_vector& chunk, const std::byte* values);

  [[nodiscard]] const live_array& input(std::size_t i) const;
  [[nodiscard]] const live_array& output(std::size_t i) const;
  /// Returns buffer `id` of the schedule, or an empty span for `no_buffer`.
  [[nodiscard]] std::span<std::byte> buffer(std::size_t id) const;

  const planned_operation& planned_;
  loop_schedule schedule_;
  std::span<const live_array> arrays_;
  std::span<std::byte> memory_;
  bool is_resumed_;
  std::vector<block_operand> operands_;
  /// The windows of the operation; nullptr: not used yet.
  std::vector<std::unique_ptr<window>> windows_;
  /// The writers of the outputs with rings; nullptr: not used yet.
  std::vector<std::unique_ptr<chunk_writer>> writers_;
  /// The box of the scope (step, sweep or task) that began last, and the box of the task.
  region scope_box_;
  region task_box_;
  /// The box of each output in the current scope.
  std::vector<region> output_boxes_;
  /// Whether a chunk must still be filled. It is filled when it is asked for: before, other buffers
  /// may use its memory.
  mutable std::vector<bool> has_unfilled_border_;
  /// The shards that the task streams, one per output; nullptr before its first leg.
  std::vector<std::unique_ptr<shard_stream>> shards_;
};

}  // namespace tessera
