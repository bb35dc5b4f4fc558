// SPDX-License-Identifier: Apache-2.0
/// \file
/// Identities of plans, and names of their intermediates.
///
/// Problem: a stopped run is continued by another plan of the same program, made for other limits
/// or workers. The plan must recognise the program, and find the intermediates that hold its
/// elements.
///
/// Idea: hashes of the meaning. The identity hashes the program before all passes, the contents of
/// its sources, and the executable. The name of an intermediate hashes its formula: the operation,
/// and the hashes of the operands, down to the contents of the sources.
///
/// Invariant: blocks and steps, which a plan chooses, do not enter a name, unless elements depend
/// on them: an output may have one element for each block.
/// Reference: Merkle trees, as of Git's objects.

#include "tessera/core/array_source.hpp"

#include "core/api/fingerprint.hpp"
#include "core/api/hashed.hpp"
#include "core/api/overwriting.hpp"
#include "plan/api/intermediates.hpp"
#include "plan/api/planned.hpp"
#include "plan/api/program_identity.hpp"
#include "plan/array_json.hpp"
#include "plan/graph.hpp"
#include "plan/memory_elements.hpp"
#include "plan/operation_json.hpp"
#include "plan/plan_json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace tessera {

namespace {

using nlohmann::json;

/// Returns the hashes of the contents of all sources. A set, as plans of one program may number
/// sources differently.
std::set<std::string> contents_of_all(const bounded_plan::implementation& plan,
                                      content_hashes& hashes) {
  std::set<std::string> contents;
  const asked_program& asked = plan.graph->asked;
  for (const auto& array : asked.arrays) {
    if (array != nullptr) contents.insert(hashes.hash_of(*array));
  }
  if (!asked.arrays.empty()) return contents;
  for (const planned_array& array : plan.arrays) contents.insert(hashes.hash_of(array));
  return contents;
}

/// Adds the index tables of an operation, of which JSON has only the offsets.
void add_tables(fingerprint& hash, const operation& op) {
  write_tables(op, [&hash](std::span<const std::byte> table) { hash.add(table); });
}

/// Returns an operation as JSON without the blocks that a plan chooses, unless its outputs depend
/// on them.
json json_without_blocks(const operation& op) {
  std::size_t num_bytes = 0;
  json value = operation_json(op, num_bytes);
  value.erase("blocks_per_task");
  for (const output& output : op.outputs) {
    for (const output_axis& axis : output.axes) {
      if (axis.origin == output_axis::kind::per_block) return value;
    }
  }
  for (const char* chosen : {"name", "block", "step", "ordered"}) value.erase(chosen);
  return value;
}

}  // namespace

std::string hash_of_asked(const bounded_plan::implementation& plan) {
  const plan_graph& graph = *plan.graph;
  if (!graph.hash_of_asked.empty()) return graph.hash_of_asked;
  fingerprint hash;
  std::size_t num_bytes = 0;
  for (const auto& array : graph.asked.arrays) {
    hash.add(array == nullptr ? "between" : array_json(*array, num_bytes).dump());
  }
  for (const asked_program::step& step : graph.asked.steps) {
    const operation op = step.op();
    hash.add(json{operation_json(op, num_bytes), step.reads, step.makes}.dump());
    add_tables(hash, op);
  }
  hash.add(json(graph.asked.outputs).dump());
  return hash.digits();
}

content_hashes::content_hashes(const bounded_plan::implementation& plan) {
  for (const planned_array& array : plan.arrays) {
    const auto* stored = std::get_if<stored_placement>(&array.placement);
    if (stored == nullptr || stored->is_intermediate) continue;
    const auto* to = dynamic_cast<const overwriting_destination*>(stored->to.get());
    if (to != nullptr) results_.push_back(to);
  }
}

std::string content_hashes::state_of(const array_source& source) const {
  for (const overwriting_destination* result : results_) {
    if (auto state = result->state_of_kept_elements(source)) return *std::move(state);
  }
  return source.state();
}

std::string content_hashes::hash_of(const planned_array& array) {
  fingerprint hash;
  if (const auto* stored = std::get_if<stored_source>(&array.placement)) {
    const array_source& source = *stored->array;
    const auto* const hashed_source = dynamic_cast<const hashed*>(&source);
    const std::size_t key = hashed_source == nullptr ? 0 : hashed_source->hash();
    const auto [first, last] = stored_.equal_range(key);
    for (auto entry = first; entry != last; ++entry) {
      const auto& [known, digits] = entry->second;
      if (known == stored->array || known->is_same(source)) return digits;
    }
    hash.add(state_of(source));
    return stored_.emplace(key, std::pair(stored->array, hash.digits()))->second.second;
  }
  const auto* memory = std::get_if<memory_source>(&array.placement);
  if (memory == nullptr || memory->parts != nullptr) return {};
  write_elements(array, [&hash](std::span<const std::byte> piece) { hash.add(piece); });
  return hash.digits();
}

std::string bounded_plan::identity() const {
  content_hashes contents(inside());
  return identity_of(*this, contents);
}

std::string identity_of(const bounded_plan& plan, content_hashes& contents) {
  plan.check_portable();
  fingerprint hash;
  hash.add(program_identity());
  hash.add(hash_of_asked(plan.inside()));
  for (const std::string& content : contents_of_all(plan.inside(), contents)) hash.add(content);
  return hash.digits();
}

std::string hash_of_tasks(const bounded_plan::implementation& plan) {
  fingerprint hash;
  const auto add = [&hash](const index_vector& extents) { hash.add(format_shape(extents)); };
  for (const planned_operation& planned : plan.operations) {
    add(planned.op.schedule.block);
    add(planned.op.schedule.step);
    add(planned.leg);
    hash.add(std::to_string(planned.op.schedule.blocks_per_task));
    for (const planned_result& output : planned.outputs) add(plan.arrays[output.array].chunks);
  }
  return hash.digits();
}

namespace {

/// Returns a text for each array that two arrays share only if their elements are the same: a hash
/// of the source, or of the operation with its inputs.
std::vector<std::string> hashes_of_elements(const bounded_plan::implementation& plan,
                                            content_hashes& contents) {
  std::vector<std::string> hashes(plan.arrays.size());
  const auto hash_of_array = [&](std::size_t array) -> const std::string& {
    std::string& hash = hashes[array];
    if (hash.empty()) {
      std::size_t num_bytes = 0;
      fingerprint of_source;
      of_source.add(array_json(plan.arrays[array], num_bytes).dump());
      of_source.add(contents.hash_of(plan.arrays[array]));
      hash = of_source.digits();
    }
    return hash;
  };
  for (const planned_operation& planned : plan.operations) {
    fingerprint computed;
    computed.add(json_without_blocks(planned.op).dump());
    add_tables(computed, planned.op);
    for (const planned_operand& input : planned.inputs) computed.add(hash_of_array(input.array));
    const std::string digits = computed.digits();
    for (std::size_t i = 0; i < planned.outputs.size(); ++i) {
      hashes[planned.outputs[i].array] = fmt::format("{}-{}", digits, i);
    }
  }
  return hashes;
}

}  // namespace

std::vector<std::string> names_of_intermediates(const bounded_plan::implementation& plan,
                                                content_hashes& contents) {
  const auto is_intermediate = [](const planned_array& array) {
    const auto* placement = std::get_if<stored_placement>(&array.placement);
    return placement != nullptr && placement->is_intermediate;
  };
  std::vector<std::string> names(plan.arrays.size());
  // Hashing the contents of sources may read very many chunks.
  if (std::ranges::none_of(plan.arrays, is_intermediate)) return names;
  const std::vector<std::string> hashes = hashes_of_elements(plan, contents);
  std::map<std::string, int> num_named;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!is_intermediate(plan.arrays[i])) continue;
    fingerprint name;
    name.add(hashes[i]);
    name.add(format_shape(plan.arrays[i].chunks));
    names[i] = name.digits();
    // Equal intermediates get different names: each operation writes its own.
    if (const int num_earlier = num_named[names[i]]++; num_earlier > 0) {
      names[i] += fmt::format("-{}", num_earlier);
    }
  }
  return names;
}

operation asked_program::step::op() const {
  operation op;
  op.name = name;
  op.schedule.domain = index_vector(domain);
  op.schedule.block = index_vector(block);
  op.schedule.step = index_vector(step);
  op.schedule.ordered = ordered;
  op.operands = operands;
  op.primitive = primitive;
  op.outputs = primitive->outputs(op.schedule);
  return op;
}

asked_program program_of(plan_graph& plan) {
  const auto compact = [](const index_vector& extents) {
    return std::vector<index_t>(extents.begin(), extents.end());
  };
  asked_program program;
  array_graph& graph = plan.graph;
  std::vector<std::size_t> numbers(graph[boost::graph_bundle].vertices);
  const auto numbers_of = [&](const auto& arrays) {
    std::vector<std::size_t> result;
    for (const vertex v : arrays) result.push_back(numbers[graph[v].serial]);
    return result;
  };
  const std::vector<vertex> order = in_order(graph);
  for (const vertex v : order) {
    if (is_operation(graph, v)) continue;
    const planned_array& array = array_at(graph, v);
    numbers[graph[v].serial] = program.arrays.size();
    program.arrays.push_back(boost::in_degree(v, graph) == 0 || array.is_requested
                                 ? std::make_shared<const planned_array>(array)
                                 : nullptr);
  }
  for (const vertex v : order) {
    if (!is_operation(graph, v)) continue;
    const operation& op = operation_at(graph, v);
    program.steps.push_back({op.name, compact(op.schedule.domain), compact(op.schedule.block),
                             compact(op.schedule.step), op.schedule.ordered, op.operands,
                             op.primitive, numbers_of(inputs_of(graph, v)),
                             numbers_of(outputs_of(graph, v))});
  }
  program.outputs = numbers_of(plan.outputs);
  return program;
}

}  // namespace tessera
