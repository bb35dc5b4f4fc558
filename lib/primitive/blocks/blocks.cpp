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

bool is_axis_of(const output_axis& made, const walk& how, axis_set reduced) {
  if (made.how == output_axis::kind::own) return made.length >= 0;
  return made.axis < how.rank() && !reduced[made.axis] && made.skipped == 0;
}

/// Tells whether no two tasks make one element: what is cut into blocks is an axis, once.
bool shows_all_that_is_cut(const block_made& made, const walk& how, axis_set reduced) {
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    const auto count = std::count_if(made.axes.begin(), made.axes.end(), [&](const auto& each) {
      return each.how != output_axis::kind::own && each.axis == axis;
    });
    if (count > 1 || (count == 0 && !reduced[axis])) return false;
  }
  return true;
}

}  // namespace

bool block_function::equals(const primitive& other) const {
  const auto& same = static_cast<const block_function&>(other);
  return kernel_ == same.kernel_ && parameters_ == same.parameters_ && how_ == same.how_;
}

void block_function::check_portable(const std::string& operation, const std::string& label) const {
  detail::require_portable(parameters_, operation, label);
  // Refuses a name that two kernels bear.
  static_cast<void>(find_block_kernel(kernel_->name));
}

std::vector<output> block_function::outputs(const walk& how) const {
  std::vector<output> needed;
  std::vector<output> all = results(how);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (how_.outputs[i].is_needed) needed.push_back(std::move(all[i]));
  }
  return needed;
}

std::vector<output> block_function::results(const walk& how) const {
  std::vector<output> made;
  for (std::size_t i = 0; i < how_.outputs.size(); ++i) {
    made.push_back({kernel_->outputs[i], how_.outputs[i].axes});
  }
  if (num_part_axes(how_, how) == 0) return made;
  // Before the others, so that a part lies as the whole would.
  std::vector<output_axis> axes;
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (how_.streamed[axis]) axes.push_back({output_axis::kind::per_block, axis});
  }
  made.front().axes.insert(made.front().axes.begin(), axes.begin(), axes.end());
  return made;
}

// What there is one of for each block depends on the blocks.
bool block_function::may_shrink() const {
  const auto is_of_blocks = [](const output_axis& axis) {
    return axis.how == output_axis::kind::per_block;
  };
  return kernel_->is_separable &&
         std::none_of(how_.outputs.begin(), how_.outputs.end(), [&](const block_made& made) {
           return std::any_of(made.axes.begin(), made.axes.end(), is_of_blocks);
         });
}

primitive_handle block_function::with_outputs(const std::vector<bool>& needed) const {
  block_walk fewer = how_;
  std::size_t output = 0;
  for (block_made& made : fewer.outputs) {
    if (made.is_needed) made.is_needed = needed[output++];
  }
  return std::make_shared<const block_function>(*kernel_, parameters_, std::move(fewer));
}

primitive_handle block_function::with_producer(std::size_t operand, std::size_t num_operands,
                                               const index_map& map,
                                               const piece_list& producer) const {
  std::vector<prologue_input> inputs;
  for (std::size_t i = 0; i < num_operands; ++i) inputs.emplace_back(i);
  const prologue alone(std::make_shared<const block_function>(*this), std::move(inputs));
  return alone.with_producer(operand, num_operands, map, producer);
}

std::vector<two_stages> block_function::in_stages() const {
  if (!adds_up()) return {};
  two_stages stages;
  stages.reduced = reduced();
  stages.num_states = {1};
  stages.combine = [kernel = kernel_, how = how_](const chunk_grid& parts) {
    index_vector shape;
    fold_sink sink{{kernel->adds_up, {}}, {}};
    for (std::size_t axis = 0; axis < parts.rank(); ++axis) {
      if (!how.streamed[axis]) continue;
      sink.reduced.set(shape.size());
      shape.push_back(parts.num_chunks()[axis]);
    }
    for (const output_axis& axis : how.outputs.front().axes) {
      const bool is_own = axis.how == output_axis::kind::own;
      shape.push_back(is_own ? axis.length : parts.shape()[axis.axis]);
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
  const walk& how = rules.how();
  rules.require(rules.types() == kernel_->inputs && how_.inputs.size() == kernel_->inputs.size() &&
                    how_.outputs.size() == kernel_->outputs.size(),
                "a function of blocks gets its operands, and makes its results");
  rules.check_images();
  rules.require(((how_.whole | how_.streamed) >> how.rank()).none() &&
                    (how_.whole & how_.streamed).none() &&
                    (how_.streamed.none() || kernel_->start != nullptr),
                "axes of the domain are whole, streamed, or neither");
  rules.check_takes_all(adds_up() ? how_.whole : reduced());
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    rules.require(!how_.whole[axis] || how.stream[axis] >= how.domain[axis],
                  "an axis that is whole is taken at once");
  }
  for (const auto& axes : how_.inputs) {
    for (const block_axis& each : axes) {
      rules.require(each.axis < how.rank() && (!each.grown_by || (*each.grown_by < how.rank() &&
                                                                  *each.grown_by != each.axis &&
                                                                  how_.whole[*each.grown_by])),
                    "an operand goes along axes of the domain, and grows by those that are whole");
    }
  }
  for (const block_made& made : how_.outputs) {
    rules.require(is_permutation(made.order, made.axes.size()),
                  "a result has its axes in an order");
    for (const output_axis& each : made.axes) {
      rules.require(is_axis_of(each, how, reduced()),
                    "a result goes along axes of the domain of which a task takes a block");
    }
    rules.require(shows_all_that_is_cut(made, how, reduced()), "no two tasks make one element");
  }
  rules.require(takes(how), "a kernel gets blocks that it takes");
  rules.require(detail::parameters_fit(*kernel_, shapes_of(how, how.domain)),
                "a kernel gets parameters of the types and extents of its operands");
  rules.require(how_.origin.empty() || how_.origin.size() == how.rank(),
                "a domain begins somewhere along each axis");
  check_calls(rules);
}

void block_function::check_calls(const operation_rules& rules) const {
  if (how_.call.empty()) return;
  const walk& how = rules.how();
  rules.require(how_.call.size() == how.rank() && how_.streamed.none(),
                "a kernel gets blocks of a task one after the other, or steps");
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    const index_t called = how_.call[axis];
    rules.require(called >= 1 && (called >= how.domain[axis] ||
                                  (how.stream[axis] % called == 0 && !how_.whole[axis])),
                  "a step has whole blocks that a kernel gets");
  }
}

index_vector block_function::called_for(const walk& how) const {
  index_vector extents = how.stream;
  for (std::size_t axis = 0; axis < how_.call.size(); ++axis) {
    extents[axis] = std::min(extents[axis], how_.call[axis]);
  }
  return extents;
}

bool block_function::takes(const walk& how) const {
  return kernel_->takes == nullptr || (kernel_->takes(shapes_of(how, how.domain)) &&
                                       kernel_->takes(shapes_of(how, called_for(how))));
}

primitive_handle block_function::within(const walk& how, const region& box) const {
  walk part = how;
  part.domain = box.shape();
  block_walk moved = how_;
  moved.origin = box.start;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    moved.origin[axis] = seen_at(axis, box.start[axis]);
    if (how.stream[axis] <= part.domain[axis]) continue;
    part.stream[axis] = part.domain[axis];
  }
  auto made = std::make_shared<const block_function>(*kernel_, parameters_, std::move(moved));
  return made->takes(part) ? made : nullptr;
}

block_shapes block_function::shapes_of(const walk& how, const index_vector& extents) const {
  block_shapes shapes{{}, {}, parameters_.get()};
  for (const auto& axes : how_.inputs) shapes.inputs.push_back(extents_seen(axes, extents));
  const std::vector<output> made = results(how);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::size_t parts = i == 0 ? num_part_axes(how_, how) : 0;
    shapes.outputs.push_back(
        in_order_of(how_.outputs[i].order, made[i].extents_of(extents), parts));
  }
  return shapes;
}

double block_function::element_steps(const walk& how) const {
  const block_shapes shapes = shapes_of(how, how.stream);
  return how.num_steps() *
         (kernel_->work == nullptr ? detail::elements_in(shapes) : kernel_->work(shapes));
}

task_demand block_function::demand(const walk& how, std::size_t num_operands) const {
  task_demand needs;
  for (std::size_t operand = 0; operand < num_operands; ++operand) {
    needs.operands.push_back({true, {operand, num_operands}, {operand, operand}, true});
    axis_set& at_start = needs.operands.back().at_start;
    for (std::size_t axis = 0; axis < how.rank(); ++axis) at_start.set(axis);
    for (const block_axis& each : how_.inputs[operand]) {
      at_start.reset(each.axis);
      if (each.grown_by) at_start.reset(*each.grown_by);
    }
    // Generated operands are made in scratch, strip by strip.
    needs.scratch = std::max(
        needs.scratch,
        scratch_bytes(strip_program::copy(kernel_->inputs[operand]), num_elements(how.stream)));
  }
  const std::size_t made_from = how_.streamed.any() ? 0 : num_operands;
  needs.outputs.assign(outputs(how).size(), {{made_from, num_operands + 1}});
  if (how_.streamed.any()) needs.last_of_stream = num_operands;
  if (!how_.call.empty()) {
    for (output_demand& made : needs.outputs) made.leaves_with = walk_stretch::leg;
    // The next leg begins behind all that this one hands on.
    if (how.ordered.any()) needs.last_of_stream = num_operands + 1;
  }
  const block_shapes shapes = shapes_of(how, called_for(how));
  if (kernel_->workspace != nullptr) {
    needs.own.push_back(
        {fmt::format("workspace of {}", kernel_->label), kernel_->workspace(shapes)});
  }
  for (std::size_t i = 0; i < how_.outputs.size(); ++i) {
    if (how_.outputs[i].is_needed) continue;
    needs.own.push_back(
        {fmt::format("what {} makes besides", kernel_->label),
         static_cast<std::size_t>(num_elements(shapes.outputs[i])) * size_of(kernel_->outputs[i])});
  }
  if (kernel_->kept != nullptr) {
    needs.kept.push_back({fmt::format("memory of {}", kernel_->label), kernel_->kept(shapes)});
  }
  return needs;
}

description block_function::describe(const std::string& operation, const walk& /*how*/,
                                     const operand_words& words) const {
  // With what comes behind it, the operation has a formula for a name.
  const bool is_word = operation.find_first_of(" (,") == std::string::npos;
  const std::string formula =
      fmt::format("{}({})", is_word ? operation : kernel_->label, fmt::join(words.names, ", "));
  std::string label = listed({formula});
  return {std::vector(how_.outputs.size(), formula), std::move(label)};
}

}  // namespace tessera
