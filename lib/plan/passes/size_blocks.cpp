// SPDX-License-Identifier: Apache-2.0

#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/parts.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"
#include "plan/stored_reads.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// A larger block must save at least this share of the reads, or it is not worth its memory.
constexpr double least_saving = 0.1;

/// What is read again, of what is read at all, so that there are more tasks.
constexpr double most_read_again = 0.25;

/// So many tasks must be left, where there were as many; so many are worth that; and more are worth
/// very little.
constexpr index_t least_tasks = 8;
constexpr index_t many_tasks = 32;
constexpr index_t most_tasks = 256;
constexpr double very_little = 0.02;

/// An operation on arrays of the graph, and what it costs in other walks.
class candidate_walks {
 public:
  candidate_walks(const array_graph& graph, const operation& what, few<vertex> inputs,
                  few<vertex> outputs, const spec& limits)
      : graph_(graph),
        limits_(limits),
        what_(what),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  /// A walk that keeps to the memory, and what it costs: what is read then, in seconds, and what is
  /// less for a better one.
  struct priced {
    walk how;
    double reads = 0;
    double merit = 0;
    index_t num_tasks = 0;
    bytes bytes_read{};
  };

  /// Returns what `how` costs; nothing where a task would need too much memory.
  [[nodiscard]] std::optional<priced> price(const walk& how) const {
    operation changed = what_;
    changed.how = how;
    const planned_operation planned =
        estimate(graph_, std::move(changed), inputs_, outputs_, limits_);
    if (!fits(planned, limits_)) return std::nullopt;
    const plan_cost cost = cost_of(planned, limits_.costs, limits_.costs.num_workers());
    return priced{.how = how,
                  .reads = reads_of(planned),
                  .merit = cost.merit(),
                  .num_tasks = planned.num_tasks,
                  .bytes_read = planned.bytes_read};
  }

  /// Tells whether each step reads one chunk of each array, which no other step reads.
  [[nodiscard]] bool reads_once(const walk& how) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const index_map& map = what_.operands[i];
      const array_storage array =
          storage_of(array_at(graph_, inputs_[i]), array_use::read, limits_);
      if (array.how != array_storage::kind::chunks || !reads_whole_chunks(how, map, array)) {
        return false;
      }
      for (std::size_t axis = 0; axis < how.rank(); ++axis) {
        if (!map.depends_on(axis) && how.stream[axis] < how.domain[axis]) return false;
      }
    }
    return true;
  }

  /// Returns what is read where nothing is read twice.
  [[nodiscard]] double least_reads() const {
    operation changed = what_;
    walk& how = changed.how;
    const axis_set reduced = what_.body->reduced();
    for (std::size_t axis = 0; axis < how.rank(); ++axis) {
      // A fold that is cut along an axis makes other outputs than one that is not.
      if (reduced[axis] && how.block[axis] < how.domain[axis]) continue;
      how.stream[axis] = how.block[axis] = std::max<index_t>(1, how.domain[axis]);
    }
    return reads_of(estimate(graph_, std::move(changed), inputs_, outputs_, limits_));
  }

  [[nodiscard]] const operation& what() const { return what_; }

  /// Tells whether an array lies in the memory of several processes, who keep to their parts.
  [[nodiscard]] bool reads_parts() const {
    return std::any_of(inputs_.begin(), inputs_.end(), [this](vertex input) {
      return parts_of(array_at(graph_, input)) != nullptr;
    });
  }

  /// Returns the lengths along `axis` that are worth a try, in ascending order: multiples of the
  /// block that double, and those at which blocks and the chunks of an operand end together.
  [[nodiscard]] std::vector<index_t> lengths_to_try(const walk& how, std::size_t axis) const {
    const index_t block = how.block[axis];
    const index_t longest = ceil_divide(how.domain[axis], block) * block;
    std::vector<index_t> lengths;
    for (index_t length = block; length < longest; length *= 2) lengths.push_back(length);
    lengths.push_back(longest);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (what_.operands[i].behind() != nullptr) continue;
      const index_vector& chunks = array_at(graph_, inputs_[i]).chunks;
      for (std::size_t k = 0; k < chunks.size(); ++k) {
        const axis_term* const term = what_.operands[i][k].only_term();
        if (term == nullptr || term->axis != axis || chunks[k] > longest) continue;
        const index_t common = std::lcm(block, chunks[k]);
        for (index_t length = common; length < longest; length *= 2) lengths.push_back(length);
      }
    }
    std::sort(lengths.begin(), lengths.end());
    std::erase_if(lengths, [block](index_t length) { return length <= block; });
    return lengths;
  }

 private:
  /// Returns the seconds in which one worker reads what all tasks read.
  [[nodiscard]] double reads_of(const planned_operation& planned) const {
    return limits_.costs
        .to_read(static_cast<double>(planned.bytes_read.count()),
                 static_cast<double>(planned.chunk_reads))
        .count();
  }

  const array_graph& graph_;
  const spec& limits_;
  const operation& what_;
  few<vertex> inputs_;
  few<vertex> outputs_;
};

using priced = candidate_walks::priced;

/// Returns `how` in blocks of `length` along `axis`.
walk with_length(const candidate_walks& walks, walk how, std::size_t axis, index_t length) {
  if (how.ordered[axis]) {
    how.block[axis] = length;
  } else {
    lengthen(how, *walks.what().body, axis, length);
  }
  return how;
}

/// Returns the walk in larger blocks that costs clearly least; none if no axis helps.
std::optional<priced> in_larger_blocks(const candidate_walks& walks, const priced& from) {
  std::optional<priced> best;
  double least = from.merit * (1 - least_saving);
  for (std::size_t axis = 0; axis < from.how.rank(); ++axis) {
    for (const index_t length : walks.lengths_to_try(from.how, axis)) {
      const std::optional<priced> larger = walks.price(with_length(walks, from.how, axis, length));
      if (!larger) break;
      if (larger->merit >= least) continue;
      least = larger->merit * (1 - least_saving);
      best = larger;
    }
  }
  return best;
}

/// Cuts the way of tasks along `axis` for as long as there are too few, or more cost little, or
/// less, as more workers have one.
priced in_segments(const candidate_walks& walks, priced whole, std::size_t axis, double few_reads) {
  const double least = whole.reads;
  const auto is_worth = [&](const priced& cut) {
    if (cut.num_tasks <= whole.num_tasks) return false;
    if (whole.num_tasks < least_tasks || cut.merit < whole.merit) return true;
    return cut.reads <= (whole.num_tasks < many_tasks ? few_reads : least * (1 + very_little));
  };
  while (whole.num_tasks < most_tasks && whole.how.block[axis] > whole.how.stream[axis]) {
    const index_t stream = whole.how.stream[axis];
    const index_t length = std::min(whole.how.block[axis], whole.how.domain[axis]);
    const index_t half = ceil_divide(ceil_divide(length, stream), 2) * stream;
    const std::optional<priced> cut = walks.price(with_length(walks, whole.how, axis, half));
    if (!cut || !is_worth(*cut)) break;
    whole = *cut;
  }
  return whole;
}

/// Returns the walk along `axis` in order that reads little, with blocks across that are as large
/// as that takes; nothing where none keeps to the memory.
std::optional<priced> in_order(const candidate_walks& walks, const walk& from, std::size_t axis,
                               index_t wanted_tasks, double few_reads) {
  walk how = from;
  how.ordered.set(axis);
  how.block[axis] = ceil_divide(how.domain[axis], how.stream[axis]) * how.stream[axis];
  std::optional<priced> best = walks.price(how);
  while (best && best->reads > few_reads) {
    std::optional<priced> wider;
    for (std::size_t across = 0; across < how.rank(); ++across) {
      if (across == axis || walks.what().body->reduced()[across]) continue;
      if (best->how.block[across] >= how.domain[across]) continue;
      const std::optional<priced> tried =
          walks.price(with_length(walks, best->how, across, 2 * best->how.block[across]));
      if (!tried || tried->num_tasks < wanted_tasks) continue;
      if (tried->reads < (wider ? wider->reads : best->reads)) wider = tried;
    }
    if (!wider) break;
    best = wider;
  }
  if (best) best = in_segments(walks, *best, axis, few_reads);
  return best;
}

/// Returns the walk in order, along whichever axis, that reads clearly less than `from`; none if
/// there is none.
std::optional<priced> in_some_order(const candidate_walks& walks, const priced& from) {
  const axis_set reduced = walks.what().body->reduced();
  const double few_reads = walks.least_reads() * (1 + most_read_again);
  const index_t wanted = std::min(from.num_tasks, least_tasks);
  std::optional<priced> best;
  for (std::size_t axis = 0; axis < from.how.rank(); ++axis) {
    if (reduced[axis] || from.how.block[axis] >= from.how.domain[axis]) continue;
    // What leaves with a leg are whole chunks.
    if (from.how.stream[axis] < from.how.block[axis]) continue;
    const std::optional<priced> tried = in_order(walks, from.how, axis, wanted, few_reads);
    if (!tried || tried->num_tasks < wanted) continue;
    if (tried->reads < (best ? best->reads : from.reads * (1 - least_saving))) best = tried;
  }
  return best;
}

reason why_not_otherwise(const operation& what) {
  const primitive& body = *what.body;
  if (what.how.ordered.any()) return "its order is part of what it does";
  if (body.may_grow() || body.walks_in_order()) return nullptr;
  return "larger blocks would make something else";
}

/// Tells whether no walk could read clearly less than `now`.
bool reads_little(const candidate_walks& walks, const priced& now) {
  return walks.reads_once(now.how) || now.reads * (1 - least_saving) <= walks.least_reads();
}

reason why_as_they_are(const candidate_walks& walks, const priced& now) {
  return reads_little(walks, now) ? "few chunks are read twice"
                                  : "no blocks that fit cost clearly less";
}

/// Returns the walk in which `v` reads clearly less; none if there is none.
std::optional<priced> better_walk(const candidate_walks& walks, const priced& now) {
  const primitive& body = *walks.what().body;
  if (reads_little(walks, now)) return std::nullopt;
  std::optional<priced> best;
  // What is neither folded nor made element by element, as scans, has its order already.
  const bool may_be_ordered = body.may_grow() || body.reduced().any();
  if (body.walks_in_order() && may_be_ordered && !walks.reads_parts()) {
    best = in_some_order(walks, now);
    if (best && best->merit >= now.merit) best.reset();
  }
  if (!best && body.may_grow()) {
    std::optional<priced> larger = in_larger_blocks(walks, now);
    while (larger) {
      best = larger;
      larger = in_larger_blocks(walks, *best);
    }
  }
  return best;
}

/// Returns how an operation walks, with a task's block as one step along the axes that it keeps.
walk in_whole_blocks(const operation& what) {
  walk how = what.how;
  const axis_set steps = what.body->in_steps(how);
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (!steps[axis]) how.stream[axis] = how.block[axis];
  }
  return how;
}

}  // namespace

walk walk_when_sized(const array_graph& graph, const operation& what, const few<vertex>& inputs,
                     const few<vertex>& outputs, const spec& limits) {
  if (is_search_over(graph)) return what.how;
  const candidate_walks walks(graph, what, inputs, outputs, limits);
  const std::optional<priced> now = walks.price(in_whole_blocks(what));
  if (!now || why_not_otherwise(what)) return what.how;
  const std::optional<priced> found = better_walk(walks, *now);
  return found ? found->how : what.how;
}

void size_blocks(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    operation& what = operation_at(plan.graph, v);
    if (const reason why_not = why_not_otherwise(what)) {
      context.leave(plan.graph, v, why_not);
      continue;
    }
    if (is_search_over(plan.graph)) {
      context.leave(plan.graph, v, search_is_over);
      continue;
    }
    // Nothing can be read less often; why it is left is found out where somebody asks.
    if (context.entry == nullptr && !may_read_chunks(plan.graph, v, context.limits)) continue;
    const candidate_walks walks(plan.graph, what, inputs_of(plan.graph, v),
                                outputs_of(plan.graph, v), context.limits);
    const walk how = in_whole_blocks(what);
    if (context.entry == nullptr && walks.reads_once(how)) continue;
    const std::optional<priced> now = walks.price(how);
    if (!now) {
      context.leave(plan.graph, v, "a task needs too much memory as it is");
    } else if (const std::optional<priced> found = better_walk(walks, *now)) {
      context.tell(plan.graph, v, [&] {
        return fmt::format("blocks of {} in steps of {} for {}: {} read in place of {}",
                           format_shape(found->how.block), format_shape(found->how.stream),
                           format_shape(what.how.block), format_short(found->bytes_read),
                           format_short(now->bytes_read));
      });
      what.how = found->how;
    } else {
      context.leave(plan.graph, v, [&] { return why_as_they_are(walks, *now); });
    }
  }
}

}  // namespace tessera
