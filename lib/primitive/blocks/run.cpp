// SPDX-License-Identifier: Apache-2.0
/// \file
/// How functions of blocks are run.

#include "tessera/core/error.hpp"
#include "tessera/primitive/blocks.hpp"

#include "primitive/blocks/extents.hpp"

#include <fmt/format.h>
#include <utility>

namespace tessera {

namespace {

/// Returns the part `box` of an operand that lies over `whole`.
block_operand part_of(block_operand operand, const region& whole, const region& box) {
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    operand.data += (box.start[axis] - whole.start[axis]) * operand.strides[axis];
  }
  return operand;
}

}  // namespace

block_input block_function::input(const block_operand& operand, const std::vector<block_axis>& axes,
                                  const region& box) const {
  const index_vector extents = box.shape();
  block_input seen{operand.data, extents_seen(axes, extents), {}, {}};
  for (const block_axis& each : axes) {
    const index_t stride = operand.strides[each.axis];
    if (each.grown_by && extents[each.axis] > 1 && extents[*each.grown_by] > 1 &&
        operand.strides[*each.grown_by] != stride) {
      throw value_error(
          fmt::format("{}: found an operand that does not grow by what lies around its blocks",
                      kernel_->label));
    }
    // Of a block of one element, its neighbours tell how they lie.
    seen.strides.push_back(
        each.grown_by && extents[each.axis] == 1 ? operand.strides[*each.grown_by] : stride);
    seen.start.push_back(seen_at(each.axis, box.start[each.axis]));
  }
  return seen;
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
  return {result.data, in_order_of(order, box.shape(), parts),
          in_order_of(order, result.strides, parts), in_order_of(order, start, parts)};
}

std::vector<block_output> block_function::made_in(task_blocks& blocks, const region& box) const {
  std::vector<block_output> outputs;
  std::size_t next = 0;
  std::size_t own = kernel_->workspace == nullptr ? 0 : 1;
  for (std::size_t i = 0; i < how_.outputs.size(); ++i) {
    outputs.push_back(how_.outputs[i].is_needed
                          ? made(blocks, i, next++, box)
                          : unneeded(i, shapes_of(blocks.how(), box.shape()), blocks.own(own++)));
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
  for_each_box(box, blocks.how().leg(), [&](const region& leg) {
    blocks.begin(walk_stretch::leg, leg);
    std::vector<block_operand> operands;
    for (std::size_t i = 0; i < how_.inputs.size(); ++i) operands.push_back(blocks.operand(i, leg));
    for_each_box(leg, how_.call, [&](const region& part) {
      std::vector<block_input> inputs;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        inputs.push_back(input(part_of(operands[i], leg, part), how_.inputs[i], part));
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
