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

/// Tells whether `map`, which reduces no axis, may go along with `fold`, which does: as many tasks
/// are left as a fold of this size is worth.
bool may_walk_along(const array_graph& graph, vertex fold, vertex map) {
  const operation& leader = operation_at(graph, fold);
  const operation& other = operation_at(graph, map);
  if (lies_in_parts(graph, fold)) return false;
  for (const vertex made : outputs_of(graph, map)) {
    if (array_at(graph, made).shape != leader.how.domain) return false;
    if (!makes_whole_chunks(leader.how, leader.body->reduced(), array_at(graph, made))) {
      return false;
    }
  }
  return 2 * tasks_when_split(leader) >=
         std::min(other.how.tasks().size(), worthwhile_tasks(other));
}

/// Returns the walk in which both `a` and `b` may be done: theirs where they walk alike, else that
/// of the one that reduces axes where the other does not.
std::optional<walk> common_walk(const array_graph& graph, vertex a, vertex b) {
  const operation& one = operation_at(graph, a);
  const operation& other = operation_at(graph, b);
  if (one.how == other.how) return one.how;
  if (one.body->reduced().any() == other.body->reduced().any()) return std::nullopt;
  const bool is_leading = one.body->reduced().any();
  if (is_leading ? may_walk_along(graph, a, b) : may_walk_along(graph, b, a)) {
    return is_leading ? one.how : other.how;
  }
  return std::nullopt;
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

/// Returns what does both, where that may be done; the graph is left as it was.
std::optional<operation> joint(const array_graph& graph, vertex a, vertex b) {
  if (operation_at(graph, a).how.domain != operation_at(graph, b).how.domain ||
      !read_a_same_input(graph, a, b)) {
    return std::nullopt;
  }
  const std::optional<walk> how = common_walk(graph, a, b);
  if (!how || leads_to(graph, a, b) || leads_to(graph, b, a)) return std::nullopt;
  return both(operation_at(graph, a), operation_at(graph, b), *how);
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

}  // namespace

void fuse_siblings(plan_graph& plan, const pass_context& context) {
  std::vector<vertex> operations = operations_in_order(plan.graph);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (std::size_t j = i + 1; j < operations.size();) {
      const vertex a = operations[i];
      const vertex b = operations[j];
      std::optional<operation> joined = joint(plan.graph, a, b);
      if (joined && join_fits(plan.graph, a, b, *joined, context.limits)) {
        join(plan.graph, a, b, std::move(*joined));
        operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(j));
      } else {
        ++j;
      }
    }
  }
}

}  // namespace tessera
