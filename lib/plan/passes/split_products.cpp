// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts products along inner axes into partial sums, and adds them up.
///
/// Problem: the Gram matrix x^T x of a long x is one task. Workers stay idle.
///     x^T x = sum over n of x_n^T x_n
/// The bits of the sum depend on its parts. So lowering fixes the parts (`block_schedule::tile`),
/// and this pass always runs, before operations are merged. If x is distributed, each process has
/// one part. The program fixes the processes, too.

#include "core/api/text.hpp"
#include "plan/passes/fold_in_parts.hpp"
#include "plan/passes/passes.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

bool is_product(const operation& op) {
  const index_vector tile = tile_of(*op.primitive, op.schedule.rank());
  const axis_set reduced = op.primitive->reduced();
  for (std::size_t axis = 0; axis < tile.size(); ++axis) {
    if (reduced[axis] && tile[axis] > 0) return !op.primitive->in_stages().empty();
  }
  return false;
}

operation in_partial_products(operation op) {
  if (!is_product(op)) return op;
  const index_vector tile = tile_of(*op.primitive, op.schedule.rank());
  const axis_set reduced = op.primitive->reduced();
  for (std::size_t axis = 0; axis < tile.size(); ++axis) {
    if (!reduced[axis] || tile[axis] == 0) continue;
    op.schedule.block[axis] = std::min(op.schedule.block[axis], tile[axis]);
    op.schedule.step[axis] = std::min(op.schedule.step[axis], op.schedule.block[axis]);
  }
  return op;
}

void split_products(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    if (!is_product(operation_at(plan.graph, v))) continue;
    std::optional<operation> partial = along_parts(plan.graph, v);
    if (!partial) partial = in_partial_products(operation_at(plan.graph, v));
    const axis_set reduced = partial->primitive->reduced();
    const index_t count = partial->schedule.blocks().size();
    if (partial->schedule.takes_all(reduced)) {
      context.leave(plan.graph, v, {"the program gives {op} no partial sums", "{} tasks", count});
      continue;
    }
    const std::vector<two_stages> folds = partial->primitive->in_stages();
    cut_at_once(plan.graph, v, *std::move(partial), folds);
    context.tell(plan.graph, v, [&] {
      return "is cut into " + with_commas(count) + " blocks, whose partial sums are added up";
    });
  }
}

}  // namespace tessera
