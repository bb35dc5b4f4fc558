// SPDX-License-Identifier: Apache-2.0
/// \file
/// Enlarges the blocks of tasks, or lets tasks sweep along an axis, so that chunks are read once.
///
/// Problem: if chunks of inputs and blocks of outputs do not align, or blocks have halos, several
/// tasks read the same chunk. A larger block reads it once, but needs more memory, and leaves fewer
/// tasks for the workers.
/// Idea: two kinds of schedules are priced by the cost model.
///     larger blocks           sweeps along axis 1
///     +-------+-------+       +---->---->---->+     One task takes block after block along the
///     |       |       |       +---->---->---->+     axis, and keeps the halo in between. It is cut
///     +-------+-------+       +---->---->---->+     into shorter sweeps while tasks are few.
/// Lengths that are tried double the block, or are multiples of it and of a chunk of an operand:
/// there, blocks and chunks end together.
/// Invariant: a task keeps to the allowed memory; a new schedule saves a tenth of the cost, or of
/// the reads and a little of the cost; blocks along reduced axes stay as they are.
/// The search is greedy, one axis at a time: O(axes * log(domain / block)) prices a round.

#include "core/api/element_count.hpp"
#include "core/api/wide_integer.hpp"
#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/parts.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"
#include "plan/stored_reads.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// Tells whether the elements of a step can be counted: a product may have too many.
bool is_countable(const loop_schedule& schedule) {
  return element_count(schedule.step) < static_cast<double>(greatest_index);
}

/// The prices of one operation in other schedules.
class schedule_search {
 public:
  schedule_search(const array_graph& graph, const operation& op, small_vector<vertex> inputs,
                  small_vector<vertex> outputs, const spec& limits)
      : graph_(graph),
        limits_(limits),
        op_(op),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  /// A schedule that keeps to the memory, with the seconds of its reads, the seconds of its
  /// copies of chunks, and its merit: the lower, the better.
  struct priced_schedule {
    loop_schedule schedule;
    double reads = 0;
    double copies = 0;
    double merit = 0;
    index_t num_tasks = 0;
    /// Whether a task takes longer than `spec.task_time`.
    bool is_long = false;
    bytes bytes_read{};
  };

  /// Returns the number of workers that the operation is planned for.
  [[nodiscard]] index_t num_workers() const {
    return static_cast<index_t>(limits_.costs.num_workers());
  }

  /// Returns the price of `schedule`, or nullopt if a task needs too much memory.
  [[nodiscard]] std::optional<priced_schedule> price(const loop_schedule& schedule) const {
    if (!is_countable(schedule)) return std::nullopt;
    operation op = op_;
    op.schedule = schedule;
    const planned_operation planned = estimate(graph_, std::move(op), inputs_, outputs_, limits_);
    if (!fits(planned, limits_)) return std::nullopt;
    const plan_cost cost = cost_of(planned, limits_.costs, limits_.costs.num_workers());
    return priced_schedule{.schedule = schedule,
                           .reads = time_to_read(planned),
                           .copies = time_to_copy(planned),
                           .merit = cost.merit(),
                           .num_tasks = planned.num_tasks,
                           .is_long = has_long_tasks(cost, limits_),
                           .bytes_read = planned.bytes_read};
  }

  /// Tells whether each step reads one chunk of each array, and no chunk is read by two steps.
  [[nodiscard]] bool reads_once(const loop_schedule& schedule) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const index_map& map = op_.operands[i];
      const array_storage array =
          storage_of(array_at(graph_, inputs_[i]), array_use::read, limits_);
      if (array.medium != array_storage::kind::chunks ||
          !reads_whole_chunks(schedule, map, array)) {
        return false;
      }
      for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
        if (!map.depends_on(axis) && schedule.step[axis] < schedule.domain[axis]) return false;
      }
    }
    return true;
  }

  /// Returns the time to read every chunk once; 0 if no step could be counted.
  [[nodiscard]] double least_time_to_read() const {
    operation resized = op_;
    loop_schedule& schedule = resized.schedule;
    const axis_set reduced = op_.primitive->reduced();
    for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
      // A fold that is cut along a reduced axis has other outputs than a whole fold.
      if (reduced[axis] && schedule.block[axis] < schedule.domain[axis]) continue;
      schedule.step[axis] = schedule.block[axis] = std::max<index_t>(1, schedule.domain[axis]);
    }
    if (!is_countable(schedule)) return 0;
    return time_to_read(estimate(graph_, std::move(resized), inputs_, outputs_, limits_));
  }

  [[nodiscard]] const operation& op() const { return op_; }

  /// Tells whether an input is distributed: each process then keeps to its own part.
  [[nodiscard]] bool reads_parts() const {
    return std::any_of(inputs_.begin(), inputs_.end(), [this](vertex input) {
      return parts_of(array_at(graph_, input)) != nullptr;
    });
  }

  /// Returns the lengths along `axis` to try, in ascending order: the block doubled repeatedly, and
  /// the common multiples of the block and the chunks of an operand.
  [[nodiscard]] std::vector<index_t> lengths_to_try(const loop_schedule& schedule,
                                                    std::size_t axis) const {
    const index_t block = schedule.block[axis];
    const index_t longest = ceil_divide(schedule.domain[axis], block) * block;
    std::vector<index_t> lengths{longest};
    for (index_t length = block; length < longest; length *= 2) lengths.push_back(length);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (op_.operands[i].gather() != nullptr) continue;
      const index_vector& chunks = array_at(graph_, inputs_[i]).chunks;
      for (std::size_t k = 0; k < chunks.size(); ++k) {
        const axis_term* const term = op_.operands[i][k].only_term();
        if (term == nullptr || term->axis != axis || chunks[k] > longest) continue;
        const index_t common = std::lcm(block, chunks[k]);
        for (index_t length = common; length < longest; length *= 2) lengths.push_back(length);
      }
    }
    std::ranges::sort(lengths);
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    lengths.erase(lengths.begin(), std::ranges::upper_bound(lengths, block));
    return lengths;
  }

 private:
  /// Returns the seconds in which one worker reads the inputs of all tasks.
  [[nodiscard]] double time_to_read(const planned_operation& planned) const {
    return limits_.costs
        .to_read(static_cast<double>(planned.bytes_read.count()),
                 static_cast<double>(planned.chunk_reads))
        .count();
  }

  /// Returns the seconds in which one worker copies chunks out of wider results.
  [[nodiscard]] double time_to_copy(const planned_operation& planned) const {
    double copied = 0;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (planned.outputs[i].access != output_access::many_chunks) continue;
      const planned_array& array = array_at(graph_, outputs_[i]);
      const index_vector held = planned.op.outputs[i].extents_of(planned.op.schedule.sweep());
      if (!lie_one_by_one(array.chunks, held)) copied += static_cast<double>(array.size().count());
    }
    // Each byte is read and written.
    return 2 * copied / static_cast<double>(limits_.costs.memory_bandwidth.count());
  }

  const array_graph& graph_;
  const spec& limits_;
  const operation& op_;
  small_vector<vertex> inputs_;
  small_vector<vertex> outputs_;
};

using priced_schedule = schedule_search::priced_schedule;

/// Returns `schedule` in blocks of `length` along `axis`.
loop_schedule with_length(const schedule_search& search, loop_schedule schedule, std::size_t axis,
                          index_t length) {
  if (schedule.ordered[axis]) {
    schedule.block[axis] = length;
  } else {
    lengthen(schedule, *search.op().primitive, axis, length);
  }
  return schedule;
}

/// Tells whether `a` clearly costs less than `b`, or a little less with clearly fewer reads.
bool is_cheaper(const priced_schedule& a, const priced_schedule& b) {
  const bool reads_less = a.reads < b.reads * (1 - tuning.least_saving_of_blocks);
  return a.merit < b.merit * (1 - (reads_less ? tuning.least_gain : tuning.least_saving_of_blocks));
}

/// Returns the cheapest schedule with one axis enlarged; nullopt if no axis clearly helps.
std::optional<priced_schedule> grow_blocks(const schedule_search& search,
                                           const priced_schedule& from) {
  std::optional<priced_schedule> best;
  for (std::size_t axis = 0; axis < from.schedule.rank(); ++axis) {
    if (search.op().primitive->reduced()[axis]) continue;
    for (const index_t length : search.lengths_to_try(from.schedule, axis)) {
      const std::optional<priced_schedule> larger =
          search.price(with_length(search, from.schedule, axis, length));
      if (!larger || larger->is_long) break;
      if (is_cheaper(*larger, best ? *best : from)) best = larger;
    }
  }
  return best;
}

/// Returns `schedule` with its sweeps along `axis` halved; again, while there are far fewer tasks
/// than workers.
loop_schedule with_shorter_sweeps(const schedule_search& search, loop_schedule schedule,
                                  std::size_t axis) {
  const index_t step = schedule.step[axis];
  do {
    const index_t length = std::min(schedule.block[axis], schedule.domain[axis]);
    const index_t half = ceil_divide(ceil_divide(length, step), 2) * step;
    schedule = with_length(search, std::move(schedule), axis, half);
  } while (schedule.block[axis] > step && 2 * schedule.blocks().size() < search.num_workers());
  return schedule;
}

/// Cuts the sweeps along `axis` while tasks are long or the merit falls.
priced_schedule cut_sweeps(const schedule_search& search, priced_schedule whole, std::size_t axis) {
  while (whole.schedule.block[axis] > whole.schedule.step[axis]) {
    const std::optional<priced_schedule> cut =
        search.price(with_shorter_sweeps(search, whole.schedule, axis));
    if (!cut || cut->num_tasks <= whole.num_tasks) break;
    if (!whole.is_long && cut->merit >= whole.merit) break;
    whole = *cut;
  }
  return whole;
}

/// Returns the sweep along `axis`, with blocks across it enlarged until reads are at most
/// `enough_reads`; nullopt if none keeps to the memory.
std::optional<priced_schedule> sweep_along(const schedule_search& search, const loop_schedule& from,
                                           std::size_t axis, index_t wanted_tasks,
                                           double enough_reads) {
  loop_schedule schedule = from;
  schedule.ordered.set(axis);
  schedule.block[axis] =
      ceil_divide(schedule.domain[axis], schedule.step[axis]) * schedule.step[axis];
  std::optional<priced_schedule> best = search.price(schedule);
  while (best && best->reads > enough_reads) {
    std::optional<priced_schedule> wider;
    for (std::size_t across = 0; across < schedule.rank(); ++across) {
      if (across == axis || search.op().primitive->reduced()[across]) continue;
      if (best->schedule.block[across] >= schedule.domain[across]) continue;
      const loop_schedule broader =
          with_length(search, best->schedule, across, 2 * best->schedule.block[across]);
      if (broader.blocks().size() < wanted_tasks) continue;
      const std::optional<priced_schedule> tried = search.price(broader);
      if (!tried || tried->is_long) continue;
      if (tried->reads < (wider ? wider->reads : best->reads)) wider = tried;
    }
    if (!wider) break;
    best = wider;
  }
  if (best) best = cut_sweeps(search, *best, axis);
  return best;
}

/// Returns the sweep, along any axis, that reads clearly less than `from`; nullopt if none does.
std::optional<priced_schedule> find_sweep(const schedule_search& search,
                                          const priced_schedule& from) {
  const axis_set reduced = search.op().primitive->reduced();
  const double enough_reads = search.least_time_to_read() * (1 + tuning.most_read_again_in_sweeps);
  const index_t wanted = std::min(from.num_tasks, search.num_workers());
  std::optional<priced_schedule> best;
  for (std::size_t axis = 0; axis < from.schedule.rank(); ++axis) {
    if (reduced[axis] || from.schedule.block[axis] >= from.schedule.domain[axis]) continue;
    // A sweep emits whole chunks of the outputs.
    if (from.schedule.step[axis] < from.schedule.block[axis]) continue;
    const std::optional<priced_schedule> tried =
        sweep_along(search, from.schedule, axis, wanted, enough_reads);
    if (!tried || tried->num_tasks < wanted) continue;
    if (tried->reads >= from.reads * (1 - tuning.least_saving_of_blocks)) continue;
    if (!best || tried->reads + tried->copies < best->reads + best->copies) best = tried;
  }
  return best;
}

reason check_applicable(const operation& op) {
  if (op.schedule.ordered.any()) return "{op} visits its axes in a fixed order";
  if (may_grow(op) || op.primitive->can_sweep()) return nullptr;
  return "the primitive of {op} computes other elements in larger blocks";
}

/// Tells whether no schedule could read clearly less than `now`.
bool reads_little(const schedule_search& search, const priced_schedule& now) {
  return search.reads_once(now.schedule) ||
         now.reads * (1 - tuning.least_saving_of_blocks) <= search.least_time_to_read();
}

reason explain_refusal(const schedule_search& search, const priced_schedule& now,
                       const spec& limits) {
  if (reads_little(search, now)) {
    return {"{op} reads few chunks twice", "{} read", now.bytes_read};
  }
  return {"no blocks of {op} that fit are clearly cheaper", "{} read, and tasks may have {}",
          now.bytes_read, limits.allowed_memory};
}

/// Returns a schedule that reads clearly less than `now`, or nullopt if there is none.
std::optional<priced_schedule> find_better(const schedule_search& search,
                                           const priced_schedule& now) {
  const primitive& body = *search.op().primitive;
  if (reads_little(search, now)) return std::nullopt;
  std::optional<priced_schedule> best;
  // Only maps and folds may choose an order; scans have their own.
  const bool may_be_ordered = body.may_grow() || body.reduced().any();
  if (body.can_sweep() && may_be_ordered && !search.reads_parts()) {
    best = find_sweep(search, now);
    if (best && best->merit >= now.merit) best.reset();
  }
  const bool has_many_views = search.op().operands.size() > tuning.most_compared_operands;
  if (best && (has_many_views || reads_little(search, *best))) return best;
  if (may_grow(search.op())) {
    std::optional<priced_schedule> larger = grow_blocks(search, now);
    while (larger) {
      if (!best || larger->merit < best->merit) best = larger;
      larger = grow_blocks(search, *larger);
    }
  }
  return best;
}

/// Returns the schedule of `op` with one step for the whole block, but for axes that the primitive
/// takes in steps.
loop_schedule in_whole_blocks(const operation& op) {
  loop_schedule schedule = op.schedule;
  const axis_set steps = op.primitive->in_steps(schedule);
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    if (!steps[axis]) schedule.step[axis] = schedule.block[axis];
  }
  return schedule;
}

}  // namespace

loop_schedule schedule_when_sized(const array_graph& graph, const operation& op,
                                  const small_vector<vertex>& inputs,
                                  const small_vector<vertex>& outputs, const spec& limits) {
  if (is_search_over(graph) || op.operands.size() > tuning.most_sized_operands) return op.schedule;
  const schedule_search search(graph, op, inputs, outputs, limits);
  const std::optional<priced_schedule> now = search.price(in_whole_blocks(op));
  if (!now || check_applicable(op)) return op.schedule;
  const std::optional<priced_schedule> better = find_better(search, *now);
  return better ? better->schedule : op.schedule;
}

void size_blocks(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    operation& op = operation_at(plan.graph, v);
    if (const reason refusal = check_applicable(op)) {
      context.leave(plan.graph, v, refusal);
      continue;
    }
    if (is_search_over(plan.graph)) {
      context.leave(plan.graph, v, search_is_over);
      continue;
    }
    // No read can be saved; the refusal is worked out only for an explanation.
    if (context.entry == nullptr && !may_read_chunks(plan.graph, v, context.limits)) continue;
    const schedule_search search(plan.graph, op, inputs_of(plan.graph, v),
                                 outputs_of(plan.graph, v), context.limits);
    const loop_schedule schedule = in_whole_blocks(op);
    if (context.entry == nullptr && search.reads_once(schedule)) continue;
    const std::optional<priced_schedule> now = search.price(schedule);
    if (!now) {
      context.leave(plan.graph, v, [&]() -> reason {
        return {"a task of {op} in its present blocks needs too much memory",
                "more than the allowed {} (spec.allowed_memory)", context.limits.allowed_memory};
      });
    } else if (const std::optional<priced_schedule> better = find_better(search, *now)) {
      context.tell(plan.graph, v, [&] {
        return fmt::format("blocks of {} in steps of {} in place of {}: {} read in place of {}",
                           format_shape(better->schedule.block),
                           format_shape(better->schedule.step), format_shape(op.schedule.block),
                           format_short(better->bytes_read), format_short(now->bytes_read));
      });
      op.schedule = better->schedule;
    } else {
      context.leave(plan.graph, v, [&] { return explain_refusal(search, *now, context.limits); });
    }
  }
}

}  // namespace tessera
