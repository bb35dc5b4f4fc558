// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/hash.hpp"

#include "plan/buffers.hpp"
#include "plan/parts.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// What is needed of an array, or of a domain: a box; nothing where it is not known to be less than
/// all of it.
using need = std::optional<region>;

/// Returns the box of `array` that one of its readers looks at; an empty one where it looks at none
/// of it, nothing behind a gather, where elements may be anywhere.
need seen_by(const array_graph& graph, vertex array, const use_of_array& use) {
  const operation& by = operation_at(graph, use.reader);
  const index_map& map = by.operands[use.position];
  if (map.behind() != nullptr) return std::nullopt;
  const task_demand demand = by.body->demand(by.how, by.operands.size());
  const region domain = region::whole(by.how.domain);
  const region where = demand.operands[use.position].where.value_or(domain);
  region seen = region::whole(array_at(graph, array).shape);
  if (!where.empty()) return intersect(map.image(where), seen);
  seen.stop = seen.start;
  return seen;
}

/// Returns the box of `array` that its readers look at.
need needed_of(const array_graph& graph, vertex array) {
  const planned_array& what = array_at(graph, array);
  if (what.is_requested) return std::nullopt;
  const region whole = region::whole(what.shape);
  need all;
  for (const use_of_array& use : uses_of(graph, array)) {
    const need seen = seen_by(graph, array, use);
    if (!seen) return std::nullopt;
    if (seen->empty()) continue;
    all = all ? hull(*all, *seen) : *seen;
    if (*all == whole) break;
  }
  return all;
}

/// Returns the part of the domain of `v` that makes what is needed of its outputs.
need needed_of_domain(const array_graph& graph, vertex v) {
  const operation& what = operation_at(graph, v);
  const region domain = region::whole(what.how.domain);
  const few<vertex> made = outputs_of(graph, v);
  need all;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const need part = needed_of(graph, made[i]);
    if (!part) return std::nullopt;
    const region makes = what.outputs[i].domain_of(domain, *part);
    all = all ? hull(*all, makes) : makes;
  }
  return all;
}

/// Returns `box` with whole blocks of the walk, where these are more than the elements in them;
/// with all of what is reduced or walked in order.
region in_blocks(const operation& what, region box) {
  const walk& how = what.how;
  const axis_set whole = what.body->reduced() | how.ordered;
  const bool may_be_cut = what.body->may_grow() || what.body->may_shrink();
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    const index_t block = how.block[axis];
    if (whole[axis]) {
      box.start[axis] = 0;
      box.stop[axis] = how.domain[axis];
      continue;
    }
    const index_t first = box.start[axis] / block * block;
    const bool is_in_one = box.stop[axis] <= first + block;
    if (!may_be_cut || !is_in_one) box.start[axis] = first;
    if (!may_be_cut) {
      box.stop[axis] = std::min(how.domain[axis], ceil_divide(box.stop[axis], block) * block);
    }
  }
  return box;
}

/// Returns the map from a domain that begins at `start` of another one to that.
index_map moved_by(const index_vector& start) {
  std::vector<axis_map> axes;
  for (std::size_t axis = 0; axis < start.size(); ++axis) {
    axes.emplace_back(axis, start[axis], 1);
  }
  return {start.size(), std::move(axes)};
}

/// Returns `v` over `box` of its domain; nothing where it cannot be made so.
std::optional<candidate> within(const array_graph& graph, vertex v, const region& box) {
  candidate part = candidate_at(graph, v);
  part.what.body = part.what.body->within(part.what.how, box);
  if (part.what.body == nullptr) return std::nullopt;
  const index_map moved = moved_by(box.start);
  for (index_map& map : part.what.operands) {
    if (!can_compose(map, moved)) return std::nullopt;
    map = compose(map, moved);
  }
  walk& how = part.what.how;
  how.domain = box.shape();
  const axis_set kept = ~(part.what.body->reduced() | how.ordered);
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (!kept[axis]) continue;
    how.block[axis] = std::min(how.block[axis], how.domain[axis]);
    how.stream[axis] = std::min(how.stream[axis], how.domain[axis]);
  }
  part.what.outputs = part.what.body->outputs(how);
  return without_unused(std::move(part));
}

/// Returns why `v` may not be cropped to `box`.
reason why_not(const array_graph& graph, vertex v, const region& box) {
  const operation& what = operation_at(graph, v);
  for (const vertex input : inputs_of(graph, v)) {
    if (parts_of(array_at(graph, input)) != nullptr) {
      return "what it reads lies in several processes";
    }
  }
  for (const output& made : what.outputs) {
    for (const output_axis& axis : made.axes) {
      if (axis.how == output_axis::kind::per_block) return "it makes states of blocks";
      if (axis.skipped > 0 && box.start[axis.axis] > 0) return "it begins before what it makes";
    }
  }
  return nullptr;
}

/// Returns `array`, output `i` of an operation, as `part` of that makes it.
planned_array made_by(const candidate& part, std::size_t i, planned_array array) {
  array.shape = part.what.outputs[i].shape(part.what.how);
  array.chunks = clipped(array.chunks, array.shape);
  return array;
}

/// Returns why tasks of `part` do not keep to the memory, where those of all of `v` do.
reason why_too_large(const array_graph& graph, vertex v, const candidate& part,
                     const spec& limits) {
  std::vector<array_storage> sources;
  for (const vertex input : part.inputs) {
    sources.push_back(storage_of(array_at(graph, input), array_use::read, limits));
    sources.back().array = input;
  }
  std::vector<array_storage> targets;
  const few<vertex> made = outputs_of(graph, v);
  for (std::size_t i = 0; i < made.size(); ++i) {
    targets.push_back(
        storage_of(made_by(part, i, array_at(graph, made[i])), array_use::write, limits));
  }
  const planned_operation planned = with_buffers(part.what, sources, targets);
  const bool is_worse = !fits(planned, limits) && fits(estimate(graph, v, limits), limits);
  return is_worse ? too_large(planned, limits) : nullptr;
}

/// Lets the readers of `array` find in it what they did, as it begins at `start` of what it was.
void move_readers(array_graph& graph, vertex array, const index_vector& start) {
  for (const auto& [reader, position] : uses_of(graph, array)) {
    index_map& map = operation_at(graph, reader).operands[position];
    std::vector<axis_map> axes = map.axes();
    for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis].offset -= start[axis];
    map = index_map(map.domain_rank(), std::move(axes));
  }
}

/// Puts `part`, which makes `box` of the domain of `v`, in its place.
void apply(array_graph& graph, vertex v, candidate part, const region& box) {
  const operation whole = operation_at(graph, v);
  const few<vertex> made = outputs_of(graph, v);
  for (std::size_t i = 0; i < made.size(); ++i) {
    planned_array& array = array_at(graph, made[i]);
    move_readers(graph, made[i], whole.outputs[i].box(whole.how, box).start);
    array = made_by(part, i, std::move(array));
  }
  put(graph, v, unified(std::move(part)));
}

/// Returns a number for each view of an array that `v` reads, with the domain that it walks.
std::vector<std::size_t> views_of(const array_graph& graph, vertex v) {
  const operation& what = operation_at(graph, v);
  std::vector<std::size_t> views;
  const few<vertex> inputs = inputs_of(graph, v);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    views.push_back(row_hash().add(what.how.domain).add(inputs[i]).add(what.operands[i]).value());
  }
  return views;
}

/// Returns the views that are read for something that is asked for: as a whole, whatever happens.
std::unordered_set<std::size_t> views_read_whole(const array_graph& graph,
                                                 const std::vector<vertex>& operations) {
  std::unordered_set<std::size_t> views;
  for (const vertex v : operations) {
    const few<vertex> made = outputs_of(graph, v);
    const bool is_whole = std::any_of(made.begin(), made.end(), [&](vertex array) {
      return array_at(graph, array).is_requested;
    });
    if (!is_whole) continue;
    for (const std::size_t view : views_of(graph, v)) views.insert(view);
  }
  return views;
}

/// Some uses of what an operation makes, and the box of its domain that makes what they need.
struct group_of_uses {
  std::vector<use_of_array> uses;
  region box;
};

/// Puts groups together, in an order in which those lie side by side that are near, whose box holds
/// little but what they need.
std::vector<group_of_uses> joined(std::vector<group_of_uses> groups) {
  constexpr double most_not_needed = 2;
  const auto size = [](const region& box) { return static_cast<double>(box.num_elements()); };
  region all = groups.front().box;
  for (const group_of_uses& each : groups) all = hull(all, each.box);
  const index_vector extents = all.shape();
  const auto longest = std::max_element(extents.begin(), extents.end()) - extents.begin();
  const auto axis = static_cast<std::size_t>(longest);
  std::ranges::stable_sort(groups, {}, [&](const auto& each) { return each.box.start[axis]; });
  std::vector<group_of_uses> found;
  for (group_of_uses& each : groups) {
    const auto takes = [&](group_of_uses& other) {
      const region both = hull(other.box, each.box);
      if (size(both) > most_not_needed * (size(other.box) + size(each.box))) return false;
      other.box = both;
      other.uses.insert(other.uses.end(), each.uses.begin(), each.uses.end());
      return true;
    };
    if (std::none_of(found.begin(), found.end(), takes)) found.push_back(std::move(each));
  }
  return found;
}

/// Returns the uses of `made`, which is all that `v` makes, by what they need of its domain; none
/// where they need what lies together.
std::vector<group_of_uses> uses_apart(const array_graph& graph, vertex v, vertex made) {
  constexpr std::size_t most_uses = 64;
  const operation& what = operation_at(graph, v);
  const std::vector<use_of_array> uses = uses_of(graph, made);
  if (uses.size() < 2 || uses.size() > most_uses) return {};
  std::vector<group_of_uses> groups;
  for (const use_of_array& use : uses) {
    const need seen = seen_by(graph, made, use);
    if (!seen || seen->empty()) return {};
    const region domain = region::whole(what.how.domain);
    groups.push_back({{use}, in_blocks(what, what.outputs.front().domain_of(domain, *seen))});
  }
  groups = joined(std::move(groups));
  return groups.size() < 2 ? std::vector<group_of_uses>() : groups;
}

/// Tells whether `v` reads one of `views`.
bool reads_any(const array_graph& graph, vertex v, const std::unordered_set<std::size_t>& views) {
  const std::vector<std::size_t> own = views_of(graph, v);
  return std::any_of(own.begin(), own.end(), [&](auto view) { return views.contains(view); });
}

/// Returns how many elements `part` reads of the chunks of its inputs where it reads each once:
/// blocks that do so may be chosen later.
double least_read(const array_graph& graph, const candidate& part) {
  const region domain = region::whole(part.what.how.domain);
  double sum = 0;
  for (std::size_t i = 0; i < part.inputs.size(); ++i) {
    const planned_array& array = array_at(graph, part.inputs[i]);
    const region seen = intersect(part.what.operands[i].image(domain), region::whole(array.shape));
    const index_vector chunks = clipped(array.chunks, array.shape);
    double count = 1;
    for (std::size_t axis = 0; axis < chunks.size(); ++axis) {
      const index_t first = seen.start[axis] / chunks[axis] * chunks[axis];
      const index_t last = ceil_divide(seen.stop[axis], chunks[axis]) * chunks[axis];
      count *= static_cast<double>(std::max<index_t>(0, last - first));
    }
    sum += count;
  }
  return sum;
}

/// Returns `v` over `box` of its domain; nothing where it cannot be made so, or not in the memory
/// that it is allowed.
std::optional<candidate> makeable(const array_graph& graph, vertex v, const region& box,
                                  const spec& limits) {
  if (why_not(graph, v, box) != nullptr) return std::nullopt;
  std::optional<candidate> part = within(graph, v, box);
  if (part && why_too_large(graph, v, *part, limits) != nullptr) part.reset();
  return part;
}

/// Tells whether `v` can make what `groups` need apart, and reads no more for that than for all
/// that lies between: parts may need the same chunks.
bool gains_apart(const array_graph& graph, vertex v, const std::vector<group_of_uses>& groups,
                 const spec& limits) {
  region all = groups.front().box;
  double apart = 0;
  for (const group_of_uses& each : groups) {
    const auto part = makeable(graph, v, each.box, limits);
    if (!part) return false;
    apart += least_read(graph, *part);
    all = hull(all, each.box);
  }
  return apart <= least_read(graph, within(graph, v, all).value_or(candidate_at(graph, v)));
}

/// Lets copies of `v` make what its readers need where that lies far apart. Returns `v` and them.
std::vector<vertex> taken_apart(array_graph& graph, vertex v,
                                const std::unordered_set<std::size_t>& kept,
                                const pass_context& context) {
  std::vector<vertex> all{v};
  if (reads_any(graph, v, kept)) return all;
  const few<vertex> made = outputs_of(graph, v);
  if (made.size() != 1 || array_at(graph, made.front()).is_requested) return all;
  const std::vector<group_of_uses> groups = uses_apart(graph, v, made.front());
  if (groups.empty()) return all;
  if (!gains_apart(graph, v, groups, context.limits)) {
    context.leave(graph, v, "parts that lie far apart need the same");
    return all;
  }
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const vertex copy = add_array(graph, array_at(graph, made.front()));
    all.push_back(add_operation(graph, operation_at(graph, v), inputs_of(graph, v), {copy}));
    for (const auto& [reader, position] : groups[i].uses) {
      few<vertex> inputs = inputs_of(graph, reader);
      inputs[position] = copy;
      set_inputs(graph, reader, inputs);
    }
  }
  if (all.size() > 1) {
    context.tell(graph, v, [&] {
      return fmt::format("is made {} times, of parts that lie far apart", all.size());
    });
  }
  return all;
}

/// Crops `v`, unless it reads one of the views `kept`.
void crop_one(array_graph& graph, vertex v, const std::unordered_set<std::size_t>& kept,
              const pass_context& context) {
  const need needed = needed_of_domain(graph, v);
  if (!needed || needed->empty()) return;
  const index_vector domain = operation_at(graph, v).how.domain;
  const region box = in_blocks(operation_at(graph, v), *needed);
  if (box == region::whole(domain)) return;
  if (reads_any(graph, v, kept)) {
    return context.leave(graph, v, "another operation reads the same as a whole");
  }
  if (const reason why = why_not(graph, v, box)) return context.leave(graph, v, why);
  std::optional<candidate> part = within(graph, v, box);
  if (!part) return context.leave(graph, v, "its primitive makes all or nothing");
  if (const reason why = why_too_large(graph, v, *part, context.limits)) {
    return context.leave(graph, v, why);
  }
  apply(graph, v, std::move(*part), box);
  context.tell(graph, v, [&] {
    return fmt::format("makes {} of {}", format_region(box), format_shape(domain));
  });
}

/// Crops all operations but those that read what is read as a whole all the same, by `kept` views.
void crop_but(array_graph& graph, const std::unordered_set<std::size_t>& kept,
              const pass_context& context) {
  std::vector<vertex> order = operations_in_order(graph);
  // What is needed of an array is known once its readers are cropped.
  std::reverse(order.begin(), order.end());
  for (const vertex v : order) {
    for (const vertex each : taken_apart(graph, v, kept, context))
      crop_one(graph, each, kept, context);
  }
}

}  // namespace

void crop_apart(plan_graph& plan, const pass_context& context) {
  const auto kept = views_read_whole(plan.graph, operations_in_order(plan.graph));
  crop_but(plan.graph, kept, context);
}

void crop(plan_graph& plan, const pass_context& context) { crop_but(plan.graph, {}, context); }

}  // namespace tessera
