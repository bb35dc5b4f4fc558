// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/cascade.hpp"

#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/parts.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// A task makes so many levels at most: with each, all of them are weighed again.
constexpr std::size_t most_levels = 64;

/// Returns `body` as a primitive with levels; null where it has none.
const cascade* as_cascade(const primitive& body) { return dynamic_cast<const cascade*>(&body); }

/// An operation that makes an array as its output `made`, and one that reads nothing else.
struct pair {
  vertex maker;
  vertex reader;
  std::size_t made;
};

/// Returns what makes the array that `reader` reads, and nothing else, if that was asked for.
std::optional<pair> pair_of(const array_graph& graph, vertex reader) {
  const few<vertex> inputs = inputs_of(graph, reader);
  if (inputs.empty()) return std::nullopt;
  const vertex array = inputs.front();
  const bool is_alone = std::ranges::all_of(inputs, [&](vertex each) { return each == array; });
  if (!is_alone || !array_at(graph, array).is_requested || boost::in_degree(array, graph) == 0) {
    return std::nullopt;
  }
  const vertex maker = maker_of(graph, array);
  const few<vertex> made = outputs_of(graph, maker);
  const auto number = std::ranges::find(made, array) - made.begin();
  return pair{maker, reader, static_cast<std::size_t>(number)};
}

cascade_level level_of(const array_graph& graph, const pair& two) {
  const operation& reader = operation_at(graph, two.reader);
  const vertex array = inputs_of(graph, two.reader).front();
  return {reader.body,       two.made,        reader.how.domain,
          reader.how.stream, reader.operands, array_at(graph, array).name};
}

/// Returns why what `reader` makes may not be made where its operand is.
reason why_not(const array_graph& graph, const pair& two) {
  const operation& maker = operation_at(graph, two.maker);
  for (const vertex input : inputs_of(graph, two.maker)) {
    if (parts_of(array_at(graph, input)) != nullptr)
      return "what it reads lies in several processes";
  }
  const cascade* const levels = as_cascade(*maker.body);
  if (levels != nullptr && levels->levels().size() == most_levels) {
    return "a task would make many levels";
  }
  const output& made = maker.outputs[two.made];
  if (!std::ranges::all_of(made.axes, &output_axis::goes_along))
    return "what it reads is made in other pieces";
  const std::vector<output_demand> needs =
      maker.body->demand(maker.how, maker.operands.size()).outputs;
  const bool leave_at_once = std::ranges::all_of(needs, [&](const output_demand& each) {
    return each.leaves_with == needs.front().leaves_with;
  });
  if (!leave_at_once) return "what it reads leaves before other results";
  const cascade_level level = level_of(graph, two);
  const auto axes = coarser_axes(level);
  if (!axes) return "an element is made of what lies in several blocks";
  const index_vector& shape = array_at(graph, inputs_of(graph, two.reader).front()).shape;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const auto [axis, step] = (*axes)[k];
    if (level.domain[axis] == 0 || (step == 1 && level.domain[axis] != shape[k])) {
      return "it makes a part of what it could be made of";
    }
  }
  const operation& reader = operation_at(graph, two.reader);
  if (!reader.how.takes_all(reader.body->reduced())) return "it is folded in parts";
  return nullptr;
}

/// Returns both as one operation, in the blocks of the maker.
candidate joined(const array_graph& graph, const pair& two) {
  candidate both = candidate_at(graph, two.maker);
  primitive_handle first = both.what.body;
  std::vector<cascade_level> levels;
  if (const cascade* const more = as_cascade(*first)) {
    levels = more->levels();
    first = more->first();
  }
  levels.push_back(level_of(graph, two));
  both.what.body =
      std::make_shared<const cascade>(std::move(first), both.inputs.size(), std::move(levels));
  both.what.name = joined_names(both.what.name, operation_at(graph, two.reader).name);
  both.what.outputs = both.what.body->outputs(both.what.how);
  return both;
}

/// Tells whether `maker`, which may make levels already, can take larger blocks.
bool may_grow_with_levels(operation maker) {
  if (const cascade* const levels = as_cascade(*maker.body)) maker.body = levels->first();
  return may_take_larger_blocks(maker);
}

/// Returns the least multiple of `block` that is one of `unit` as well, or all of the domain.
index_t grown(index_t block, index_t unit, index_t extent) {
  const index_t whole = ceil_divide(extent, block) * block;
  index_t common = 0;
  const bool is_long = __builtin_mul_overflow(block / std::gcd(block, unit), unit, &common);
  return is_long ? whole : std::min(common, whole);
}

/// Lets tasks of `both`, which makes `outputs`, make whole elements, and whole chunks, of each: in
/// larger blocks where it takes that. Returns false where they do not.
bool make_whole_chunks(const array_graph& graph, const few<vertex>& outputs, bool may_grow,
                       operation& both) {
  walk& how = both.how;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const planned_array& array = array_at(graph, outputs[i]);
    const output& made = both.outputs[i];
    for (std::size_t k = 0; k < made.axes.size(); ++k) {
      const auto [kind, axis, length, skipped, step] = made.axes[k];
      if (kind != output_axis::kind::along || how.leg()[axis] >= how.domain[axis]) continue;
      const bool is_whole =
          how.leg()[axis] % step == 0 && (how.leg()[axis] / step) % array.chunks[k] == 0;
      if (is_whole) continue;
      index_t unit = 0;
      if (!may_grow || __builtin_mul_overflow(step, array.chunks[k], &unit)) {
        return false;
      }
      lengthen(how, *both.body, axis, grown(how.block[axis], unit, how.domain[axis]));
    }
  }
  return true;
}

/// Returns why both as one cost more than one after the other.
reason why_dearer(const array_graph& graph, const candidate& both, const few<vertex>& outputs,
                  const pair& two, const spec& limits) {
  const planned_operation one = estimate(graph, both.what, both.inputs, outputs, limits);
  if (!fits(one, limits)) return too_large(one, limits);
  const planned_operation maker = estimate(graph, two.maker, limits);
  const planned_operation reader = estimate(graph, two.reader, limits);
  const bytes apart = maker.bytes_read + reader.bytes_read;
  if (one.bytes_read > apart) return reads_more(one.bytes_read, apart);
  const std::size_t num_workers = limits.costs.num_workers();
  plan_cost_sum apart_cost(limits.costs, num_workers);
  apart_cost.add_behind(maker, {});
  apart_cost.add_behind(reader, {0});
  return cost_of(one, limits.costs, num_workers).merit() > apart_cost.total().merit()
             ? "fewer workers would have a task"
             : nullptr;
}

/// Makes what `two.reader` does a level of what makes its operand. Returns why it does not.
reason fuse(array_graph& graph, const pair& two, const pass_context& context) {
  if (const reason left = why_not(graph, two)) return left;
  few<vertex> outputs = outputs_of(graph, two.maker);
  const few<vertex> more = outputs_of(graph, two.reader);
  outputs.insert(outputs.end(), more.begin(), more.end());
  candidate both = joined(graph, two);
  const bool may_grow = may_grow_with_levels(operation_at(graph, two.maker));
  if (!make_whole_chunks(graph, outputs, may_grow, both.what))
    return "blocks of it would cut chunks";
  both.what.outputs = both.what.body->outputs(both.what.how);
  if (const reason left = why_dearer(graph, both, outputs, two, context.limits)) return left;
  std::size_t number = boost::out_degree(two.maker, graph);
  context.tell(graph, two.maker, [&] {
    return fmt::format("makes '{}' of what it makes", operation_at(graph, two.reader).name);
  });
  remove(graph, two.reader);
  put(graph, two.maker, std::move(both));
  for (const vertex array : more) add_output(graph, two.maker, array, number++);
  return nullptr;
}

}  // namespace

void fuse_levels(plan_graph& plan, const pass_context& context) {
  for (const vertex reader : operations_in_order(plan.graph)) {
    const std::optional<pair> two = pair_of(plan.graph, reader);
    if (!two) continue;
    if (const reason left = fuse(plan.graph, *two, context))
      context.leave(plan.graph, reader, left);
  }
}

}  // namespace tessera
