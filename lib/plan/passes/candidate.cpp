// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/candidate.hpp"

#include "tessera/core/chunk_grid.hpp"

#include "core/api/hash.hpp"
#include "plan/parts.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

bool may_grow(const operation& op) {
  const primitive& body = *op.primitive;
  if (body.may_grow()) return true;
  const index_vector tile = tile_of(body, op.schedule.rank());
  return body.may_shrink() && std::ranges::any_of(tile, [](index_t extent) { return extent > 0; });
}

bool may_take_larger_blocks(const operation& op) {
  const primitive& body = *op.primitive;
  const bool folds_in_steps = body.reduced().any() && body.can_sweep();
  return op.schedule.ordered.none() && (body.may_grow() || folds_in_steps);
}

void lengthen(loop_schedule& schedule, const primitive& body, std::size_t axis, index_t length) {
  schedule.block[axis] = length;
  if (!body.in_steps(schedule)[axis]) schedule.step[axis] = length;
}

candidate candidate_at(const array_graph& graph, vertex v) {
  return {operation_at(graph, v), inputs_of(graph, v)};
}

candidate unified(candidate original) {
  small_vector<vertex> arrays;
  std::vector<index_map> maps;
  std::vector<std::size_t> positions;
  std::unordered_map<std::size_t, std::vector<std::size_t>> by_view;
  for (std::size_t i = 0; i < original.inputs.size(); ++i) {
    const index_map& map = original.op.operands[i];
    std::vector<std::size_t>& equal_hashes =
        by_view[row_hash().add(original.inputs[i]).add(map).value()];
    const auto same =
        std::find_if(equal_hashes.begin(), equal_hashes.end(), [&](std::size_t position) {
          return arrays[position] == original.inputs[i] && maps[position] == map;
        });
    if (same != equal_hashes.end()) {
      positions.push_back(*same);
      continue;
    }
    positions.push_back(arrays.size());
    equal_hashes.push_back(arrays.size());
    arrays.push_back(original.inputs[i]);
    maps.push_back(map);
  }
  if (arrays.size() == original.inputs.size()) return original;
  primitive_handle body = original.op.primitive->with_operands(positions, arrays.size());
  if (body == nullptr) return original;
  original.op.primitive = std::move(body);
  original.op.operands = std::move(maps);
  original.inputs = std::move(arrays);
  return original;
}

candidate without_unused(candidate original) {
  const task_demand needs =
      original.op.primitive->demand(original.op.schedule, original.inputs.size());
  candidate kept{original.op, {}};
  kept.op.operands.clear();
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < original.inputs.size(); ++i) {
    positions.push_back(kept.inputs.size());
    if (!needs.operands[i].is_used) continue;
    kept.inputs.push_back(original.inputs[i]);
    kept.op.operands.push_back(original.op.operands[i]);
  }
  if (kept.inputs.size() == original.inputs.size()) return original;
  kept.op.primitive = original.op.primitive->with_operands(positions, kept.inputs.size());
  return kept.op.primitive == nullptr ? original : kept;
}

std::optional<candidate> join_all(std::span<const candidate> candidates) {
  if (candidates.size() == 1) return candidates.front();
  std::optional<candidate> a = join_all(candidates.first(candidates.size() / 2));
  const std::optional<candidate> b = join_all(candidates.subspan(candidates.size() / 2));
  if (!a || !b) return std::nullopt;
  a->op.primitive = a->op.primitive->beside(*b->op.primitive, a->inputs.size());
  if (a->op.primitive == nullptr) return std::nullopt;
  a->inputs.insert(a->inputs.end(), b->inputs.begin(), b->inputs.end());
  a->op.operands.insert(a->op.operands.end(), b->op.operands.begin(), b->op.operands.end());
  return a;
}

bool reads_distributed(const array_graph& graph, vertex v) {
  const small_vector<vertex> inputs = inputs_of(graph, v);
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](vertex input) { return parts_of(array_at(graph, input)) != nullptr; });
}

void put(array_graph& graph, vertex v, candidate replacement) {
  operation_at(graph, v) = std::move(replacement.op);
  set_inputs(graph, v, replacement.inputs);
}

std::string joined_names(const std::string& a, const std::string& b) {
  return (", " + a + ", ").find(", " + b + ", ") == std::string::npos ? a + ", " + b : a;
}

std::vector<std::size_t> hash_views(const array_graph& graph, vertex v) {
  const operation& op = operation_at(graph, v);
  std::vector<std::size_t> views;
  const small_vector<vertex> inputs = inputs_of(graph, v);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    views.push_back(row_hash().add(op.schedule.domain).add(inputs[i]).add(op.operands[i]).value());
  }
  return views;
}

std::vector<std::size_t> hash_views_in_chunks(const array_graph& graph, vertex v) {
  const operation& op = operation_at(graph, v);
  const region domain = region::whole(op.schedule.domain);
  std::vector<std::size_t> views;
  if (domain.empty()) return views;
  const small_vector<vertex> inputs = inputs_of(graph, v);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const index_map& map = op.operands[i];
    if (map.gather() != nullptr) continue;
    const planned_array& array = array_at(graph, inputs[i]);
    row_hash hash;
    hash.add(op.schedule.domain).add(inputs[i]);
    for (const axis_map& axis : map.axes()) {
      hash.add(axis.terms().size());
      for (const axis_term& term : axis.terms()) {
        hash.add(term.axis).add(static_cast<std::uint64_t>(term.step));
      }
    }
    hash.add(chunk_grid(array.shape, array.chunks).chunks_touching(map.image(domain)));
    views.push_back(hash.value());
  }
  return views;
}

bool is_elementwise(const operation& op) { return op.primitive->as_elementwise() != nullptr; }

bool is_map(const operation& op) {
  const piece_list* const pieces = op.primitive->as_elementwise();
  return pieces != nullptr && (pieces->size() > 1 || op.primitive->num_steps() > 0);
}

namespace {

/// Tells whether `op` reads operand `i` at sums of positions, several of which lead to an element.
bool has_overlapping_windows(const operation& op, std::size_t i) {
  const index_map& map = op.operands[i];
  const bool has_sums = std::ranges::any_of(
      map.axes(), [](const axis_map& along) { return along.terms().size() > 1; });
  return has_sums && !map.is_injective(op.schedule.domain);
}

}  // namespace

bool reads_windows(const operation& op) {
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    if (has_overlapping_windows(op, i)) return true;
  }
  return false;
}

bool is_for_merge_maps(const array_graph& graph, vertex array, vertex reader) {
  const operation& op = operation_at(graph, reader);
  if (!is_map(operation_at(graph, producer_of(graph, array)))) return false;
  const small_vector<vertex> inputs = inputs_of(graph, reader);
  std::vector<operand_demand> demands;
  if (!op.primitive->takes_producers()) {
    demands = op.primitive->demand(op.schedule, inputs.size()).operands;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != array) continue;
    const bool takes_blocks = !demands.empty() && demands[i].is_whole;
    if (!takes_blocks && !has_overlapping_windows(op, i)) return false;
  }
  return true;
}

bool leave_at_once(const operation& op) {
  const std::vector<output_demand> demands =
      op.primitive->demand(op.schedule, op.operands.size()).outputs;
  return std::ranges::all_of(demands, [&](const output_demand& demand) {
    return demand.emitted_per == demands.front().emitted_per;
  });
}

}  // namespace tessera
