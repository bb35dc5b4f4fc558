// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/fold_in_parts.hpp"

#include "core/api/element_count.hpp"
#include "plan/buffers.hpp"
#include "plan/parts.hpp"
#include "plan/passes/fold_in_levels.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

double count_elements_read(const operation& op) {
  const region domain = region::whole(op.schedule.domain);
  double elements = 0;
  for (const index_map& map : op.operands) elements += element_count(map.image(domain).shape());
  return elements;
}

namespace {

/// Tells whether the blocks of `op` have at most as many states as its operands have elements.
bool has_few_states(const operation& op) {
  const chunk_grid blocks = op.schedule.blocks();
  double states = 1;
  for (std::size_t axis = 0; axis < op.schedule.rank(); ++axis) {
    states *= static_cast<double>(op.primitive->reduced()[axis] ? blocks.num_chunks()[axis]
                                                                : op.schedule.domain[axis]);
  }
  return states <= count_elements_read(op);
}

}  // namespace

std::optional<operation> along_parts(const array_graph& graph, vertex v) {
  operation op = operation_at(graph, v);
  const small_vector<vertex> inputs = inputs_of(graph, v);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const distribution* parts = parts_of(array_at(graph, inputs[i]));
    if (parts == nullptr) continue;
    if (op.operands[i].gather() != nullptr) return std::nullopt;
    for (std::size_t axis = 0; axis < parts->grid.rank(); ++axis) {
      const axis_term* const term = op.operands[i][axis].only_term();
      if (term == nullptr || !op.primitive->reduced()[term->axis]) continue;
      const std::size_t domain_axis = term->axis;
      op.schedule.block[domain_axis] = parts->grid.chunks()[axis];
      op.schedule.step[domain_axis] =
          std::min(op.schedule.step[domain_axis], op.schedule.block[domain_axis]);
    }
    if (keeps_to_chunks(op, i, parts->grid) && has_few_states(op)) return op;
    return std::nullopt;
  }
  return std::nullopt;
}

void cut_at_once(array_graph& graph, vertex v, operation partial,
                 const std::vector<two_stages>& folds) {
  std::vector<staged_fold> staged;
  for (const two_stages& fold : folds) staged.push_back({fold, {{partial.schedule.domain, 1}}});
  fold_in_levels(graph, v, std::move(partial), staged);
}

}  // namespace tessera
