// SPDX-License-Identifier: Apache-2.0
#include "plan/parts.hpp"
#include "plan/passes/passes.hpp"

#include <map>
#include <vector>

namespace tessera {

namespace {

/// Tells which of the operands of an operation must be read from a copy.
///
/// The first that keeps to its parts says which worker runs a task; others may stay if they agree.
std::vector<bool> operands_to_copy(const array_graph& graph, vertex v) {
  const operation& what = operation_at(graph, v);
  const std::vector<vertex> inputs = inputs_of(graph, v);
  std::vector<bool> is_copied(inputs.size(), false);
  const distribution* leading = nullptr;
  std::size_t leader = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const distribution* parts = parts_of(array_at(graph, inputs[i]));
    if (parts == nullptr) continue;
    if (leading == nullptr && keeps_to_chunks(what, i, parts->grid)) {
      leading = parts;
      leader = i;
    } else {
      is_copied[i] = leading == nullptr || !lie_alike(*parts, *leading) ||
                     what.operands[i] != what.operands[leader];
    }
  }
  return is_copied;
}

}  // namespace

void copy_parts(plan_graph& plan, const pass_context& context) {
  std::map<vertex, vertex> copies;
  for (const vertex v : operations_in_order(plan.graph)) {
    std::vector<vertex> inputs = inputs_of(plan.graph, v);
    const std::vector<bool> is_copied = operands_to_copy(plan.graph, v);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!is_copied[i]) continue;
      auto found = copies.find(inputs[i]);
      if (found == copies.end()) {
        const index_vector chunks = parts_of(array_at(plan.graph, inputs[i]))->grid.chunks();
        found = copies.emplace(inputs[i], add_copy(plan.graph, inputs[i], chunks)).first;
      }
      inputs[i] = found->second;
      context.tell(plan.graph, v, [&] {
        return "reads '" + array_at(plan.graph, inputs[i]).name + "' from a copy in storage";
      });
    }
    set_inputs(plan.graph, v, inputs);
  }
}

}  // namespace tessera
