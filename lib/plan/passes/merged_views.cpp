// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/merged_views.hpp"

#include "core/api/reshaped_block.hpp"
#include "plan/buffers.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace tessera {

namespace {

/// For each axis of a producer's domain the axis of the reader's; `no_axis` for private axes.
struct shared_axes {
  std::vector<std::size_t> axes;
  std::vector<halo_axis> halo;
};

/// Returns the reader's axis along which it reads an axis of the output, of `extent`, through `map`
/// element by element, or nullopt.
std::optional<std::size_t> axis_read(const std::optional<axis_map>& map,
                                     const loop_schedule& reader, index_t extent) {
  const axis_term* const term = map ? map->only_term() : nullptr;
  if (term == nullptr || term->step != 1 || map->offset != 0) return std::nullopt;
  return reader.domain[term->axis] == extent ? std::optional(term->axis) : std::nullopt;
}

/// Returns the halo of an axis of the output, along the reader's axis `i`, if the reader reads it
/// through `map` at `i + w + offset`, and a step has `w` whole; nullopt otherwise.
std::optional<std::pair<std::size_t, halo_axis>> window_read(const std::optional<axis_map>& map,
                                                             const operation& reader) {
  if (!map || map->terms().size() != 2) return std::nullopt;
  std::size_t axis = map->terms()[0].axis;
  std::size_t window = map->terms()[1].axis;
  if (map->terms()[0].step != 1 || map->terms()[1].step != 1) return std::nullopt;
  const loop_schedule& schedule = reader.schedule;
  const auto is_whole = [&](std::size_t k) { return schedule.step[k] >= schedule.domain[k]; };
  // Windows are folded. In a small domain both axes may be whole.
  const axis_set folded = reader.primitive->reduced();
  if (!is_whole(window) || (is_whole(axis) && folded[axis])) std::swap(axis, window);
  if (!is_whole(window)) return std::nullopt;
  return std::pair(axis, halo_axis{.by = window, .offset = map->offset});
}

/// Returns the axes that `reader`, which sees the output of `producer` through `view`, shares with
/// it. Maps and folds may have halos.
shared_axes axes_shared(const operation& producer, const operation& reader, const index_map& view) {
  const std::vector<output_axis>& axes = producer.outputs.front().axes;
  shared_axes shared{std::vector<std::size_t>(producer.schedule.rank(), no_axis), {}};
  axis_set matched_axes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k].origin != output_axis::kind::along) continue;
    const std::optional<axis_map> map = index_along(view, k);
    const index_t extent = producer.schedule.domain[axes[k].axis];
    if (const std::optional<std::size_t> axis = axis_read(map, reader.schedule, extent)) {
      if (matched_axes[*axis]) continue;
      matched_axes.set(*axis);
      shared.axes[axes[k].axis] = *axis;
      continue;
    }
    if (auto window = window_read(map, reader); window && may_have_halo(*producer.primitive)) {
      auto& [axis_of_reader, halo] = *window;
      if (matched_axes[axis_of_reader] || matched_axes[halo.by]) continue;
      matched_axes.set(axis_of_reader);
      matched_axes.set(halo.by);
      shared.axes[axes[k].axis] = axis_of_reader;
      halo.axis = axes[k].axis;
      shared.halo.push_back(halo);
    }
  }
  return shared;
}

/// Returns a refusal if the merged domain, with private axes, has too many axes.
reason check_rank(const loop_schedule& reader, const std::vector<std::size_t>& axes) {
  const auto num_private = static_cast<std::size_t>(std::ranges::count(axes, no_axis));
  if (reader.rank() + num_private <= max_rank) return nullptr;
  return {"{reader} and {producer} in one operation would have too many axes", "{} of {}",
          reader.rank() + num_private, max_rank};
}

/// Tells whether steps and blocks of `merged` hold whole tiles of `producer`, with which the bits
/// of products are the same.
bool holds_whole_tiles(const operation& producer, const merged_domain& merged) {
  const index_vector tile = tile_of(*producer.primitive, merged.axes.size());
  const axis_set reduced = producer.primitive->reduced();
  for (std::size_t axis = 0; axis < tile.size(); ++axis) {
    if (tile[axis] == 0 || reduced[axis]) continue;
    for (const index_vector& extents : {merged.schedule.step, merged.schedule.block}) {
      const index_t extent = extents[merged.axes[axis]];
      if (extent < producer.schedule.domain[axis] && extent % tile[axis] != 0) return false;
    }
  }
  return true;
}

/// Tells whether the elements of `producer` are the same in the steps of `merged` as in its blocks.
/// If elements depend on the blocks, as in factors of tall matrices, it must have a single one.
/// Maps and folds must have folded axes whole.
bool keeps_elements(const operation& producer, const merged_domain& merged) {
  if (!holds_whole_tiles(producer, merged)) return false;
  if (producer.primitive->may_shrink() || producer.primitive->may_grow()) return true;
  const axis_set folded = producer.primitive->reduced();
  const bool computes_apart = may_have_halo(*producer.primitive);
  for (std::size_t axis = 0; axis < merged.axes.size(); ++axis) {
    if (computes_apart && !folded[axis]) continue;
    const index_t extent = producer.schedule.domain[axis];
    const index_t step = merged.schedule.step[merged.axes[axis]];
    if (std::min(step, producer.schedule.block[axis]) < extent) return false;
  }
  return true;
}

/// Returns `map`, a map from a producer's domain, as a map from the reader's domain of rank `rank`.
index_map map_within(const index_map& map, const shared_axes& shared, std::size_t rank) {
  std::vector<axis_map> result;
  for (const axis_map& along : map.axes()) {
    result.emplace_back(along.offset);
    for (const axis_term& term : along.terms()) {
      result.back().add({shared.axes[term.axis], term.step});
      for (const halo_axis& halo : shared.halo) {
        if (halo.axis != term.axis) continue;
        result.back().add({halo.by, term.step});
        result.back().offset += term.step * halo.offset;
      }
    }
  }
  return {rank, std::move(result), map.gather()};
}

/// Returns the operand of `fused` that is `input` seen through `map`; adds it if there is none.
std::size_t operand_of(candidate& fused, vertex input, const index_map& map) {
  for (std::size_t i = 0; i < fused.inputs.size(); ++i) {
    if (fused.inputs[i] == input && fused.op.operands[i] == map) return i;
  }
  fused.inputs.push_back(input);
  fused.op.operands.push_back(map);
  return fused.inputs.size() - 1;
}

/// Returns `reader` and the producer of `pair` as one operation over `domain`. The reader sees the
/// output of the producer through `view`; other views of a map are left as they are. nullopt: the
/// reader takes no stage before it, or sees elements that its step does not compute.
std::optional<candidate> merge(const array_graph& graph, const merged_pair& pair,
                               const candidate& reader, const index_map& view,
                               const merged_domain& domain, std::vector<halo_axis> halo) {
  const operation& producer = operation_at(graph, pair.producer);
  const std::size_t rank = domain.schedule.rank();
  candidate fused{reader.op, {}};
  fused.op.operands.clear();
  fused.op.schedule = domain.schedule;
  merged_reader steps{
      reader.op.primitive, reader.op.schedule.rank(), domain.schedule, {}, reader.op.operands};
  shared_axes same{std::vector<std::size_t>(reader.op.schedule.rank()), {}};
  std::iota(same.axes.begin(), same.axes.end(), std::size_t{0});
  for (std::size_t i = 0; i < reader.inputs.size(); ++i) {
    std::optional<std::size_t>& operand = steps.operands.emplace_back();
    const index_map& map = reader.op.operands[i];
    if (reader.inputs[i] == pair.array && (map == view || !is_elementwise(producer))) continue;
    operand = operand_of(fused, reader.inputs[i], map_within(map, same, rank));
  }
  const shared_axes shared{domain.axes, std::move(halo)};
  // Elements of a single piece have a formula.
  const piece_list* const pieces = producer.primitive->as_elementwise();
  const bool has_formula = pieces != nullptr && pieces->size() == 1;
  merged_producer before{producer.primitive, producer.schedule, {},
                         shared.axes,        shared.halo,       has_formula ? "" : producer.name};
  const small_vector<vertex> sources = inputs_of(graph, pair.producer);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const index_map map = map_within(producer.operands[i], shared, rank);
    before.operands.push_back(operand_of(fused, sources[i], map));
  }
  fused.op.primitive = prepend_producer(steps, before);
  if (fused.op.primitive == nullptr) return std::nullopt;
  fused.op.outputs = fused.op.primitive->outputs(fused.op.schedule);
  return fused;
}

/// Tells whether the operands of `op` can be read at the sums of positions of `halos`.
bool can_read_sums(const operation& op, const std::vector<halo_axis>& halos) {
  const auto count_terms = [&](const axis_map& along) {
    std::size_t count = along.terms().size();
    for (const halo_axis& halo : halos) count += along.depends_on(halo.axis) ? 1 : 0;
    return count;
  };
  return std::ranges::all_of(op.operands, [&](const index_map& map) {
    return map.gather() == nullptr && std::ranges::all_of(map.axes(), [&](const axis_map& along) {
             return count_terms(along) <= axis_map::max_terms;
           });
  });
}

/// Returns the maps by which the reader sees the output, each once.
std::vector<index_map> views_of(const array_graph& graph, const merged_pair& pair) {
  const small_vector<vertex> inputs = inputs_of(graph, pair.reader);
  const std::vector<index_map>& maps = operation_at(graph, pair.reader).operands;
  std::vector<index_map> views;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const bool is_known = std::ranges::find(views, maps[i]) != views.end();
    if (inputs[i] == pair.array && !is_known) views.push_back(maps[i]);
  }
  return views;
}

/// Merges the producer of `pair` into `reader`, which sees its output through `view`, and adds the
/// axes that the merged blocks have whole to `whole`. Returns a refusal if it cannot.
reason merge_view(const array_graph& graph, const merged_pair& pair, const index_map& view,
                  merged_operation& reader, axis_set& whole) {
  const operation& producer = operation_at(graph, pair.producer);
  const operation& op = reader.fused.op;
  shared_axes shared = axes_shared(producer, op, view);
  if (const reason refusal = check_rank(op.schedule, shared.axes)) return refusal;
  if (shared.halo.empty() && !is_elementwise(producer) && views_of(graph, pair).size() > 1) {
    return "{reader} sees the output of {producer} in several ways";
  }
  if (!shared.halo.empty() && !can_read_sums(producer, shared.halo)) {
    return views_cannot_be_composed;
  }
  const merged_domain domain = merge_domains(producer, op, std::move(shared.axes));
  const reason other_steps = "{reader} takes other steps than the blocks of {producer}";
  if (!keeps_elements(producer, domain)) return other_steps;
  std::optional<candidate> fused =
      merge(graph, pair, reader.fused, view, domain, std::move(shared.halo));
  if (!fused) return other_steps;
  reader.fused = *std::move(fused);
  whole |= domain.whole;
  return nullptr;
}

/// Returns the map by which `reader` sees the output of `pair` that shares most axes with the
/// producer; nullopt if `reader` sees it no longer.
std::optional<index_map> closest_view(const array_graph& graph, const merged_pair& pair,
                                      const candidate& reader) {
  std::optional<index_map> closest;
  std::ptrdiff_t most_shared = -1;
  for (std::size_t i = 0; i < reader.inputs.size(); ++i) {
    if (reader.inputs[i] != pair.array) continue;
    const index_map& view = reader.op.operands[i];
    const std::vector<std::size_t> axes =
        axes_shared(operation_at(graph, pair.producer), reader.op, view).axes;
    const std::ptrdiff_t shared = std::ssize(axes) - std::ranges::count(axes, no_axis);
    if (shared > most_shared) closest = view;
    most_shared = std::max(most_shared, shared);
  }
  return closest;
}

/// Returns a refusal if the reader does not compute the output in its steps or blocks.
reason check_reader(const operation& reader, const operation& producer) {
  if (!leave_at_once(reader)) return "outputs of {reader} leave its tasks at different times";
  if (!reader.primitive->is_passive() && !reader.primitive->takes_epilogue() &&
      !is_elementwise(producer)) {
    return "{reader} computes its blocks at once, so that {producer} has no steps to run in";
  }
  if (reader.schedule.ordered.any() || producer.schedule.ordered.any())
    return "{reader} or {producer} takes its blocks in an order";
  return nullptr;
}

/// Returns a refusal if the reader cannot see the output in its steps.
reason check_views(const array_graph& graph, const merged_pair& pair) {
  for (const index_map& view : views_of(graph, pair)) {
    if (view.gather() != nullptr &&
        !is_reshape_in_memory(*view.gather(), array_at(graph, pair.array).shape)) {
      return "{reader} gathers elements of the output of {producer}";
    }
  }
  return nullptr;
}

/// Returns a refusal if the reader cannot compute the output in its tasks.
reason check_applicable(const array_graph& graph, const merged_pair& pair) {
  const operation& producer = operation_at(graph, pair.producer);
  if (const std::size_t count = producer.outputs.size(); count != 1) {
    return has_other_outputs(count);
  }
  if (const reason refusal = check_reader(operation_at(graph, pair.reader), producer)) {
    return refusal;
  }
  for (const output_axis& axis : producer.outputs.front().axes) {
    if (axis.origin != output_axis::kind::extra && !axis.is_of_domain()) {
      return "the output of {producer} has other elements than its domain";
    }
  }
  if (const reason refusal = check_views(graph, pair)) return refusal;
  // Tasks of a map read the elements that the reader would read of its output.
  const bool reads_parts =
      reads_distributed(graph, pair.producer) || reads_distributed(graph, pair.reader);
  return reads_parts && !is_elementwise(producer) ? input_is_distributed : nullptr;
}

/// Returns a refusal unless a task of `merged` fits, and computes no element of a producer twice
/// that is not elementwise.
reason check_task(const array_graph& graph, const merged_operation& merged, const spec& limits) {
  const operation& op = merged.fused.op;
  if (const double runs = runs_of_producers(*op.primitive, op.schedule); runs > 1) {
    return {"{reader} reads {producer} in several steps, and would compute it in each", "{} times",
            runs};
  }
  const planned_operation planned = estimate(graph, merged, limits);
  return fits(planned, limits) ? reason() : too_large(planned, limits);
}

}  // namespace

std::optional<merged_operation> merged(const array_graph& graph, const merged_pair& pair,
                                       const spec& limits, reason& refusal) {
  refusal = check_applicable(graph, pair);
  merged_operation result{candidate_at(graph, pair.reader), {}};
  axis_set whole;
  while (refusal == nullptr) {
    const std::optional<index_map> view = closest_view(graph, pair, result.fused);
    if (!view) break;
    refusal = merge_view(graph, pair, *view, result, whole);
  }
  if (refusal != nullptr) return std::nullopt;
  for (const vertex output : outputs_of(graph, pair.reader)) {
    result.outputs.push_back(array_at(graph, output));
  }
  cut_to_fit(graph, result, whole, limits);
  refusal = check_task(graph, result, limits);
  return refusal == nullptr ? std::optional(std::move(result)) : std::nullopt;
}

planned_operation estimate_when_sized(const array_graph& graph, merged_operation merged,
                                      vertex reader, const spec& limits) {
  const small_vector<vertex> outputs = outputs_of(graph, reader);
  // Smaller chunks of outputs tell that larger blocks do not fit.
  const bool is_cut = !std::ranges::equal(
      outputs, merged.outputs, {},
      [&](vertex v) -> const index_vector& { return array_at(graph, v).chunks; },
      &planned_array::chunks);
  operation& op = merged.fused.op;
  if (op.primitive->can_sweep() && !is_cut) {
    op.schedule = schedule_when_sized(graph, op, merged.fused.inputs, outputs, limits);
  }
  return estimate(graph, merged, limits);
}

}  // namespace tessera
