// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/blocks.hpp"

#include "tessera/core/text.hpp"
#include "tessera/kernel/detail/parameters_fit.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/prologue.hpp"
#include "tessera/primitive/strips.hpp"

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

bool is_valid_axis(const output_axis& axis, const walk& schedule, axis_set reduced) {
  if (axis.how == output_axis::kind::own) return axis.length >= 0;
  return axis.axis < schedule.rank() && !reduced[axis.axis] && axis.skipped == 0;
}

/// Tells whether each axis that is cut into blocks is an axis of the result exactly once, so that
/// no two tasks write one element.
bool has_all_cut_axes(const block_made& result, const walk& schedule, axis_set reduced) {
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    const auto count =
        std::count_if(result.axes.begin(), result.axes.end(), [&](const auto& entry) {
          return entry.how != output_axis::kind::own && entry.axis == axis;
        });
    if (count > 1 || (count == 0 && !reduced[axis])) return false;
  }
  return true;
}

}  // namespace

bool block_function::equals(const primitive& other) const {
  const auto& rhs = static_cast<const block_function&>(other);
  return kernel_ == rhs.kernel_ && parameters_ == rhs.parameters_ && how_ == rhs.how_;
}

void block_function::check_portable(const std::string& operation, const std::string& label) const {
  detail::require_portable(parameters_, operation, label);
  // Throws if two kernels are registered under one name.
  static_cast<void>(find_block_kernel(kernel_->name));
}

std::vector<output> block_function::outputs(const walk& schedule) const {
  std::vector<output> outputs;
  std::vector<output> specs = results(schedule);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (how_.outputs[i].is_needed) outputs.push_back(std::move(specs[i]));
  }
  return outputs;
}

std::vector<output> block_function::results(const walk& schedule) const {
  std::vector<output> specs;
  for (std::size_t i = 0; i < how_.outputs.size(); ++i) {
    specs.push_back({kernel_->outputs[i], how_.outputs[i].axes});
  }
  if (num_part_axes(how_, schedule) == 0) return specs;
  // In front, so that a partial result has the layout of the whole.
  std::vector<output_axis> axes;
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    if (how_.streamed[axis]) axes.push_back({output_axis::kind::per_block, axis});
  }
  specs.front().axes.insert(specs.front().axes.begin(), axes.begin(), axes.end());
  return specs;
}

// A `per_block` axis depends on the blocks, so they may not shrink.
bool block_function::may_shrink() const {
  const auto is_of_blocks = [](const output_axis& axis) {
    return axis.how == output_axis::kind::per_block;
  };
  return kernel_->is_separable &&
         std::none_of(how_.outputs.begin(), how_.outputs.end(), [&](const block_made& output_spec) {
           return std::any_of(output_spec.axes.begin(), output_spec.axes.end(), is_of_blocks);
         });
}

primitive_handle block_function::with_outputs(const std::vector<bool>& needed) const {
  block_walk blocks = how_;
  std::size_t output = 0;
  for (block_made& output_spec : blocks.outputs) {
    if (output_spec.is_needed) output_spec.is_needed = needed[output++];
  }
  return std::make_shared<const block_function>(*kernel_, parameters_, std::move(blocks));
}

primitive_handle block_function::with_producer(std::size_t operand, std::size_t num_operands,
                                               const index_map& map,
                                               const piece_list& producer) const {
  std::vector<prologue_input> inputs;
  for (std::size_t i = 0; i < num_operands; ++i) inputs.emplace_back(i);
  const prologue without_producers(std::make_shared<const block_function>(*this),
                                   std::move(inputs));
  return without_producers.with_producer(operand, num_operands, map, producer);
}

std::vector<two_stages> block_function::in_stages() const {
  if (!adds_up()) return {};
  two_stages stages;
  stages.reduced = reduced();
  stages.num_states = {1};
  stages.combine = [kernel = kernel_, blocks = how_](const chunk_grid& parts) {
    index_vector shape;
    fold_sink sink{{kernel->adds_up, {}}, {}};
    for (std::size_t axis = 0; axis < parts.rank(); ++axis) {
      if (!blocks.streamed[axis]) continue;
      sink.reduced.set(shape.size());
      shape.push_back(parts.num_chunks()[axis]);
    }
    for (const output_axis& axis : blocks.outputs.front().axes) {
      const bool is_extra = axis.how == output_axis::kind::own;
      shape.push_back(is_extra ? axis.length : parts.shape()[axis.axis]);
    }
    return fold_of({region::whole(shape), {0}, strip_program::copy(kernel->outputs.front())},
                   std::move(sink));
  };
  stages.state_bytes = size_of(kernel_->outputs.front());
  for (const output_axis& axis : how_.outputs.front().axes) {
    if (axis.how != output_axis::kind::own) continue;
    stages.state_bytes *= static_cast<std::size_t>(std::max<index_t>(1, axis.length));
  }
  for (const dtype type : kernel_->inputs) {
    stages.element_bytes = std::max(stages.element_bytes, size_of(type));
  }
  return {std::move(stages)};
}

void block_function::check(const operation_rules& rules) const {
  const walk& schedule = rules.how();
  rules.require(rules.types() == kernel_->inputs && how_.inputs.size() == kernel_->inputs.size() &&
                    how_.outputs.size() == kernel_->outputs.size(),
                "a block function has the operand and result types of its kernel");
  rules.check_images();
  rules.require(((how_.whole | how_.streamed) >> schedule.rank()).none() &&
                    (how_.whole & how_.streamed).none() &&
                    (how_.streamed.none() || kernel_->start != nullptr),
                "axes of the domain are whole, streamed, or neither");
  rules.check_takes_all(adds_up() ? how_.whole : reduced());
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    rules.require(!how_.whole[axis] || schedule.stream[axis] >= schedule.domain[axis],
                  "an axis that is whole is taken at once");
  }
  for (const auto& axes : how_.inputs) {
    for (const block_axis& axis : axes) {
      rules.require(
          axis.axis < schedule.rank() &&
              (!axis.grown_by || (*axis.grown_by < schedule.rank() && *axis.grown_by != axis.axis &&
                                  how_.whole[*axis.grown_by])),
          "an operand goes along axes of the domain, and its halo axes are whole");
    }
  }
  for (const block_made& result : how_.outputs) {
    rules.require(is_permutation(result.order, result.axes.size()),
                  "a result has its axes in an order");
    for (const output_axis& axis : result.axes) {
      rules.require(is_valid_axis(axis, schedule, reduced()),
                    "a result goes along axes of the domain of which a task takes a block");
    }
    rules.require(has_all_cut_axes(result, schedule, reduced()), "no two tasks make one element");
  }
  rules.require(takes(schedule), "a kernel gets blocks that it takes");
  rules.require(detail::parameters_fit(*kernel_, shapes_of(schedule, schedule.domain)),
                "a kernel gets parameters of the types and extents of its operands");
  rules.require(how_.origin.empty() || how_.origin.size() == schedule.rank(),
                "a domain begins somewhere along each axis");
  check_calls(rules);
}

void block_function::check_calls(const operation_rules& rules) const {
  if (how_.call.empty()) return;
  const walk& schedule = rules.how();
  rules.require(how_.call.size() == schedule.rank() && how_.streamed.none(),
                "a kernel gets blocks of a task one after the other, or steps");
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    const index_t extent = how_.call[axis];
    rules.require(extent >= 1 && (extent >= schedule.domain[axis] ||
                                  (schedule.stream[axis] % extent == 0 && !how_.whole[axis])),
                  "a step has whole blocks that a kernel gets");
  }
}

index_vector block_function::called_for(const walk& schedule) const {
  index_vector extents = schedule.stream;
  for (std::size_t axis = 0; axis < how_.call.size(); ++axis) {
    extents[axis] = std::min(extents[axis], how_.call[axis]);
  }
  return extents;
}

bool block_function::takes(const walk& schedule) const {
  return kernel_->takes == nullptr || (kernel_->takes(shapes_of(schedule, schedule.domain)) &&
                                       kernel_->takes(shapes_of(schedule, called_for(schedule))));
}

primitive_handle block_function::within(const walk& schedule, const region& box) const {
  walk part = schedule;
  part.domain = box.shape();
  block_walk shifted = how_;
  shifted.origin = box.start;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    shifted.origin[axis] = seen_at(axis, box.start[axis]);
    if (schedule.stream[axis] <= part.domain[axis]) continue;
    part.stream[axis] = part.domain[axis];
  }
  auto part_function =
      std::make_shared<const block_function>(*kernel_, parameters_, std::move(shifted));
  return part_function->takes(part) ? part_function : nullptr;
}

block_shapes block_function::shapes_of(const walk& schedule, const index_vector& extents) const {
  block_shapes shapes{{}, {}, parameters_.get()};
  for (const auto& axes : how_.inputs) shapes.inputs.push_back(kernel_extents(axes, extents));
  const std::vector<output> specs = results(schedule);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::size_t parts = i == 0 ? num_part_axes(how_, schedule) : 0;
    shapes.outputs.push_back(
        permute_to_kernel(how_.outputs[i].order, specs[i].extents_of(extents), parts));
  }
  return shapes;
}

double block_function::element_steps(const walk& schedule) const {
  const block_shapes shapes = shapes_of(schedule, schedule.stream);
  return schedule.num_steps() *
         (kernel_->work == nullptr ? detail::elements_in(shapes) : kernel_->work(shapes));
}

task_demand block_function::demand(const walk& schedule, std::size_t num_operands) const {
  task_demand needs;
  for (std::size_t operand = 0; operand < num_operands; ++operand) {
    needs.operands.push_back({true, {operand, num_operands}, {operand, operand}, true});
    axis_set& at_start = needs.operands.back().at_start;
    for (std::size_t axis = 0; axis < schedule.rank(); ++axis) at_start.set(axis);
    for (const block_axis& axis : how_.inputs[operand]) {
      at_start.reset(axis.axis);
      if (axis.grown_by) at_start.reset(*axis.grown_by);
    }
    // Generated operands are computed in the scratch buffer, strip by strip.
    needs.scratch =
        std::max(needs.scratch, scratch_bytes(strip_program::copy(kernel_->inputs[operand]),
                                              num_elements(schedule.stream)));
  }
  const std::size_t first_step = how_.streamed.any() ? 0 : num_operands;
  needs.outputs.assign(outputs(schedule).size(), {{first_step, num_operands + 1}});
  if (how_.streamed.any()) needs.last_of_stream = num_operands;
  if (!how_.call.empty()) {
    for (output_demand& output : needs.outputs) output.leaves_with = walk_stretch::leg;
    // The next sweep begins behind the outputs of this one.
    if (schedule.ordered.any()) needs.last_of_stream = num_operands + 1;
  }
  const block_shapes shapes = shapes_of(schedule, called_for(schedule));
  if (kernel_->workspace != nullptr) {
    needs.own.push_back(
        {fmt::format("workspace of {}", kernel_->label), kernel_->workspace(shapes)});
  }
  for (std::size_t i = 0; i < how_.outputs.size(); ++i) {
    if (how_.outputs[i].is_needed) continue;
    needs.own.push_back(
        {fmt::format("unused results of {}", kernel_->label),
         static_cast<std::size_t>(num_elements(shapes.outputs[i])) * size_of(kernel_->outputs[i])});
  }
  if (kernel_->kept != nullptr) {
    needs.kept.push_back({fmt::format("memory of {}", kernel_->label), kernel_->kept(shapes)});
  }
  return needs;
}

description block_function::describe(const std::string& operation, const walk& /*how*/,
                                     const operand_words& words) const {
  // An operation with an epilogue has a formula as its name.
  const bool is_word = operation.find_first_of(" (,") == std::string::npos;
  const std::string formula =
      fmt::format("{}({})", is_word ? operation : kernel_->label, fmt::join(words.names, ", "));
  std::string label = listed({formula});
  return {std::vector(how_.outputs.size(), formula), std::move(label)};
}

}  // namespace tessera
