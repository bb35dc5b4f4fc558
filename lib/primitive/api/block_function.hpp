// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of whole blocks.

#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

/// An axis of an operand as a block kernel sees it.
struct block_axis {
  /// The axis of the domain.
  std::size_t axis = 0;
  /// The axis of the domain by whose extent, less one, it is longer: the surroundings of a block.
  /// The operand moves along both in the same steps.
  std::optional<std::size_t> grown_by = std::nullopt;

  [[nodiscard]] bool operator==(const block_axis&) const = default;
};

/// A result of a block kernel.
struct block_output_spec {
  std::vector<output_axis> axes;
  /// The kernel's axis `k` is axis `order[k]` of the output.
  std::vector<std::size_t> order;
  /// Whether it is an output. Else the kernel computes it into scratch memory.
  bool is_needed = true;

  [[nodiscard]] bool operator==(const block_output_spec&) const = default;
};

/// The axes of a block kernel, and the parts of the domain that it is called with.
struct block_schedule {
  /// The axes of each operand, in the kernel's order. Along other axes that the operand depends
  /// on, the kernel sees its first element in the block.
  std::vector<std::vector<block_axis>> inputs;
  std::vector<block_output_spec> outputs;
  /// Axes of the domain of which the kernel gets all elements at once.
  axis_set whole = {};
  /// Axes without an axis of an output, taken step by step.
  axis_set streamed = {};
  /// The position of the domain in the domain of the kernel. Empty: the start.
  index_vector origin = {};
  /// The extents of a call of the kernel, of which a sweep has several. Empty: a task is one call.
  index_vector call = {};
  /// The extents that fix the bits of a product, whatever its blocks are. Along an axis of an
  /// output: the extent of a call of the kernel, in a grid from the start of the domain. Along a
  /// streamed axis: the extent of a partial result. 0: bits do not depend on the axis. Empty: on
  /// none.
  index_vector tile = {};

  [[nodiscard]] bool operator==(const block_schedule&) const = default;
};

/// Computes blocks by a kernel from blocks of the operands.
///
/// If blocks cut the streamed axes, the only output has an axis more for each of these, with an
/// element for each block: the partial result of that block.
class block_function final : public primitive {
 public:
  block_function(const block_kernel& kernel, kernel_parameters parameters, block_schedule schedule)
      : kernel_(&kernel), parameters_(std::move(parameters)), blocks_(std::move(schedule)) {}

  [[nodiscard]] std::string_view kind() const override { return "blocks"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& rhs_base) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] axis_set reduced() const override { return blocks_.whole | blocks_.streamed; }
  [[nodiscard]] bool can_sweep() const override { return !blocks_.call.empty(); }
  [[nodiscard]] std::vector<output> outputs(const loop_schedule& schedule) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const loop_schedule& schedule,
                                   std::size_t num_operands) const override;
  [[nodiscard]] std::unique_ptr<block_computation> start(task_blocks& blocks,
                                                         const region& box) const override;
  [[nodiscard]] bool is_passive() const override { return true; }
  [[nodiscard]] primitive_handle within(const loop_schedule& schedule,
                                        const region& box) const override;
  [[nodiscard]] bool takes_epilogue() const override { return true; }
  [[nodiscard]] double element_steps(const loop_schedule& schedule) const override;
  [[nodiscard]] description describe(const std::string& operation, const loop_schedule& schedule,
                                     const operand_words& words) const override;
  [[nodiscard]] bool may_shrink() const override;
  [[nodiscard]] primitive_handle with_outputs(const std::vector<bool>& needed) const override;
  [[nodiscard]] std::vector<two_stages> in_stages() const override;
  /// Returns `block_schedule::tile`.
  [[nodiscard]] const index_vector& tile() const { return blocks_.tile; }

 private:
  class streamed_computation;
  class separate_calls;

  /// Tells whether partial results along the streamed axes can be added.
  [[nodiscard]] bool adds_up() const {
    return kernel_->adds_up != nullptr && blocks_.outputs.size() == 1 && blocks_.streamed.any();
  }
  /// Returns the extents of the kernel's blocks for a part of `extents` of the domain.
  [[nodiscard]] block_shapes shapes_of(const loop_schedule& schedule,
                                       const index_vector& extents) const;
  [[nodiscard]] block_input input(const block_operand& operand, const std::vector<block_axis>& axes,
                                  const region& box) const;
  /// Returns the destinations of all results over `box`.
  [[nodiscard]] std::vector<block_output> result_destinations(task_blocks& blocks,
                                                              const region& box) const;
  [[nodiscard]] std::span<std::byte> workspace(task_blocks& blocks) const {
    return kernel_->workspace == nullptr ? std::span<std::byte>() : blocks.work_buffer(0);
  }
  void check_calls(const operation_rules& rules) const;
  void check_tiles(const operation_rules& rules) const;
  /// Returns the extents of a call in a step.
  [[nodiscard]] index_vector called_for(const loop_schedule& schedule) const;
  /// Returns the extents of a tile of a box of `extents`.
  [[nodiscard]] index_vector tile_of(index_vector extents) const;
  /// Returns the destination of result `i` of the kernel over `part`: in output `output`, or in
  /// `memory` if it is not needed.
  [[nodiscard]] block_output result_destination(task_blocks& blocks, std::size_t i,
                                                std::size_t output, const region& part) const;
  /// Returns the part over `tile` of result `i` of the kernel. The destination of the result over
  /// `box` is `whole`.
  [[nodiscard]] block_output restrict_output(std::size_t i, block_output whole, const region& box,
                                             const region& tile) const;
  [[nodiscard]] block_output unneeded(std::size_t i, const block_shapes& shapes,
                                      std::span<std::byte> memory) const;
  /// Returns all results of the kernel, needed or not.
  [[nodiscard]] std::vector<output> results(const loop_schedule& schedule) const;
  /// Returns the position on `axis` of the kernel's domain of `place` on this domain's.
  [[nodiscard]] index_t seen_at(std::size_t axis, index_t position) const {
    return blocks_.origin.empty() ? position : blocks_.origin[axis] + position;
  }
  /// Tells whether the kernel takes all blocks of `schedule`.
  [[nodiscard]] bool takes(const loop_schedule& schedule) const;

  const block_kernel* kernel_;
  kernel_parameters parameters_;
  block_schedule blocks_;
};

}  // namespace tessera
