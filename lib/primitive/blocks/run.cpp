// SPDX-License-Identifier: Apache-2.0
/// \file
/// Block functions: the computation of a box of a task.
///
/// Problem: matrix products, Fourier transforms and users' functions see many elements of each
/// operand at once. They know neither schedules nor block locations.
///
/// Idea: an axis of the domain is whole (a block has all of it), streamed, or neither (a block has
/// a part of it). No output has a streamed axis: the kernel adds up step after step.
///
///     C[i, j] = sum over k of A[i, k] * B[k, j]:    start(C); for each step of k: run(A, B, C)
///
/// The kernel has its axis orders; strides hide the permutation. An operand may have a halo, as in
/// a sliding window: along an axis it is longer by the extent of a whole axis, less one. Strides
/// along both axes are equal. With `block_schedule::call`, a task has several kernel blocks in a
/// sweep, so that neighbours share the halo that was read.
///
/// Sums of products are rounded in an order that depends on the extents of a call. With
/// `block_schedule::tile`, a step is cut into calls in a grid that is the same for all blocks:
///
///     tile (2, 3):    block (4, 6)  = 4 calls        block (2, 6)  = 2 of these calls
///
/// Invariant: the kernel sees the positions that it would see in the whole domain (`origin`), and
/// the same blocks however many of them a task has.
/// Reference: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008),
/// for the streamed axis.

#include "tessera/core/error.hpp"

#include "core/api/itemsize.hpp"
#include "primitive/api/block_function.hpp"
#include "primitive/blocks/extents.hpp"

#include <fmt/format.h>
#include <memory>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns `operand`, which covers `whole`, restricted to `box`.
block_operand restrict_operand(block_operand operand, const region& whole, const region& box) {
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    operand.data += (box.start[axis] - whole.start[axis]) * operand.strides[axis];
  }
  return operand;
}

}  // namespace

block_input block_function::input(const block_operand& operand, const std::vector<block_axis>& axes,
                                  const region& box) const {
  const index_vector extents = box.shape();
  block_input input{operand.data, kernel_extents(axes, extents), {}, {}};
  for (const block_axis& axis : axes) {
    const index_t stride = operand.strides[axis.axis];
    if (axis.grown_by && extents[axis.axis] > 1 && extents[*axis.grown_by] > 1 &&
        operand.strides[*axis.grown_by] != stride) {
      throw value_error(
          fmt::format("{}: an operand has different strides along an axis and along its halo axis",
                      kernel_->label));
    }
    // A block of one element has no stride of its own, so the stride of the halo axis is used.
    input.strides.push_back(
        axis.grown_by && extents[axis.axis] == 1 ? operand.strides[*axis.grown_by] : stride);
    input.start.push_back(seen_at(axis.axis, box.start[axis.axis]));
  }
  return input;
}

block_output block_function::unneeded(std::size_t i, const block_shapes& shapes,
                                      std::span<std::byte> memory) const {
  const index_vector& extents = shapes.outputs[i];
  index_vector strides = row_major_strides(extents);
  for (index_t& stride : strides) stride *= itemsize_of(kernel_->outputs[i]);
  return {memory.data(), extents, std::move(strides), index_vector(extents.size(), 0)};
}

block_output block_function::result_destination(task_blocks& blocks, std::size_t i,
                                                std::size_t output, const region& part) const {
  const std::vector<output_axis>& axes = blocks_.outputs[i].axes;
  const std::vector<std::size_t>& order = blocks_.outputs[i].order;
  const region box = blocks_.call.empty()
                         ? blocks.output_box(output)
                         : results(blocks.schedule())[i].box(blocks.schedule(), part);
  const block_result result = blocks.result(output, box);
  index_vector start = box.start;
  const std::size_t parts = i == 0 ? num_part_axes(blocks_, blocks.schedule()) : 0;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k].origin != output_axis::kind::along) continue;
    start[parts + k] = seen_at(axes[k].axis, start[parts + k]);
  }
  return {result.data, permute_to_kernel(order, box.shape(), parts),
          permute_to_kernel(order, result.strides, parts), permute_to_kernel(order, start, parts)};
}

std::vector<block_output> block_function::result_destinations(task_blocks& blocks,
                                                              const region& box) const {
  std::vector<block_output> outputs;
  std::size_t output = 0;
  std::size_t buffer = kernel_->workspace == nullptr ? 0 : 1;
  for (std::size_t i = 0; i < blocks_.outputs.size(); ++i) {
    outputs.push_back(
        blocks_.outputs[i].is_needed
            ? result_destination(blocks, i, output++, box)
            : unneeded(i, shapes_of(blocks.schedule(), box.shape()), blocks.work_buffer(buffer++)));
  }
  return outputs;
}

block_output block_function::restrict_output(std::size_t i, block_output whole, const region& box,
                                             const region& tile) const {
  const block_output_spec& spec = blocks_.outputs[i];
  for (std::size_t k = 0; k < spec.order.size(); ++k) {
    const output_axis& along = spec.axes[spec.order[k]];
    if (along.origin != output_axis::kind::along) continue;
    const index_t skipped = tile.start[along.axis] - box.start[along.axis];
    whole.data += skipped * whole.strides[k];
    whole.start[k] += skipped;
    whole.extents[k] = tile.stop[along.axis] - tile.start[along.axis];
  }
  return whole;
}

/// Calls of the kernel, one for each tile, which add up the steps along the streamed axes.
class block_function::streamed_computation final : public block_computation {
 public:
  streamed_computation(const block_function& owner, task_blocks& blocks, const region& box)
      : owner_(owner),
        blocks_(blocks),
        inputs_(owner.blocks_.inputs.size()),
        whole_outputs_(owner.result_destinations(blocks, box)),
        outputs_(whole_outputs_),
        box_(box) {
    if (owner.kernel_->start == nullptr) return;
    for_each_tile(box, [&](const region& /*tile*/) { owner_.kernel_->start(call()); });
  }

  void take(const region& step) override {
    operands_.clear();
    for (std::size_t i = 0; i < inputs_.size(); ++i) operands_.push_back(blocks_.operand(i, step));
    for_each_tile(step, [&](const region& tile) {
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        inputs_[i] = owner_.input(restrict_operand(operands_[i], step, tile),
                                  owner_.blocks_.inputs[i], tile);
      }
      owner_.kernel_->run(call());
    });
  }
  void finish() override {}

 private:
  /// Calls `f` with each tile of `part`, and the outputs of the tile.
  template <class F>
  void for_each_tile(const region& part, F f) {
    if (owner_.blocks_.tile.empty()) return f(part);
    for_each_box(part, owner_.tile_of(part.shape()), [&](const region& box) {
      for (std::size_t i = 0; i < outputs_.size(); ++i) {
        outputs_[i] = owner_.restrict_output(i, whole_outputs_[i], box_, box);
      }
      f(box);
    });
  }

  [[nodiscard]] block_call call() const {
    return {inputs_, outputs_, owner_.parameters_.get(), owner_.workspace(blocks_)};
  }

  const block_function& owner_;
  task_blocks& blocks_;
  /// The operands over a step.
  std::vector<block_operand> operands_;
  std::vector<block_input> inputs_;
  std::vector<block_output> whole_outputs_;
  /// The outputs of one tile.
  std::vector<block_output> outputs_;
  region box_;
};

/// Several calls of the kernel in a sweep, which share the operands that the sweep has read.
class block_function::separate_calls final : public block_computation {
 public:
  separate_calls(const block_function& owner, task_blocks& blocks)
      : owner_(owner), blocks_(blocks) {}

  void take(const region& step) override {
    const std::vector<std::vector<block_axis>>& axes = owner_.blocks_.inputs;
    std::vector<block_operand> operands;
    for (std::size_t i = 0; i < axes.size(); ++i) operands.push_back(blocks_.operand(i, step));
    for_each_box(step, owner_.blocks_.call, [&](const region& part) {
      std::vector<block_input> inputs;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        inputs.push_back(owner_.input(restrict_operand(operands[i], step, part), axes[i], part));
      }
      const std::vector<block_output> outputs = owner_.result_destinations(blocks_, part);
      const block_call call{inputs, outputs, owner_.parameters_.get(), owner_.workspace(blocks_)};
      if (owner_.kernel_->start != nullptr) owner_.kernel_->start(call);
      owner_.kernel_->run(call);
    });
  }
  void finish() override {}

 private:
  const block_function& owner_;
  task_blocks& blocks_;
};

std::unique_ptr<block_computation> block_function::start(task_blocks& blocks,
                                                         const region& box) const {
  if (!blocks_.call.empty()) return std::make_unique<separate_calls>(*this, blocks);
  return std::make_unique<streamed_computation>(*this, blocks, box);
}

}  // namespace tessera
