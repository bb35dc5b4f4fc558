// SPDX-License-Identifier: Apache-2.0
#include "primitive/api/block_function.hpp"

#include "tessera/kernel/registry.hpp"
#include "tessera/kernel/strip_program.hpp"

#include "core/api/text.hpp"
#include "kernel/api/parameters_fit.hpp"
#include "primitive/api/strips.hpp"
#include "primitive/blocks/extents.hpp"
#include "primitive/portable.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <utility>

namespace tessera {

namespace {

bool is_permutation(std::vector<std::size_t> order, std::size_t rank) {
  std::sort(order.begin(), order.end());
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k] != k) return false;
  }
  return order.size() == rank;
}

bool is_valid_axis(const output_axis& axis, const loop_schedule& schedule, axis_set reduced) {
  if (axis.origin == output_axis::kind::extra) return axis.length >= 0;
  return axis.axis < schedule.rank() && !reduced[axis.axis] && axis.skipped == 0;
}

/// Tells whether each axis that is cut into blocks is an axis of the result exactly once, so that
/// no two tasks write one element.
bool has_all_cut_axes(const block_output_spec& result, const loop_schedule& schedule,
                      axis_set reduced) {
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    const auto count =
        std::count_if(result.axes.begin(), result.axes.end(), [&](const auto& entry) {
          return entry.origin != output_axis::kind::extra && entry.axis == axis;
        });
    if (count > 1 || (count == 0 && !reduced[axis])) return false;
  }
  return true;
}

}  // namespace

bool block_function::equals(const primitive& rhs_base) const {
  const auto& rhs = static_cast<const block_function&>(rhs_base);
  return kernel_ == rhs.kernel_ && parameters_ == rhs.parameters_ && blocks_ == rhs.blocks_;
}

void block_function::check_portable(const std::string& operation, const std::string& label) const {
  detail::require_portable(parameters_, operation, label);
  // Throws if two kernels are registered under one name.
  static_cast<void>(find_block_kernel(kernel_->name));
}

std::vector<output> block_function::outputs(const loop_schedule& schedule) const {
  std::vector<output> outputs;
  std::vector<output> specs = results(schedule);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (blocks_.outputs[i].is_needed) outputs.push_back(std::move(specs[i]));
  }
  return outputs;
}

std::vector<output> block_function::results(const loop_schedule& schedule) const {
  std::vector<output> specs;
  for (std::size_t i = 0; i < blocks_.outputs.size(); ++i) {
    specs.push_back({kernel_->outputs[i], blocks_.outputs[i].axes});
  }
  if (num_part_axes(blocks_, schedule) == 0) return specs;
  // In front, so that a partial result has the layout of the whole.
  std::vector<output_axis> axes;
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    if (blocks_.streamed[axis]) axes.push_back({output_axis::kind::per_block, axis});
  }
  specs.front().axes.insert(specs.front().axes.begin(), axes.begin(), axes.end());
  return specs;
}

// A `per_block` axis depends on the blocks, so they may not shrink.
bool block_function::may_shrink() const {
  const auto is_of_blocks = [](const output_axis& axis) {
    return axis.origin == output_axis::kind::per_block;
  };
  return kernel_->is_separable &&
         std::none_of(blocks_.outputs.begin(), blocks_.outputs.end(),
                      [&](const block_output_spec& output_spec) {
                        return std::any_of(output_spec.axes.begin(), output_spec.axes.end(),
                                           is_of_blocks);
                      });
}

primitive_handle block_function::with_outputs(const std::vector<bool>& needed) const {
  block_schedule blocks = blocks_;
  std::size_t output = 0;
  for (block_output_spec& output_spec : blocks.outputs) {
    if (output_spec.is_needed) output_spec.is_needed = needed[output++];
  }
  return std::make_shared<const block_function>(*kernel_, parameters_, std::move(blocks));
}

std::vector<two_stages> block_function::in_stages() const {
  if (!adds_up()) return {};
  two_stages stages;
  stages.reduced = reduced();
  stages.num_states = {1};
  stages.combine = [kernel = kernel_, blocks = blocks_](const chunk_grid& parts) {
    index_vector shape;
    fold_sink sink{{kernel->adds_up, {}}, {}};
    for (std::size_t axis = 0; axis < parts.rank(); ++axis) {
      if (!blocks.streamed[axis]) continue;
      sink.reduced.set(shape.size());
      shape.push_back(parts.num_chunks()[axis]);
      // All parts are one leaf, so that they are added up in one order whatever the tasks.
      sink.leaf.push_back(shape.back());
      sink.reference_step.push_back(1);
    }
    for (const output_axis& axis : blocks.outputs.front().axes) {
      const bool is_extra = axis.origin == output_axis::kind::extra;
      shape.push_back(is_extra ? axis.length : parts.shape()[axis.axis]);
      sink.leaf.push_back(1);
      sink.reference_step.push_back(std::max<index_t>(1, shape.back()));
    }
    return fold_of({region::whole(shape), {0}, strip_program::copy(kernel->outputs.front())},
                   std::move(sink));
  };
  stages.state_bytes = size_of(kernel_->outputs.front());
  for (const output_axis& axis : blocks_.outputs.front().axes) {
    if (axis.origin != output_axis::kind::extra) continue;
    stages.state_bytes *= static_cast<std::size_t>(std::max<index_t>(1, axis.length));
  }
  for (const dtype type : kernel_->inputs) {
    stages.element_bytes = std::max(stages.element_bytes, size_of(type));
  }
  return {std::move(stages)};
}

namespace {

void check_outputs(const std::vector<block_output_spec>& outputs, const operation_rules& rules,
                   axis_set reduced) {
  const loop_schedule& schedule = rules.schedule();
  for (const block_output_spec& result : outputs) {
    rules.require(is_permutation(result.order, result.axes.size()),
                  "a result has its axes in an order");
    for (const output_axis& axis : result.axes) {
      rules.require(is_valid_axis(axis, schedule, reduced),
                    "a result goes along axes of the domain of which a task takes a block");
    }
    rules.require(has_all_cut_axes(result, schedule, reduced),
                  "each element of a result is computed by one task");
  }
}

}  // namespace

void block_function::check(const operation_rules& rules) const {
  const loop_schedule& schedule = rules.schedule();
  rules.require(rules.types() == kernel_->inputs &&
                    blocks_.inputs.size() == kernel_->inputs.size() &&
                    blocks_.outputs.size() == kernel_->outputs.size(),
                "a block function has the operand and result types of its kernel");
  rules.check_images();
  rules.require(((blocks_.whole | blocks_.streamed) >> schedule.rank()).none() &&
                    (blocks_.whole & blocks_.streamed).none() &&
                    (blocks_.streamed.none() || kernel_->start != nullptr),
                "axes of the domain are whole, streamed, or neither");
  rules.check_takes_all(adds_up() ? blocks_.whole : reduced());
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    rules.require(!blocks_.whole[axis] || schedule.step[axis] >= schedule.domain[axis],
                  "an axis that is whole is taken at once");
    rules.require(blocks_.streamed[axis] || !blocks_.call.empty() ||
                      schedule.step[axis] >= std::min(schedule.block[axis], schedule.domain[axis]),
                  "a call of a kernel has all of its block but along streamed axes");
  }
  for (const auto& axes : blocks_.inputs) {
    for (const block_axis& axis : axes) {
      rules.require(
          axis.axis < schedule.rank() &&
              (!axis.grown_by || (*axis.grown_by < schedule.rank() && *axis.grown_by != axis.axis &&
                                  blocks_.whole[*axis.grown_by])),
          "an operand goes along axes of the domain, and its halo axes are whole");
    }
  }
  check_outputs(blocks_.outputs, rules, reduced());
  rules.require(takes(schedule), "blocks have extents that their kernel accepts");
  rules.require(detail::parameters_fit(*kernel_, shapes_of(schedule, schedule.domain)),
                "a kernel gets parameters of the types and extents of its operands");
  rules.require(blocks_.origin.empty() || blocks_.origin.size() == schedule.rank(),
                "an origin has a position along each axis");
  check_calls(rules);
  check_tiles(rules);
}

void block_function::check_tiles(const operation_rules& rules) const {
  if (blocks_.tile.empty()) return;
  const loop_schedule& schedule = rules.schedule();
  rules.require(blocks_.tile.size() == schedule.rank() && blocks_.call.empty() &&
                    std::ranges::all_of(blocks_.outputs, &block_output_spec::is_needed),
                "tiles have an extent along each axis, no calls, and no unused results");
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    const index_t extent = blocks_.tile[axis];
    const bool is_cut = !blocks_.streamed[axis] && schedule.block[axis] < schedule.domain[axis];
    rules.require(extent >= 0 && (!blocks_.whole[axis] || extent == 0),
                  "a tile has an extent of at least 0, and 0 along whole axes");
    rules.require(!is_cut || extent == 0 || schedule.block[axis] % extent == 0,
                  "a block is a multiple of the tiles of its kernel, or covers the axis");
  }
}

index_vector block_function::tile_of(index_vector extents) const {
  for (std::size_t axis = 0; axis < blocks_.tile.size(); ++axis) {
    const bool is_cut = !blocks_.streamed[axis] && blocks_.tile[axis] > 0;
    if (is_cut) extents[axis] = std::min(extents[axis], blocks_.tile[axis]);
  }
  return extents;
}

void block_function::check_calls(const operation_rules& rules) const {
  if (blocks_.call.empty()) return;
  const loop_schedule& schedule = rules.schedule();
  rules.require(blocks_.call.size() == schedule.rank() && blocks_.streamed.none(),
                "calls of a kernel have an extent along each axis, and no streamed axis");
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    const index_t extent = blocks_.call[axis];
    const bool is_whole = schedule.step[axis] >= schedule.domain[axis];
    // In a step that covers the axis, the last call has the elements left, as the last block has.
    const bool has_calls = is_whole || schedule.step[axis] % std::max<index_t>(1, extent) == 0;
    rules.require(
        extent >= 1 && (extent >= schedule.domain[axis] || (has_calls && !blocks_.whole[axis])),
        "a step is a multiple of the calls of its kernel, or covers the axis");
  }
}

index_vector block_function::called_for(const loop_schedule& schedule) const {
  index_vector extents = tile_of(schedule.step);
  for (std::size_t axis = 0; axis < blocks_.call.size(); ++axis) {
    extents[axis] = std::min(extents[axis], blocks_.call[axis]);
  }
  return extents;
}

bool block_function::takes(const loop_schedule& schedule) const {
  return kernel_->takes == nullptr || (kernel_->takes(shapes_of(schedule, schedule.domain)) &&
                                       kernel_->takes(shapes_of(schedule, called_for(schedule))));
}

primitive_handle block_function::within(const loop_schedule& schedule, const region& box) const {
  loop_schedule part = schedule;
  part.domain = box.shape();
  block_schedule shifted = blocks_;
  shifted.origin = box.start;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    shifted.origin[axis] = seen_at(axis, box.start[axis]);
    if (schedule.step[axis] <= part.domain[axis]) continue;
    part.step[axis] = part.domain[axis];
  }
  auto part_function =
      std::make_shared<const block_function>(*kernel_, parameters_, std::move(shifted));
  return part_function->takes(part) ? part_function : nullptr;
}

block_shapes block_function::shapes_of(const loop_schedule& schedule,
                                       const index_vector& extents) const {
  block_shapes shapes{{}, {}, parameters_.get()};
  for (const auto& axes : blocks_.inputs) shapes.inputs.push_back(kernel_extents(axes, extents));
  const std::vector<output> specs = results(schedule);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::size_t parts = i == 0 ? num_part_axes(blocks_, schedule) : 0;
    shapes.outputs.push_back(
        permute_to_kernel(blocks_.outputs[i].order, specs[i].extents_of(extents), parts));
  }
  return shapes;
}

double block_function::element_steps(const loop_schedule& schedule) const {
  const block_shapes shapes = shapes_of(schedule, schedule.step);
  return schedule.num_steps() *
         (kernel_->work == nullptr ? detail::elements_in(shapes) : kernel_->work(shapes));
}

task_demand block_function::demand(const loop_schedule& schedule, std::size_t num_operands) const {
  task_demand needs;
  for (std::size_t operand = 0; operand < num_operands; ++operand) {
    needs.operands.push_back({true, {operand, num_operands}, {operand, operand}, true});
    axis_set& at_start = needs.operands.back().at_start;
    for (std::size_t axis = 0; axis < schedule.rank(); ++axis) at_start.set(axis);
    for (const block_axis& axis : blocks_.inputs[operand]) {
      at_start.reset(axis.axis);
      if (axis.grown_by) at_start.reset(*axis.grown_by);
    }
    // Generated operands are computed in the scratch buffer, strip by strip.
    needs.scratch = std::max(
        needs.scratch,
        scratch_bytes(strip_program::copy(kernel_->inputs[operand]), num_elements(schedule.step)));
  }
  const std::size_t first_step = blocks_.streamed.any() ? 0 : num_operands;
  needs.outputs.assign(outputs(schedule).size(), {{first_step, num_operands + 1}});
  if (blocks_.streamed.any()) needs.last_repeated_step = num_operands;
  if (!blocks_.call.empty()) {
    for (output_demand& output : needs.outputs) output.emitted_per = task_scope::sweep;
    // The next sweep begins behind the outputs of this one.
    if (schedule.ordered.any()) needs.last_repeated_step = num_operands + 1;
  }
  const block_shapes shapes = shapes_of(schedule, called_for(schedule));
  if (kernel_->workspace != nullptr) {
    needs.buffers.push_back(
        {fmt::format("workspace of {}", kernel_->label), kernel_->workspace(shapes)});
  }
  for (std::size_t i = 0; i < blocks_.outputs.size(); ++i) {
    if (blocks_.outputs[i].is_needed) continue;
    needs.buffers.push_back(
        {fmt::format("unused results of {}", kernel_->label),
         static_cast<std::size_t>(num_elements(shapes.outputs[i])) * size_of(kernel_->outputs[i])});
  }
  if (kernel_->kept != nullptr) {
    needs.kept.push_back({fmt::format("memory of {}", kernel_->label), kernel_->kept(shapes)});
  }
  return needs;
}

description block_function::describe(const std::string& operation,
                                     const loop_schedule& /*schedule*/,
                                     const operand_words& words) const {
  // An operation with an epilogue has a formula as its name.
  const bool is_word = operation.find_first_of(" (,") == std::string::npos;
  const std::string formula =
      fmt::format("{}({})", is_word ? operation : kernel_->label, fmt::join(words.names, ", "));
  std::string label = listed({formula});
  return {std::vector(blocks_.outputs.size(), formula), std::move(label)};
}

}  // namespace tessera
