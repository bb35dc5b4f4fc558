// SPDX-License-Identifier: Apache-2.0
#include "plan/check_operation.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/gather.hpp"
#include "tessera/core/wide_integer.hpp"

#include <algorithm>
#include <variant>

namespace tessera {

namespace {

/// The most bytes of a block of elements that are no numbers.
constexpr index_t most_bytes = index_t{1} << 48;

void check_walk(const operation_rules& rules, const primitive& body) {
  const axis_set reduced = body.reduced();
  const walk& how = rules.how();
  const std::size_t rank = how.rank();
  rules.require(how.block.size() == rank && how.stream.size() == rank,
                "domain, block and stream have one rank");
  rules.require((reduced >> rank).none(), "only axes of the domain are reduced");
  rules.require((how.ordered >> rank).none() && (how.ordered & reduced).none() &&
                    (how.ordered.none() || body.walks_in_order()),
                "only axes that are kept are walked in order");
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const index_t least = reduced[axis] ? 1 : 0;
    rules.require(least <= how.domain[axis] && how.domain[axis] < greatest_index &&
                      1 <= how.block[axis] && how.block[axis] < greatest_index &&
                      1 <= how.stream[axis] && how.stream[axis] <= how.block[axis],
                  "a stream fits into a block, and extents are those of arrays");
  }
  rules.require(num_elements(how.tasks().num_chunks()) >= 0, "tasks can be counted");
}

/// Tells whether the elements of an array are where each task finds them all.
bool may_be_gathered(const planned_array& array) {
  const auto* memory = std::get_if<memory_source>(&array.place);
  return !std::holds_alternative<generated_source>(array.place) &&
         (memory == nullptr || memory->parts == nullptr);
}

void check_maps(const operation_rules& rules, const std::vector<index_map>& maps,
                const std::vector<const planned_array*>& inputs) {
  rules.require(maps.size() == inputs.size(), "each input has a map");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const index_map& map = maps[i];
    rules.require(
        map.domain_rank() == rules.how().rank() && map.array_rank() == inputs[i]->shape.size(),
        "a map leads from the domain to the array");
    const gather* const behind = map.behind().get();
    rules.require(behind == nullptr || map.axes().size() == behind->seen().size(),
                  "a map leads to all that a gather shows");
    rules.require(behind == nullptr || may_be_gathered(*inputs[i]),
                  "what is gathered is stored, or all of it in memory");
    rules.check_indices(map);
  }
}

/// Returns how far a task walks at once: a block, and of reduced axes a step.
index_vector walked_at_once(const walk& how, axis_set reduced) {
  index_vector walked = how.block;
  for (std::size_t axis = 0; axis < walked.size(); ++axis) {
    if (reduced[axis]) walked[axis] = how.stream[axis];
    walked[axis] = std::clamp<index_t>(how.domain[axis], 1, walked[axis]);
  }
  return walked;
}

/// Throws value_error where the bytes that a task holds are no integers. Axes that an operand does
/// not depend on do not count for it: the domain may have more elements than any array.
void check_sizes(const operation_rules& rules, axis_set reduced, const std::vector<index_map>& maps,
                 const std::vector<element_type>& types) {
  const index_vector walked = walked_at_once(rules.how(), reduced);
  if (maps.empty()) rules.check_block(walked);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    index_vector seen = walked;
    for (std::size_t axis = 0; axis < seen.size(); ++axis) {
      if (!maps[i].depends_on(axis)) seen[axis] = 1;
    }
    const index_t in_block = rules.check_block(seen);
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
  return {op.name, op.how, op.operands, std::move(types), std::move(shapes)};
}

}  // namespace

void check_operation(const operation& op, const numbered<planned_array>& arrays,
                     const std::vector<std::size_t>& inputs) {
  const operation_rules rules = rules_of(op, arrays, inputs);
  check_walk(rules, *op.body);
  check_maps(rules, op.operands, arrays_at(arrays, inputs));
  check_sizes(rules, op.body->reduced(), op.operands, rules.element_types());
  op.body->check(rules);
}

void check_outputs(const operation& op, const numbered<planned_array>& arrays,
                   const std::vector<std::size_t>& outputs) {
  const operation_rules rules = rules_of(op, arrays, {});
  rules.require(!outputs.empty() && outputs.size() == op.outputs.size(), "each output is an array");
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const planned_array& output = arrays[outputs[i]];
    rules.require(output.type == op.outputs[i].type && output.shape == op.outputs[i].shape(op.how),
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
