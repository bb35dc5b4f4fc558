// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/text.hpp"

#include "plan/parts.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// How many tasks a fold should have, so that many workers have something to do. It does not depend
/// on how many there are: the same program gives the same bits everywhere.
constexpr index_t wanted_tasks = 64;

/// A part is no smaller than this many elements.
constexpr index_t least_block = index_t{1} << 16;

/// The states of all blocks together are at most this fraction of what is folded.
constexpr double largest_share_of_states = 1.0 / 16;

double product(const index_vector& extents) {
  double elements = 1;
  for (const index_t extent : extents) elements *= static_cast<double>(extent);
  return elements;
}

/// Returns how many elements of its operands `what` takes.
double elements_taken(const operation& what) {
  const region all = region::whole(what.how.domain);
  double elements = 0;
  for (const index_map& map : what.operands) elements += product(map.image(all).shape());
  return elements;
}

/// Returns into how many blocks the reduced axes of `what` should be cut altogether.
index_t wanted_blocks(const operation& what, const two_stages& stages) {
  double kept = 1;
  double task_elements = 1;
  const axis_set reduced = what.body->reduced();
  for (std::size_t axis = 0; axis < what.how.domain.size(); ++axis) {
    const auto extent = static_cast<double>(what.how.domain[axis]);
    if (!reduced[axis]) kept *= extent;
    task_elements *= std::min(static_cast<double>(what.how.block[axis]), extent);
  }
  const double input_bytes = static_cast<double>(stages.element_bytes) * elements_taken(what);
  const double most_for_states =
      largest_share_of_states * input_bytes / (static_cast<double>(stages.state_bytes) * kept);
  const double most_for_work = task_elements / static_cast<double>(least_block);
  const double wanted =
      static_cast<double>(wanted_tasks) / static_cast<double>(what.how.tasks().size());
  return static_cast<index_t>(std::min({wanted, most_for_states, most_for_work}));
}

/// Cuts the reduced axes of `what` into about `count` blocks that are multiples of its stream.
void cut(operation& what, index_t count) {
  for (std::size_t axis = 0; axis < what.how.domain.size() && count > 1; ++axis) {
    if (!what.body->reduced()[axis]) continue;
    const index_t steps = ceil_divide(what.how.domain[axis], what.how.stream[axis]);
    const index_t steps_in_block = ceil_divide(steps, std::min(count, steps));
    what.how.block[axis] = steps_in_block * what.how.stream[axis];
    count = ceil_divide(count, ceil_divide(steps, steps_in_block));
  }
}

/// Returns `what` in as many blocks as are worth it.
operation in_blocks(operation what, const two_stages& stages) {
  if (product(what.how.domain) < 1 || what.how.tasks().size() >= wanted_tasks) return what;
  cut(what, wanted_blocks(what, stages));
  return what;
}

/// Tells whether the blocks of `what` have no more states than its operands have elements.
bool has_few_states(const operation& what) {
  const chunk_grid tasks = what.how.tasks();
  double states = 1;
  for (std::size_t axis = 0; axis < what.how.rank(); ++axis) {
    states *= static_cast<double>(what.body->reduced()[axis] ? tasks.num_chunks()[axis]
                                                             : what.how.domain[axis]);
  }
  return states <= elements_taken(what);
}

/// Returns `what` in blocks that each lie in one process's memory; nothing if it reads no array in
/// the memory of several, or is not worth to be cut so.
std::optional<operation> along_parts(const array_graph& graph, vertex v) {
  operation what = operation_at(graph, v);
  const std::vector<vertex> inputs = inputs_of(graph, v);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const distribution* parts = parts_of(array_at(graph, inputs[i]));
    if (parts == nullptr) continue;
    if (what.operands[i].behind() != nullptr) return std::nullopt;
    for (std::size_t axis = 0; axis < parts->grid.rank(); ++axis) {
      const axis_term* const term = what.operands[i][axis].only_term();
      if (term == nullptr || !what.body->reduced()[term->axis]) continue;
      const std::size_t walked = term->axis;
      what.how.block[walked] = parts->grid.chunks()[axis];
      what.how.stream[walked] = std::min(what.how.stream[walked], what.how.block[walked]);
    }
    if (keeps_to_chunks(what, i, parts->grid) && has_few_states(what)) return what;
    return std::nullopt;
  }
  return std::nullopt;
}

/// Returns what combines the states that `partial` makes, of which `state` is one.
operation combining(const operation& complete, const operation& partial, const output& state,
                    std::size_t num_states, const two_stages& stages) {
  operation combine;
  combine.name = complete.name + ", combine";
  combine.how.domain = state.shape(partial.how);
  combine.how.block = state.block(partial.how);
  combine.how.stream = state.block(partial.how);
  combine.operands.assign(num_states, index_map::identity(combine.how.domain.size()));
  combine.body = stages.combine(partial.how.tasks());
  for (std::size_t axis = 0; axis < combine.how.domain.size(); ++axis) {
    if (combine.body->reduced()[axis]) combine.how.block[axis] = combine.how.domain[axis];
  }
  combine.outputs = combine.body->outputs(combine.how);
  return combine;
}

/// Puts `partial`, whose blocks cut what it reduces, and what combines its states in the place of
/// `v`.
void split(array_graph& graph, vertex v, operation partial, const two_stages& stages) {
  const operation complete = operation_at(graph, v);
  partial.name += ", partial";
  partial.outputs = partial.body->outputs(partial.how);
  const std::vector<vertex> made = outputs_of(graph, v);
  const vertex first = add_operation(graph, partial, inputs_of(graph, v), {});
  boost::clear_out_edges(v, graph);
  std::vector<vertex> states;
  std::size_t next = 0;
  std::size_t num_combined = 0;
  const output* state = nullptr;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (stages.num_states[i] == 0) {
      add_output(graph, first, made[i], next++);
      continue;
    }
    add_output(graph, v, made[i], num_combined++);
    for (std::size_t k = 0; k < stages.num_states[i]; ++k, ++next) {
      state = &partial.outputs[next];
      states.push_back(add_array(graph, {state->type,
                                         state->shape(partial.how),
                                         state->block(partial.how),
                                         "states of " + complete.name,
                                         {}}));
      add_output(graph, first, states.back(), next);
    }
  }
  operation_at(graph, v) = combining(complete, partial, *state, states.size(), stages);
  set_inputs(graph, v, states);
}

}  // namespace

index_t worthwhile_tasks(const operation& what) {
  const double by_work = product(what.how.domain) / static_cast<double>(least_block);
  return static_cast<index_t>(std::min(static_cast<double>(wanted_tasks), by_work));
}

index_t tasks_when_split(const operation& what) {
  const std::optional<two_stages> stages = what.body->in_stages();
  return stages ? in_blocks(what, *stages).how.tasks().size() : what.how.tasks().size();
}

void split_folds(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    const operation& what = operation_at(plan.graph, v);
    const std::optional<two_stages> stages = what.body->in_stages();
    if (!stages || product(what.how.domain) < 1) continue;
    std::optional<operation> partial = along_parts(plan.graph, v);
    if (!partial) partial = in_blocks(what, *stages);
    if (partial->how.takes_all(what.body->reduced())) {
      const bool has_enough = what.how.tasks().size() >= wanted_tasks;
      context.leave(
          plan.graph, v,
          has_enough ? "it has many tasks" : "blocks would be small, or their states large");
    } else {
      const index_t num_blocks = partial->how.tasks().size();
      split(plan.graph, v, std::move(*partial), *stages);
      context.tell(plan.graph, v, [&] {
        return fmt::format("folds the states of {} tasks", with_commas(num_blocks));
      });
    }
  }
}

}  // namespace tessera
