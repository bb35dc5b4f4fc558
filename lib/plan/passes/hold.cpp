// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/epilogue.hpp"
#include "tessera/primitive/held.hpp"

#include "plan/buffers.hpp"
#include "plan/parts.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"
#include "plan/stored_reads.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// A fold, and a map that alone reads what it makes, along with what it folds.
struct pair {
  vertex fold;
  vertex map;
};

/// Returns the folds of which `map` reads results, in order.
few<vertex> folds_read(const array_graph& graph, vertex map) {
  few<vertex> folds;
  for (const vertex input : inputs_of(graph, map)) {
    if (boost::in_degree(input, graph) == 0) continue;
    const vertex maker = maker_of(graph, input);
    if (operation_at(graph, maker).body->in_stages().empty()) continue;
    if (std::find(folds.begin(), folds.end(), maker) == folds.end()) folds.push_back(maker);
  }
  return folds;
}

/// Returns why the map may not be computed where the fold has its block.
reason why_not(const array_graph& graph, const pair& two) {
  const operation& fold = operation_at(graph, two.fold);
  const operation& map = operation_at(graph, two.map);
  if (fold.how.domain != map.how.domain)
    return "it walks another domain than the fold that it reads";
  if (fold.how.ordered.any() || !fold.how.takes_all(fold.body->reduced())) {
    return "the fold goes another way";
  }
  const few<vertex> made = outputs_of(graph, two.fold);
  for (const vertex array : made) {
    if (array_at(graph, array).is_requested) return "what it reads is asked for";
    for (const use_of_array& use : uses_of(graph, array)) {
      if (use.reader != two.map) return "others read what the fold makes";
    }
  }
  const few<vertex> inputs = inputs_of(graph, two.map);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (parts_of(array_at(graph, inputs[i])) != nullptr)
      return "what it reads lies in several processes";
    const auto found = std::find(made.begin(), made.end(), inputs[i]);
    if (found == made.end()) continue;
    const output& one = fold.outputs[static_cast<std::size_t>(found - made.begin())];
    const bool goes_along = std::all_of(one.axes.begin(), one.axes.end(),
                                        [](const auto& axis) { return axis.is_of_domain(); });
    if (!goes_along || map.operands[i] != to_made(fold.how.rank(), one)) {
      return "it reads results elsewhere than they are made";
    }
  }
  for (const vertex array : outputs_of(graph, two.map)) {
    const planned_array& stored = array_at(graph, array);
    for (std::size_t axis = 0; axis < stored.shape.size(); ++axis) {
      const index_t block = fold.how.block[axis];
      if (block < stored.shape[axis] && block % stored.chunks[axis] != 0) {
        return "blocks of the fold would cut chunks";
      }
    }
  }
  return nullptr;
}

/// Returns both as one operation.
candidate joined(const array_graph& graph, const pair& two) {
  const operation& map = operation_at(graph, two.map);
  candidate both = candidate_at(graph, two.fold);
  const std::size_t num_first = both.inputs.size();
  const index_vector stream = both.what.how.stream;
  const few<vertex> made = outputs_of(graph, two.fold);
  const few<vertex> inputs = inputs_of(graph, two.map);
  std::vector<held_input> taken;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto found = std::find(made.begin(), made.end(), inputs[i]);
    if (found != made.end()) {
      taken.push_back({true, static_cast<std::size_t>(found - made.begin())});
      continue;
    }
    std::size_t place = 0;
    while (place < both.inputs.size() &&
           !(both.inputs[place] == inputs[i] && both.what.operands[place] == map.operands[i])) {
      ++place;
    }
    taken.push_back({false, place});
    if (place < both.inputs.size()) continue;
    both.inputs.push_back(inputs[i]);
    both.what.operands.push_back(map.operands[i]);
  }
  both.what.body =
      std::make_shared<const held>(both.what.body, num_first, stream, map.body, std::move(taken));
  both.what.name = map.name;
  both.what.how.stream = both.what.how.block;
  both.what.outputs = both.what.body->outputs(both.what.how);
  return both;
}

/// Returns why both as one cost more than one after the other.
reason why_dearer(const array_graph& graph, const candidate& both, const pair& two,
                  const spec& limits) {
  const planned_operation fold = estimate(graph, two.fold, limits);
  const planned_operation map = estimate(graph, two.map, limits);
  const planned_operation one =
      estimate(graph, both.what, both.inputs, outputs_of(graph, two.map), limits);
  const bytes apart = fold.bytes_read + map.bytes_read;
  if (one.bytes_read == apart) return "nothing is read twice";
  if (one.bytes_read > apart) return reads_more(one.bytes_read, apart);
  const index_t wanted =
      std::min(worthwhile_tasks(fold.what), std::max(map.num_tasks, tasks_when_split(fold.what)));
  if (2 * one.num_tasks < wanted) return "fewer workers would have a task";
  return fits(one, limits) ? reason() : too_large(one, limits);
}

}  // namespace

void hold(plan_graph& plan, const pass_context& context) {
  array_graph& graph = plan.graph;
  for (const vertex map : operations_in_order(graph)) {
    const piece_list* const pieces = operation_at(graph, map).body->as_elementwise();
    if (pieces == nullptr || pieces->size() != 1) continue;
    for (const vertex fold : folds_read(graph, map)) {
      const pair two{fold, map};
      reason left = why_not(graph, two);
      if (left == nullptr && !may_read_chunks(graph, fold, context.limits) &&
          !may_read_chunks(graph, map, context.limits)) {
        left = "nothing is read twice";
      }
      std::optional<candidate> both;
      if (left == nullptr) {
        both = joined(graph, two);
        left = why_dearer(graph, *both, two, context.limits);
      }
      if (left != nullptr) {
        context.leave(graph, map, left);
        continue;
      }
      const few<vertex> made = outputs_of(graph, fold);
      put(graph, map, std::move(*both));
      context.tell(graph, map, [&] {
        return fmt::format("reads what '{}' folds where that has it",
                           operation_at(graph, fold).name);
      });
      for (const vertex array : made) remove(graph, array);
      remove(graph, fold);
      break;
    }
  }
}

}  // namespace tessera
