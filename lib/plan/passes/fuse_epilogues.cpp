// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/epilogue.hpp"

#include "plan/buffers.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/inlining.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// An operation that makes one array, which `reader` alone reads, as operand `made`.
struct pair {
  vertex maker;
  vertex array;
  vertex reader;
  std::size_t made;
};

/// Returns why what `reader` makes may not be made where its operand `made` is.
reason why_not(const array_graph& graph, const pair& two) {
  const operation& maker = operation_at(graph, two.maker);
  const operation& reader = operation_at(graph, two.reader);
  const planned_array& array = array_at(graph, two.array);
  if (!maker.body->takes_epilogue()) return "what makes it hands it on as it is";
  if (array.is_requested) return "what it reads is asked for";
  if (boost::out_degree(two.maker, graph) != 1) return "what it reads is made with other arrays";
  if (boost::out_degree(two.array, graph) != 1) return "others read what it reads";
  if (!reader.operands[two.made].is_identity() || reader.how.domain != array.shape) {
    return "it makes other elements than it reads";
  }
  // What is made element by element may be made in any chunks; a copy into others is for those who
  // stage it.
  if (maker.body->may_grow() && reader.body->num_steps() > 0) return nullptr;
  for (const vertex output : outputs_of(graph, two.reader)) {
    if (array_at(graph, output).chunks != array.chunks) return "it is stored in other chunks";
  }
  return nullptr;
}

/// Returns why what both do element by element is no matter of one operand after the other: a task
/// that holds all of them may compute the one on the way to the other.
reason why_not_in_turn(const array_graph& graph, const pair& two, const spec& limits) {
  if (operation_at(graph, two.maker).body->as_elementwise() == nullptr) return nullptr;
  const std::optional<candidate> at_once = inlined(graph, two.array, two.reader);
  if (!at_once) return "it sees across the parts of what it reads";
  const planned_operation planned =
      estimate(graph, at_once->what, at_once->inputs, outputs_of(graph, two.reader), limits);
  if (why_too_large(graph, *at_once, planned, two.array, two.reader, limits)) return nullptr;
  return "a task may hold all that both take";
}

/// Returns both as one operation; nothing where an operand is not seen from the maker's domain.
std::optional<candidate> fused(const array_graph& graph, const pair& two) {
  const operation& maker = operation_at(graph, two.maker);
  const operation& reader = operation_at(graph, two.reader);
  const output& made = maker.outputs.front();
  const index_map seen = to_made(maker.how.rank(), made);
  candidate both = candidate_at(graph, two.maker);
  both.what.name = reader.name;
  if (maker.body->may_grow()) both.what.how = reader.how;
  const few<vertex> inputs = inputs_of(graph, two.reader);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i == two.made) continue;
    const index_map& map = reader.operands[i];
    if (!is_seen_from_domain(map, made) || !can_compose(map, seen)) return std::nullopt;
    both.inputs.push_back(inputs[i]);
    both.what.operands.push_back(compose(map, seen));
  }
  both.what.body = std::make_shared<const epilogue>(maker.body, maker.operands.size(), reader.body,
                                                    two.made, inputs.size());
  both.what.outputs = both.what.body->outputs(both.what.how);
  return both;
}

/// Returns why both as one cost more than one after the other.
reason why_dearer(const array_graph& graph, const candidate& both, const pair& two,
                  const spec& limits) {
  const planned_operation maker = estimate(graph, two.maker, limits);
  const planned_operation reader = estimate(graph, two.reader, limits);
  const planned_operation one =
      estimate(graph, both.what, both.inputs, outputs_of(graph, two.reader), limits);
  const bytes read_before = maker.bytes_read + reader.bytes_read;
  if (one.bytes_read > read_before) return reads_more(one.bytes_read, read_before);
  return why_too_large(graph, both, one, two.array, two.reader, limits);
}

/// Takes `reader` into what makes one of its operands. Returns false, and sets `left` to why not,
/// where it cannot be.
bool fuse_one(array_graph& graph, vertex reader, const pass_context& context,
              std::vector<reason>& left) {
  const piece_list* const pieces = operation_at(graph, reader).body->as_elementwise();
  if (pieces == nullptr || pieces->size() != 1) return false;
  const few<vertex> inputs = inputs_of(graph, reader);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (boost::in_degree(inputs[i], graph) == 0) continue;
    const pair two{maker_of(graph, inputs[i]), inputs[i], reader, i};
    reason not_that = why_not(graph, two);
    if (not_that == nullptr) not_that = why_not_in_turn(graph, two, context.limits);
    std::optional<candidate> both;
    if (not_that == nullptr) {
      both = fused(graph, two);
      not_that = both ? why_dearer(graph, *both, two, context.limits)
                      : reason("an operand is not seen from where it is made");
    }
    if (not_that != nullptr) {
      left.push_back(not_that);
      continue;
    }
    put(graph, reader, std::move(*both));
    context.tell(graph, reader, [&] {
      return "is computed where '" + operation_at(graph, two.maker).name + "' makes its operand";
    });
    remove(graph, two.array);
    remove(graph, two.maker);
    return true;
  }
  return false;
}

}  // namespace

void fuse_epilogues(plan_graph& plan, const pass_context& context) {
  std::vector<reason> left;
  for (const vertex reader : operations_in_order(plan.graph)) {
    left.clear();
    if (fuse_one(plan.graph, reader, context, left)) continue;
    for (const reason& not_that : left) context.leave(plan.graph, reader, not_that);
  }
}

}  // namespace tessera
