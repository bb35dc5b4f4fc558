// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/parts.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

bool read_a_same_input(const array_graph& graph, vertex a, vertex b) {
  const std::vector<vertex> arrays = inputs_of(graph, a);
  const std::vector<vertex> others = inputs_of(graph, b);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    for (std::size_t j = 0; j < others.size(); ++j) {
      if (arrays[i] == others[j] &&
          operation_at(graph, a).operands[i] == operation_at(graph, b).operands[j]) {
        return true;
      }
    }
  }
  return false;
}

/// Returns both names in a row, without those that are there already: "mean, stddev".
std::string joined_names(const std::string& a, const std::string& b) {
  return (", " + a + ", ").find(", " + b + ", ") == std::string::npos ? a + ", " + b : a;
}

/// Tells whether each step of `how`, which the axes `reduced` are walked in, makes whole chunks of
/// `made`, which has all axes of the domain.
bool makes_whole_chunks(const walk& how, axis_set reduced, const planned_array& made) {
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    const index_t step = reduced[axis] ? how.stream[axis] : how.block[axis];
    if (step < how.domain[axis] && step % made.chunks[axis] != 0) return false;
  }
  return true;
}

bool lies_in_parts(const array_graph& graph, vertex v) {
  const std::vector<vertex> inputs = inputs_of(graph, v);
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](vertex input) { return parts_of(array_at(graph, input)) != nullptr; });
}

/// Returns why `map`, which reduces no axis, may not go along with `fold`, which does.
reason why_not_along(const array_graph& graph, vertex fold, vertex map) {
  const operation& leader = operation_at(graph, fold);
  const operation& other = operation_at(graph, map);
  if (lies_in_parts(graph, fold)) return "what it reads lies in several processes";
  for (const vertex made : outputs_of(graph, map)) {
    const planned_array& array = array_at(graph, made);
    if (array.shape != leader.how.domain) return "the two walk in other blocks";
    if (!makes_whole_chunks(leader.how, leader.body->reduced(), array)) {
      return "steps of the one would cut chunks of the other";
    }
  }
  const index_t wanted = std::min(other.how.tasks().size(), worthwhile_tasks(other));
  return 2 * tasks_when_split(leader) < wanted ? "fewer workers would have a task" : nullptr;
}

/// Returns why `a` and `b`, which walk the same domain, have no walk in common.
reason why_no_walk(const array_graph& graph, vertex a, vertex b) {
  const operation& one = operation_at(graph, a);
  const operation& other = operation_at(graph, b);
  if (one.how == other.how) return nullptr;
  if (one.body->reduced().any() == other.body->reduced().any()) {
    return "the two walk in other blocks";
  }
  return one.body->reduced().any() ? why_not_along(graph, a, b) : why_not_along(graph, b, a);
}

/// Returns the walk of both: theirs where they walk alike, else that of the one that reduces axes.
const walk& common_walk(const array_graph& graph, vertex a, vertex b) {
  const operation& one = operation_at(graph, a);
  return one.body->reduced().any() ? one.how : operation_at(graph, b).how;
}

/// Returns an operation that does what `a` and what `b` does in one walk, `how`; nothing where no
/// primitive does that.
std::optional<operation> both(const operation& a, const operation& b, const walk& how) {
  primitive_handle body = a.body->beside(*b.body, a.operands.size());
  if (body == nullptr) return std::nullopt;
  operation joined = a;
  joined.name = joined_names(a.name, b.name);
  joined.how = how;
  joined.operands.insert(joined.operands.end(), b.operands.begin(), b.operands.end());
  joined.body = std::move(body);
  joined.outputs = joined.body->outputs(joined.how);
  return joined;
}

/// Makes `a` do what `b` does as well, as `joined` does, and removes `b`.
void join(array_graph& graph, vertex a, vertex b, operation joined) {
  std::vector<vertex> inputs = inputs_of(graph, a);
  const std::vector<vertex> more = inputs_of(graph, b);
  const std::vector<vertex> outputs = outputs_of(graph, b);
  const std::size_t first_output = operation_at(graph, a).outputs.size();
  operation_at(graph, a) = std::move(joined);
  inputs.insert(inputs.end(), more.begin(), more.end());
  set_inputs(graph, a, inputs);
  remove(graph, b);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    boost::add_edge(a, outputs[i], graph_edge{first_output + i}, graph);
  }
  unify_operands(graph, a);
}

/// Tells whether `both`, which does what `a` and `b` do, keeps to the allowed memory; the graph is
/// left as it was.
bool join_fits(const array_graph& graph, vertex a, vertex b, const operation& both,
               const spec& limits) {
  array_graph trial;
  std::vector<vertex> copies;
  std::vector<vertex> originals;
  const auto copy_of = [&](vertex array) {
    const auto found = std::find(originals.begin(), originals.end(), array);
    if (found != originals.end())
      return copies[static_cast<std::size_t>(found - originals.begin())];
    originals.push_back(array);
    copies.push_back(boost::add_vertex(graph[array], trial));
    return copies.back();
  };
  std::vector<vertex> inputs;
  std::vector<vertex> outputs;
  for (const vertex v : {a, b}) {
    for (const vertex input : inputs_of(graph, v)) inputs.push_back(copy_of(input));
    for (const vertex output : outputs_of(graph, v)) outputs.push_back(copy_of(output));
  }
  const vertex joined = add_operation(trial, both, inputs, {});
  unify_operands(trial, joined);
  return fits(
      estimate(trial, operation_at(trial, joined), inputs_of(trial, joined), outputs, limits),
      limits);
}

/// Tells whether the two walk the same domain and read a same input.
bool are_siblings(const array_graph& graph, vertex a, vertex b) {
  return operation_at(graph, a).how.domain == operation_at(graph, b).how.domain &&
         read_a_same_input(graph, a, b);
}

/// Makes one operation of two siblings. Returns null, or why they are left.
reason fuse(array_graph& graph, vertex a, vertex b, const spec& limits) {
  if (const reason why_not = why_no_walk(graph, a, b)) return why_not;
  if (leads_to(graph, a, b) || leads_to(graph, b, a)) return "one needs what the other makes";
  std::optional<operation> joined =
      both(operation_at(graph, a), operation_at(graph, b), common_walk(graph, a, b));
  if (!joined) return "no primitive does both";
  if (!join_fits(graph, a, b, *joined, limits)) return "a task would need too much memory";
  join(graph, a, b, std::move(*joined));
  return nullptr;
}

}  // namespace

void fuse_siblings(plan_graph& plan, const pass_context& context) {
  std::vector<vertex> operations = operations_in_order(plan.graph);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (std::size_t j = i + 1; j < operations.size();) {
      const vertex a = operations[i];
      const vertex b = operations[j];
      ++j;
      if (!are_siblings(plan.graph, a, b)) continue;
      const reason why_not = fuse(plan.graph, a, b, context.limits);
      if (why_not == nullptr) {
        operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(--j));
      } else {
        context.leave(operation_at(plan.graph, b), why_not);
      }
    }
  }
}

}  // namespace tessera
