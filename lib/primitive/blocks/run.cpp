// SPDX-License-Identifier: Apache-2.0
/// \file
/// Block functions: the run of a task.
///
/// Problem: matrix products, Fourier transforms and users' functions see many elements of each
/// operand at once. They know neither schedules nor block locations.
///
/// Idea: each axis of the domain is whole (a block has all of it), streamed (no output has it, and
/// the kernel adds up step after step), or neither (a block has a part of it):
///
///     C[i, j] = sum over k of A[i, k] * B[k, j]:    start(C); for each step of k: run(A, B, C)
///
/// The kernel has axis orders of its own; strides hide the permutation. An operand may have a halo:
/// along an axis it is longer by the extent of a whole axis, less one, and strides along both are
/// equal, as in a sliding window. With `block_walk::call`, a task has several kernel blocks in a
/// sweep, so that neighbours share the halo that was read.
///
/// Invariant: the kernel sees the positions that it would see in the whole domain (`origin`), and
/// the same blocks however many of them a task has.
/// Reference: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008),
/// for the streamed axis.

#include "tessera/core/error.hpp"
#include "tessera/primitive/blocks.hpp"

#include "primitive/blocks/extents.hpp"

#include <fmt/format.h>
#include <utility>

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
  for (index_t& stride : strides) stride *= static_cast<index_t>(size_of(kernel_->outputs[i]));
  return {memory.data(), extents, std::move(strides), index_vector(extents.size(), 0)};
}

block_output block_function::made(task_blocks& blocks, std::size_t i, std::size_t output,
                                  const region& part) const {
  const std::vector<output_axis>& axes = how_.outputs[i].axes;
  const std::vector<std::size_t>& order = how_.outputs[i].order;
  const region box = how_.call.empty() ? blocks.output_box(output)
                                       : results(blocks.how())[i].box(blocks.how(), part);
  const block_result result = blocks.result(output, box);
  index_vector start = box.start;
  const std::size_t parts = i == 0 ? num_part_axes(how_, blocks.how()) : 0;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k].how != output_axis::kind::along) continue;
    start[parts + k] = seen_at(axes[k].axis, start[parts + k]);
  }
  return {result.data, permute_to_kernel(order, box.shape(), parts),
          permute_to_kernel(order, result.strides, parts), permute_to_kernel(order, start, parts)};
}

std::vector<block_output> block_function::made_in(task_blocks& blocks, const region& box) const {
  std::vector<block_output> outputs;
  std::size_t output = 0;
  std::size_t buffer = kernel_->workspace == nullptr ? 0 : 1;
  for (std::size_t i = 0; i < how_.outputs.size(); ++i) {
    outputs.push_back(how_.outputs[i].is_needed ? made(blocks, i, output++, box)
                                                : unneeded(i, shapes_of(blocks.how(), box.shape()),
                                                           blocks.own(buffer++)));
  }
  return outputs;
}

void block_function::run(task_blocks& blocks, const region& box) const {
  if (!how_.call.empty()) return run_in_calls(blocks, box);
  std::vector<block_input> inputs(how_.inputs.size());
  const std::vector<block_output> outputs = made_in(blocks, box);
  const block_call call{inputs, outputs, parameters_.get(), workspace(blocks)};
  if (kernel_->start != nullptr) kernel_->start(call);
  index_vector extents = box.shape();
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (how_.streamed[axis]) extents[axis] = blocks.how().stream[axis];
  }
  for_each_box(box, extents, [&](const region& step) {
    blocks.begin(walk_stretch::step, step);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = input(blocks.operand(i, step), how_.inputs[i], step);
    }
    kernel_->run(call);
    blocks.end(walk_stretch::step);
  });
}

void block_function::run_in_calls(task_blocks& blocks, const region& box) const {
  for_each_box(box, blocks.how().leg(), [&](const region& sweep) {
    blocks.begin(walk_stretch::leg, sweep);
    std::vector<block_operand> operands;
    for (std::size_t i = 0; i < how_.inputs.size(); ++i) {
      operands.push_back(blocks.operand(i, sweep));
    }
    for_each_box(sweep, how_.call, [&](const region& part) {
      std::vector<block_input> inputs;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        inputs.push_back(input(restrict_operand(operands[i], sweep, part), how_.inputs[i], part));
      }
      const std::vector<block_output> outputs = made_in(blocks, part);
      const block_call call{inputs, outputs, parameters_.get(), workspace(blocks)};
      if (kernel_->start != nullptr) kernel_->start(call);
      kernel_->run(call);
    });
    blocks.end(walk_stretch::leg);
  });
}

}  // namespace tessera
