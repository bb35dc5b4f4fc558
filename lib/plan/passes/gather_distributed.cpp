// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies distributed arrays into storage, unless each task reads the part of one process only.
///
/// Problem: an array lies in the memory of several processes, each holding one part. No process can
/// read the memory of another, so that a task may read the array in place only if it runs where
/// its part lies.
/// Rule: the first operand with tasks inside single parts decides which worker runs a task. Other
/// distributed operands stay in place if they are distributed alike and read through the same map.
/// All remaining distributed operands are read from a copy in storage, one copy for each array.
/// The chunks of the copy trade writes for reads: parts, or lengths at which parts and blocks meet
/// within a tolerance; the cheapest by the cost model is taken.
/// Invariant: afterwards, no task reads parts of two processes in memory. This pass cannot be
/// switched off.

#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/parts.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"
#include "plan/rechunk/axis.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

namespace tessera {

namespace {

/// Returns, by operand of an operation, whether it must be read from a copy.
std::vector<bool> operands_to_copy(const array_graph& graph, vertex v) {
  const operation& op = operation_at(graph, v);
  const small_vector<vertex> inputs = inputs_of(graph, v);
  std::vector<bool> is_copied(inputs.size(), false);
  const distribution* leading = nullptr;
  std::size_t leader = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const distribution* parts = parts_of(array_at(graph, inputs[i]));
    if (parts == nullptr) continue;
    if (leading == nullptr && keeps_to_chunks(op, i, parts->grid)) {
      leading = parts;
      leader = i;
    } else {
      is_copied[i] = leading == nullptr || !lie_alike(*parts, *leading) ||
                     op.operands[i] != op.operands[leader];
    }
  }
  return is_copied;
}

/// The most bytes that a task reads, in units of its needs, for longer chunks of a copy.
constexpr std::array tolerances{1.0, 1.2, 2.0, 8.0};

/// Returns the work of `v` with operand `i` read from a copy in `chunks`, and of the copy itself.
costs::seconds work_through(const array_graph& graph, vertex v, std::size_t i,
                            const index_vector& chunks, const spec& limits) {
  spec in_storage = limits;
  in_storage.allowed_memory = bytes{0};
  const small_vector<vertex> operands = inputs_of(graph, v);
  std::vector<array_storage> inputs;
  for (const vertex input : operands) {
    inputs.push_back(storage_of(array_at(graph, input), array_use::read, limits));
    inputs.back().array = input;
  }
  std::vector<array_storage> outputs;
  for (const vertex output : outputs_of(graph, v)) {
    outputs.push_back(storage_of(array_at(graph, output), array_use::write, limits));
  }
  const planned_array& from = array_at(graph, operands[i]);
  const planned_array copy{from.type, from.shape, chunks, from.name, {}};
  const planned_operation copied =
      with_buffers(copy_operation(from, parts_of(from)->grid.chunks()), {inputs[i]},
                   {storage_of(copy, array_use::write, in_storage)});
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k] == operands[i]) inputs[k] = storage_of(copy, array_use::read, in_storage);
  }
  const planned_operation reader = with_buffers(operation_at(graph, v), inputs, outputs);
  return work_of(copied, limits.costs) + work_of(reader, limits.costs);
}

/// Returns the cheapest chunks for a copy of operand `i` of `v`: the parts, or lengths at which
/// parts and the blocks of `v` meet.
index_vector chunks_of_copy(const array_graph& graph, vertex v, std::size_t i, const spec& limits) {
  const operation& op = operation_at(graph, v);
  const planned_array& array = array_at(graph, inputs_of(graph, v)[i]);
  const index_vector parts = clipped(parts_of(array)->grid.chunks(), array.shape);
  if (op.operands[i].gather() != nullptr) return parts;
  const index_vector read_per_task = taken_at_once(op, i, array);
  index_vector best = parts;
  costs::seconds least = work_through(graph, v, i, parts, limits);
  for (const double tolerance : tolerances) {
    index_vector chunks = parts;
    for (std::size_t axis = 0; axis < chunks.size(); ++axis) {
      chunks[axis] = rechunking::meet(array.shape[axis], parts[axis],
                                      std::max<index_t>(1, read_per_task[axis]), tolerance);
    }
    const costs::seconds work = work_through(graph, v, i, chunks, limits);
    if (work >= least) continue;
    least = work;
    best = chunks;
  }
  return best;
}

}  // namespace

void gather_distributed(plan_graph& plan, const pass_context& context) {
  std::map<vertex, vertex> copies;
  for (const vertex v : operations_in_order(plan.graph)) {
    small_vector<vertex> inputs = inputs_of(plan.graph, v);
    const std::vector<bool> is_copied = operands_to_copy(plan.graph, v);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!is_copied[i]) continue;
      auto entry = copies.find(inputs[i]);
      if (entry == copies.end()) {
        const index_vector part = parts_of(array_at(plan.graph, inputs[i]))->grid.chunks();
        const index_vector chunks = chunks_of_copy(plan.graph, v, i, context.limits);
        entry = copies.emplace(inputs[i], add_copy(plan.graph, inputs[i], chunks, part)).first;
      }
      inputs[i] = entry->second;
      context.tell(plan.graph, v, [&] {
        return "reads '" + array_at(plan.graph, inputs[i]).name + "' from a copy in storage";
      });
    }
    set_inputs(plan.graph, v, inputs);
  }
}

}  // namespace tessera
