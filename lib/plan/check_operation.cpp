// SPDX-License-Identifier: Apache-2.0
#include "plan/check_operation.hpp"

#include "tessera/core/error.hpp"

#include "core/api/gather.hpp"
#include "core/api/wide_integer.hpp"
#include "plan/overlap.hpp"

#include <algorithm>
#include <variant>

namespace tessera {

namespace {

/// The most bytes of a block of elements that are not numbers.
constexpr index_t most_bytes = index_t{1} << 48;

/// Requires that blocks which overlap share the elements before the first output of a window.
void check_overlap(const operation_rules& rules, const primitive& body) {
  const loop_schedule& schedule = rules.schedule();
  if (schedule.overlap == 0) return;
  const std::optional<carried_state> windows = body.carries();
  rules.require(windows && !windows->is_reversed && windows->skipped == schedule.overlap &&
                    windows->axis < schedule.rank() && schedule.ordered[windows->axis] &&
                    schedule.ordered.count() == 1,
                "only blocks of windows overlap, by the elements before their outputs");
  const std::size_t axis = windows->axis;
  rules.require(
      schedule.overlap < schedule.domain[axis] && schedule.block[axis] % schedule.step[axis] == 0,
      "blocks that overlap have outputs, and whole steps");
}

void check_schedule(const operation_rules& rules, const primitive& body) {
  const axis_set reduced = body.reduced();
  const loop_schedule& schedule = rules.schedule();
  const std::size_t rank = schedule.rank();
  rules.require(schedule.block.size() == rank && schedule.step.size() == rank,
                "domain, block and step have one rank");
  rules.require((reduced >> rank).none(), "only axes of the domain are reduced");
  rules.require((schedule.ordered >> rank).none() && (schedule.ordered & reduced).none() &&
                    (schedule.ordered.none() || body.can_sweep()),
                "only kept axes are ordered");
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const index_t least = reduced[axis] ? 1 : 0;
    rules.require(least <= schedule.domain[axis] && schedule.domain[axis] < greatest_index &&
                      1 <= schedule.block[axis] && schedule.block[axis] < greatest_index &&
                      1 <= schedule.step[axis] && schedule.step[axis] <= schedule.block[axis],
                  "a step fits into a block, and extents are those of arrays");
  }
  check_overlap(rules, body);
  const index_t num_blocks = num_elements(schedule.blocks().num_chunks());
  rules.require(num_blocks >= 0, "blocks can be counted");
  rules.require(
      1 <= schedule.blocks_per_task && schedule.blocks_per_task <= std::max<index_t>(1, num_blocks),
      "a task takes some of the blocks");
}

/// Tells whether each task can access all elements of an array.
bool may_be_gathered(const planned_array& array) {
  const auto* memory = std::get_if<memory_source>(&array.placement);
  return !std::holds_alternative<generated_source>(array.placement) &&
         (memory == nullptr || memory->parts == nullptr);
}

void check_maps(const operation_rules& rules, const std::vector<index_map>& maps,
                const std::vector<const planned_array*>& inputs) {
  rules.require(maps.size() == inputs.size(), "each input has a map");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const index_map& map = maps[i];
    rules.require(
        map.domain_rank() == rules.schedule().rank() && map.array_rank() == inputs[i]->shape.size(),
        "a map leads from the domain to the array");
    const gather* const gather_map = map.gather().get();
    rules.require(gather_map == nullptr || map.axes().size() == gather_map->domain().size(),
                  "a map leads to all that a gather shows");
    rules.require(gather_map == nullptr || may_be_gathered(*inputs[i]),
                  "what is gathered is stored, or all of it in memory");
    rules.check_indices(map);
  }
}

/// Returns the extents of the domain that a task holds at once: a block, with a step along reduced
/// axes.
index_vector step_extents(const loop_schedule& schedule, axis_set reduced) {
  index_vector extents_of_step = schedule.block;
  for (std::size_t axis = 0; axis < extents_of_step.size(); ++axis) {
    if (reduced[axis]) extents_of_step[axis] = schedule.step[axis];
    extents_of_step[axis] = std::clamp<index_t>(schedule.domain[axis], 1, extents_of_step[axis]);
  }
  return extents_of_step;
}

/// Throws value_error if the bytes that a task holds overflow. Axes that an operand does not depend
/// on do not count for it: the domain may have more elements than any array.
void check_sizes(const operation_rules& rules, axis_set reduced, const std::vector<index_map>& maps,
                 const std::vector<element_type>& types) {
  const index_vector extents_of_step = step_extents(rules.schedule(), reduced);
  if (maps.empty()) rules.check_block(extents_of_step);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    index_vector extents = extents_of_step;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (!maps[i].depends_on(axis)) extents[axis] = 1;
    }
    const index_t in_block = rules.check_block(extents);
    rules.require(
        types[i].is_number() || static_cast<index_t>(types[i].size()) < most_bytes / in_block,
        "a block has fewer than 2^48 bytes");
  }
}

std::vector<const planned_array*> arrays_at(const numbered<planned_array>& arrays,
                                            const std::vector<std::size_t>& numbers) {
  std::vector<const planned_array*> pointers;
  for (const std::size_t number : numbers) pointers.push_back(&arrays[number]);
  return pointers;
}

operation_rules rules_of(const operation& op, const numbered<planned_array>& arrays,
                         const std::vector<std::size_t>& inputs) {
  std::vector<element_type> types;
  std::vector<index_vector> shapes;
  for (const std::size_t input : inputs) {
    types.push_back(arrays[input].type);
    shapes.push_back(arrays[input].shape);
  }
  return {op.name, op.schedule, op.operands, std::move(types), std::move(shapes)};
}

}  // namespace

void check_operation(const operation& op, const numbered<planned_array>& arrays,
                     const std::vector<std::size_t>& inputs) {
  const operation_rules rules = rules_of(op, arrays, inputs);
  check_schedule(rules, *op.primitive);
  check_maps(rules, op.operands, arrays_at(arrays, inputs));
  check_sizes(rules, op.primitive->reduced(), op.operands, rules.element_types());
  op.primitive->check(rules);
}

void check_outputs(const operation& op, const numbered<planned_array>& arrays,
                   const std::vector<std::size_t>& outputs) {
  const operation_rules rules = rules_of(op, arrays, {});
  rules.require(!outputs.empty() && outputs.size() == op.outputs.size(), "each output is an array");
  rules.require(op.schedule.overlap == 0 || overlap_axis(op),
                "blocks overlap if all outputs leave with their windows");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const planned_array& output = arrays[outputs[i]];
    rules.require(
        output.type == op.outputs[i].type && output.shape == op.outputs[i].shape(op.schedule),
        "outputs have the types and shapes of their arrays");
  }
}

void check_buffers(const buffer_schedule& buffers) {
  constexpr std::size_t most = std::size_t{1} << 56;
  std::size_t total = 0;
  for (const scheduled_buffer& buffer : buffers.buffers()) {
    if (buffer.size >= most || total >= most) {
      throw value_error("the buffers of a task would need more memory than there is anywhere");
    }
    total += buffer.size;
  }
}

}  // namespace tessera
