// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pushes regions down to the producers: computes only the boxes that are needed.
///
/// Problem: f(x)(a:b) needs f on [a, b) only. Backwards from the requested results, each operation
/// is restricted to the box of its domain that its readers need:
///     x -> [f on 0..1000] -> y -> (a:b) -> z    becomes    x -> [f on a..b] -> y(a:b) = z
/// need(y)      = hull of the boxes that the readers of y read; all of y if it is requested
/// need(domain) = hull of the parts of the domain that compute need(output), over all outputs
/// Boxes are aligned to blocks; axes that are reduced or ordered stay whole.
/// If uses of y need boxes far apart, the operation is copied, one copy for each group of uses
/// (`split_by_uses`), unless the copies would read more.
/// Invariant: requested arrays and operands of gathers stay whole.

#include "plan/buffers.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// The box needed of an array or of a domain; nullopt if all of it may be needed.
using need = std::optional<region>;

/// An operation that reads a view, by hash of the view.
using view_readers = std::unordered_map<std::size_t, vertex>;

/// Returns the box of `array` that one use reads; nullopt for a gather: it may read any element.
need region_read(const array_graph& graph, vertex array, const use_of_array& use) {
  const operation& reader = operation_at(graph, use.reader);
  const index_map& map = reader.operands[use.position];
  if (map.gather() != nullptr) return std::nullopt;
  const task_demand demand = reader.primitive->demand(reader.schedule, reader.operands.size());
  const region domain = region::whole(reader.schedule.domain);
  const region where = demand.operands[use.position].domain.value_or(domain);
  region read = region::whole(array_at(graph, array).shape);
  if (!where.empty()) return intersect(map.image(where), read);
  read.stop = read.start;
  return read;
}

/// Returns the box of `array` that all its readers need.
need region_needed(const array_graph& graph, vertex array) {
  const planned_array& planned = array_at(graph, array);
  if (planned.is_requested) return std::nullopt;
  const region whole = region::whole(planned.shape);
  need needed;
  for (const use_of_array& use : uses_of(graph, array)) {
    const need read = region_read(graph, array, use);
    if (!read) return std::nullopt;
    if (read->empty()) continue;
    extend(needed, *read);
    if (*needed == whole) break;
  }
  return needed;
}

/// Returns the part of the domain of `v` that computes the needed boxes of its outputs.
need domain_needed(const array_graph& graph, vertex v) {
  const operation& op = operation_at(graph, v);
  const region domain = region::whole(op.schedule.domain);
  const small_vector<vertex> outputs = outputs_of(graph, v);
  need needed;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const need part = region_needed(graph, outputs[i]);
    if (!part) return std::nullopt;
    extend(needed, op.outputs[i].domain_of(domain, *part));
  }
  return needed;
}

/// Returns the map from a domain that begins at `start` of another domain to that domain.
index_map offset_map(const index_vector& start) {
  std::vector<axis_map> axes;
  for (std::size_t axis = 0; axis < start.size(); ++axis) {
    axes.emplace_back(axis, start[axis], 1);
  }
  return {start.size(), std::move(axes)};
}

/// Returns `v` restricted to `box` of its domain, or nullopt if its primitive or a view forbids it.
std::optional<candidate> restrict_to(const array_graph& graph, vertex v, const region& box) {
  candidate part = candidate_at(graph, v);
  part.op.primitive = part.op.primitive->within(part.op.schedule, box);
  if (part.op.primitive == nullptr) return std::nullopt;
  const index_map offset = offset_map(box.start);
  for (index_map& map : part.op.operands) {
    if (!can_compose(map, offset)) return std::nullopt;
    map = compose(map, offset);
  }
  loop_schedule& schedule = part.op.schedule;
  schedule.domain = box.shape();
  const axis_set free_axes = ~(part.op.primitive->reduced() | schedule.ordered);
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    if (!free_axes[axis]) continue;
    schedule.block[axis] = std::min(schedule.block[axis], schedule.domain[axis]);
    schedule.step[axis] = std::min(schedule.step[axis], schedule.domain[axis]);
  }
  part.op.outputs = part.op.primitive->outputs(schedule);
  return without_unused(std::move(part));
}

/// Returns a refusal if `v` must not be restricted to `box`.
reason check_applicable(const array_graph& graph, vertex v, const region& box) {
  const operation& op = operation_at(graph, v);
  if (reads_distributed(graph, v)) return input_is_distributed;
  for (const output& output : op.outputs) {
    for (const output_axis& axis : output.axes) {
      if (axis.origin == output_axis::kind::per_block) {
        return "the outputs of {op} are states of blocks, which depend on its whole domain";
      }
      if (axis.skipped > 0 && box.start[axis.axis] > 0) {
        return {"the domain of {op} begins before its output does", "{} elements", axis.skipped};
      }
    }
  }
  return nullptr;
}

/// Returns `array`, output `i` of an operation, with the shape that `part` gives it.
planned_array cropped_array(const candidate& part, std::size_t i, planned_array array) {
  array.shape = part.op.outputs[i].shape(part.op.schedule);
  array.chunks = clipped(array.chunks, array.shape);
  return array;
}

/// Returns a refusal if tasks of `part` need too much memory although tasks of `v` do not.
reason check_memory(const array_graph& graph, vertex v, const candidate& part, const spec& limits) {
  std::vector<array_storage> sources;
  for (const vertex input : part.inputs) {
    sources.push_back(storage_of(array_at(graph, input), array_use::read, limits));
    sources.back().array = input;
  }
  std::vector<array_storage> targets;
  const small_vector<vertex> outputs = outputs_of(graph, v);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    targets.push_back(
        storage_of(cropped_array(part, i, array_at(graph, outputs[i])), array_use::write, limits));
  }
  const planned_operation planned = with_buffers(part.op, sources, targets);
  const bool is_worse = !fits(planned, limits) && fits(estimate(graph, v, limits), limits);
  return is_worse ? too_large("a task of {op} on the needed box alone would need too much memory",
                              planned, limits)
                  : nullptr;
}

/// Shifts the views of the readers of `array`, which now begins at `start` of the whole array.
void move_readers(array_graph& graph, vertex array, const index_vector& start) {
  for (const auto& [reader, position] : uses_of(graph, array)) {
    index_map& map = operation_at(graph, reader).operands[position];
    std::vector<axis_map> axes = map.axes();
    for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis].offset -= start[axis];
    map = index_map(map.domain_rank(), std::move(axes));
  }
}

/// Replaces `v` by `part`, its restriction to `box`.
void apply(array_graph& graph, vertex v, candidate part, const region& box) {
  const operation whole = operation_at(graph, v);
  const small_vector<vertex> outputs = outputs_of(graph, v);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    planned_array& array = array_at(graph, outputs[i]);
    move_readers(graph, outputs[i], whole.outputs[i].box(whole.schedule, box).start);
    array = cropped_array(part, i, std::move(array));
  }
  put(graph, v, unified(std::move(part)));
}

/// Returns the views of operations with a requested output, which stay whole in any case.
view_readers views_read_whole(const array_graph& graph, const std::vector<vertex>& operations) {
  view_readers views;
  for (const vertex v : operations) {
    const small_vector<vertex> outputs = outputs_of(graph, v);
    const bool is_whole = std::any_of(outputs.begin(), outputs.end(), [&](vertex array) {
      return array_at(graph, array).is_requested;
    });
    if (!is_whole) continue;
    for (const std::size_t view : hash_views(graph, v)) views.emplace(view, v);
  }
  return views;
}

/// Some uses of an output, and the box of the domain that they need.
struct group_of_uses {
  std::vector<use_of_array> uses;
  region box;
};

/// Merges neighbouring groups along the longest axis if their hull is at most twice their size.
std::vector<group_of_uses> merge_groups(std::vector<group_of_uses> groups) {
  const auto size = [](const region& box) { return static_cast<double>(box.num_elements()); };
  region bounds = groups.front().box;
  for (const group_of_uses& group : groups) extend(bounds, group.box);
  const index_vector extents = bounds.shape();
  const auto longest = std::max_element(extents.begin(), extents.end()) - extents.begin();
  const auto axis = static_cast<std::size_t>(longest);
  std::ranges::stable_sort(groups, {}, [&](const auto& group) { return group.box.start[axis]; });
  std::vector<group_of_uses> merged;
  for (group_of_uses& group : groups) {
    const auto takes = [&](group_of_uses& target) {
      region joined_box = target.box;
      extend(joined_box, group.box);
      if (size(joined_box) > tuning.most_not_needed * (size(target.box) + size(group.box)))
        return false;
      target.box = joined_box;
      target.uses.insert(target.uses.end(), group.uses.begin(), group.uses.end());
      return true;
    };
    if (std::none_of(merged.begin(), merged.end(), takes)) merged.push_back(std::move(group));
  }
  return merged;
}

/// Returns groups of uses of `array`, the only output of `v`, whose boxes lie far apart.
std::vector<group_of_uses> group_uses(const array_graph& graph, vertex v, vertex array) {
  const operation& op = operation_at(graph, v);
  const std::vector<use_of_array> uses = uses_of(graph, array);
  if (uses.size() < 2 || uses.size() > tuning.most_cropped_uses) return {};
  std::vector<group_of_uses> groups;
  for (const use_of_array& use : uses) {
    const need read = region_read(graph, array, use);
    if (!read || read->empty()) return {};
    const region domain = region::whole(op.schedule.domain);
    groups.push_back({{use}, in_blocks(op, op.outputs.front().domain_of(domain, *read))});
  }
  groups = merge_groups(std::move(groups));
  return groups.size() < 2 ? std::vector<group_of_uses>() : groups;
}

/// Returns the reader of a view among `views` that `v` reads, too; null if there is none.
vertex reader_of_same(const array_graph& graph, vertex v, const view_readers& views) {
  for (const std::size_t view : hash_views(graph, v)) {
    if (const auto reader = views.find(view); reader != views.end()) return reader->second;
  }
  return array_graph::null_vertex();
}

/// Returns the number of elements in the chunks that `part` reads, each chunk once.
double least_read(const array_graph& graph, const candidate& part) {
  const region domain = region::whole(part.op.schedule.domain);
  double sum = 0;
  for (std::size_t i = 0; i < part.inputs.size(); ++i) {
    const planned_array& array = array_at(graph, part.inputs[i]);
    const region read = intersect(part.op.operands[i].image(domain), region::whole(array.shape));
    const index_vector chunks = clipped(array.chunks, array.shape);
    double count = 1;
    for (std::size_t axis = 0; axis < chunks.size(); ++axis) {
      const index_t first = read.start[axis] / chunks[axis] * chunks[axis];
      const index_t last = ceil_divide(read.stop[axis], chunks[axis]) * chunks[axis];
      count *= static_cast<double>(std::max<index_t>(0, last - first));
    }
    sum += count;
  }
  return sum;
}

/// Returns `v` restricted to `box`, or nullopt if that is not allowed or needs too much memory.
std::optional<candidate> try_restrict(const array_graph& graph, vertex v, const region& box,
                                      const spec& limits) {
  if (check_applicable(graph, v, box) != nullptr) return std::nullopt;
  std::optional<candidate> part = restrict_to(graph, v, box);
  if (part && check_memory(graph, v, *part, limits) != nullptr) part.reset();
  return part;
}

/// Tells whether copies of `v`, one for each group, read no more than `v` on the hull of all boxes.
bool gains_apart(const array_graph& graph, vertex v, const std::vector<group_of_uses>& groups,
                 const spec& limits) {
  region bounds = groups.front().box;
  double apart = 0;
  for (const group_of_uses& group : groups) {
    const auto part = try_restrict(graph, v, group.box, limits);
    if (!part) return false;
    apart += least_read(graph, *part);
    extend(bounds, group.box);
  }
  return apart <= least_read(graph, restrict_to(graph, v, bounds).value_or(candidate_at(graph, v)));
}

/// Copies `v` for groups of uses whose boxes lie far apart. Returns `v` and the copies.
std::vector<vertex> split_by_uses(array_graph& graph, vertex v, const view_readers& views,
                                  const pass_context& context) {
  std::vector<vertex> copies{v};
  if (reader_of_same(graph, v, views) != nullptr) return copies;
  const small_vector<vertex> outputs = outputs_of(graph, v);
  if (outputs.size() != 1 || check_internal(array_at(graph, outputs.front()))) return copies;
  const std::vector<group_of_uses> groups = group_uses(graph, v, outputs.front());
  if (groups.empty()) return copies;
  if (!gains_apart(graph, v, groups, context.limits)) {
    context.leave(graph, v,
                  {"readers of {op} need boxes that lie far apart, but read the same chunks",
                   "{} boxes", groups.size()});
    return copies;
  }
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const vertex copy = add_array(graph, array_at(graph, outputs.front()));
    copies.push_back(add_operation(graph, operation_at(graph, v), inputs_of(graph, v), {copy}));
    for (const auto& [reader, position] : groups[i].uses) {
      small_vector<vertex> inputs = inputs_of(graph, reader);
      inputs[position] = copy;
      set_inputs(graph, reader, inputs);
    }
  }
  if (copies.size() > 1) {
    context.tell(graph, v, [&] {
      return fmt::format("is computed {} times, for parts that lie far apart", copies.size());
    });
  }
  return copies;
}

/// Restricts `v` to the needed box, unless it reads one of `views`.
void crop_one(array_graph& graph, vertex v, const view_readers& views,
              const pass_context& context) {
  const need needed = domain_needed(graph, v);
  if (!needed || needed->empty()) return;
  const index_vector domain = operation_at(graph, v).schedule.domain;
  const region box = in_blocks(operation_at(graph, v), *needed);
  if (box == region::whole(domain)) return;
  if (const vertex whole = reader_of_same(graph, v, views)) {
    return context.leave(graph, v, "{op} reads a view of which {partner} reads the whole", whole);
  }
  if (const reason refusal = check_applicable(graph, v, box)) {
    return context.leave(graph, v, refusal);
  }
  std::optional<candidate> part = restrict_to(graph, v, box);
  if (!part) {
    return context.leave(
        graph, v,
        {"the primitive of {op} cannot be restricted to a box",
         "{} of {} elements of the domain are needed", box.num_elements(), num_elements(domain)});
  }
  if (const reason refusal = check_memory(graph, v, *part, context.limits)) {
    return context.leave(graph, v, refusal);
  }
  apply(graph, v, std::move(*part), box);
  context.tell(graph, v, [&] {
    return fmt::format("computes {} of {}", format_region(box), format_shape(domain));
  });
}

/// Restricts all operations but those that read one of `views`.
void crop_all(array_graph& graph, const view_readers& views, const pass_context& context) {
  std::vector<vertex> order = operations_in_order(graph);
  // The box that is needed of an array is known once its readers are restricted.
  std::reverse(order.begin(), order.end());
  for (const vertex v : order) {
    for (const vertex copy : split_by_uses(graph, v, views, context))
      crop_one(graph, copy, views, context);
  }
}

}  // namespace

void crop_apart(plan_graph& plan, const pass_context& context) {
  const auto whole_views = views_read_whole(plan.graph, operations_in_order(plan.graph));
  crop_all(plan.graph, whole_views, context);
}

void crop(plan_graph& plan, const pass_context& context) { crop_all(plan.graph, {}, context); }

}  // namespace tessera
