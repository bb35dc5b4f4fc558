// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of whole blocks.

#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

/// An axis of an operand as a block kernel sees it.
struct block_axis {
  /// The axis of the domain that it goes along.
  std::size_t axis = 0;
  /// The axis of the domain by whose extent it is longer, less one: what lies around a block. The
  /// operand goes along both in the same steps.
  std::optional<std::size_t> grown_by = std::nullopt;

  [[nodiscard]] bool operator==(const block_axis&) const = default;
};

/// A result of a block kernel.
struct block_made {
  std::vector<output_axis> axes;
  /// The kernel's axis `k` is axis `order[k]` of the output.
  std::vector<std::size_t> order;
  /// Whether it is an output; else the kernel makes it, and it goes nowhere.
  bool is_needed = true;

  [[nodiscard]] bool operator==(const block_made&) const = default;
};

/// How a block kernel goes over its domain.
struct block_walk {
  /// For each operand its axes, in the kernel's order. Along others, on which it may depend as
  /// well, the kernel sees it where a block begins.
  std::vector<std::vector<block_axis>> inputs;
  std::vector<block_made> outputs;
  /// Axes of the domain of which the kernel gets all elements at once.
  axis_set whole = {};
  /// Axes that no output has, and which are taken step by step.
  axis_set streamed = {};
  /// Where the domain begins in the one that the kernel sees; empty: where that does.
  index_vector origin = {};
  /// Of what extents the kernel gets one block after the other, where tasks may take several, leg
  /// by leg; empty: a task takes one.
  index_vector call = {};

  [[nodiscard]] bool operator==(const block_walk&) const = default;
};

/// Makes blocks by a kernel of blocks of the operands.
///
/// Where the blocks of the walk cut the axes that are streamed, the one output has behind its own
/// axes one for each of these, with an element for each block: what the kernel has made of it.
class block_function final : public primitive {
 public:
  block_function(const block_kernel& kernel, kernel_parameters parameters, block_walk how)
      : kernel_(&kernel), parameters_(std::move(parameters)), how_(std::move(how)) {}

  [[nodiscard]] std::string_view kind() const override { return "blocks"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& other) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] axis_set reduced() const override { return how_.whole | how_.streamed; }
  [[nodiscard]] bool walks_in_order() const override { return !how_.call.empty(); }
  [[nodiscard]] std::vector<output> outputs(const walk& how) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const walk& how, std::size_t num_operands) const override;
  void run(task_blocks& blocks, const region& box) const override;
  [[nodiscard]] primitive_handle within(const walk& how, const region& box) const override;
  [[nodiscard]] bool takes_epilogue() const override { return true; }
  [[nodiscard]] double element_steps(const walk& how) const override;
  [[nodiscard]] bool takes_producers() const override { return true; }
  [[nodiscard]] primitive_handle with_producer(std::size_t operand, std::size_t num_operands,
                                               const index_map& map,
                                               const piece_list& producer) const override;
  [[nodiscard]] description describe(const std::string& operation, const walk& how,
                                     const operand_words& words) const override;
  [[nodiscard]] bool may_shrink() const override;
  [[nodiscard]] primitive_handle with_outputs(const std::vector<bool>& needed) const override;
  [[nodiscard]] std::vector<two_stages> in_stages() const override;

 private:
  /// Tells whether what it makes of parts of the streamed axes can be put together.
  [[nodiscard]] bool adds_up() const {
    return kernel_->adds_up != nullptr && how_.outputs.size() == 1 && how_.streamed.any();
  }
  /// Returns the extents of the blocks that the kernel gets of a part of `extents` of the domain.
  [[nodiscard]] block_shapes shapes_of(const walk& how, const index_vector& extents) const;
  [[nodiscard]] block_input input(const block_operand& operand, const std::vector<block_axis>& axes,
                                  const region& box) const;
  /// Makes `box` by several calls of the kernel.
  void run_in_calls(task_blocks& blocks, const region& box) const;
  /// Returns where all results over `box` go.
  [[nodiscard]] std::vector<block_output> made_in(task_blocks& blocks, const region& box) const;
  [[nodiscard]] std::span<std::byte> workspace(task_blocks& blocks) const {
    return kernel_->workspace == nullptr ? std::span<std::byte>() : blocks.own(0);
  }
  void check_calls(const operation_rules& rules) const;
  /// Returns the extents of the blocks of a step that the kernel gets.
  [[nodiscard]] index_vector called_for(const walk& how) const;
  /// Returns where result `i` of the kernel goes over `part`, which is output `output`, and where
  /// one that is not needed is made.
  [[nodiscard]] block_output made(task_blocks& blocks, std::size_t i, std::size_t output,
                                  const region& part) const;
  [[nodiscard]] block_output unneeded(std::size_t i, const block_shapes& shapes,
                                      std::span<std::byte> memory) const;
  /// Returns all that the kernel makes, needed or not.
  [[nodiscard]] std::vector<output> results(const walk& how) const;
  /// Returns where on `axis` of its domain the kernel sees what is at `place` of this one's.
  [[nodiscard]] index_t seen_at(std::size_t axis, index_t place) const {
    return how_.origin.empty() ? place : how_.origin[axis] + place;
  }
  /// Tells whether the kernel takes all blocks of `how`.
  [[nodiscard]] bool takes(const walk& how) const;

  const block_kernel* kernel_;
  kernel_parameters parameters_;
  block_walk how_;
};

}  // namespace tessera
