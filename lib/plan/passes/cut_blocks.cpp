// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts blocks until a task keeps to the allowed memory.
///
/// Problem: a function of whole lines (a transform, a sort, a fold, a scan) needs its lines in one
/// task, but not all lines. Its natural block may exceed the allowed memory, or leave workers idle.
/// Idea: halve the longest free axis, neither reduced nor ordered, until a task fits:
///     block (1000, 1000)  ->  (500, 1000)  ->  (250, 1000)  ->  ...        axis 1 is reduced
/// Functions of blocks go on while tasks are few and smaller blocks read no more. Folds and scans
/// do not: `split_folds` and `cut_scans` choose their number of tasks. If all arrays between
/// operations are in storage, copies and maps into them are cut as well, and so are their chunks.
/// Small blocks cut the chunks of arrays. Outputs are then produced in chunks of one block, and
/// copied to the chunks that were requested. An input whose chunks would be read more than three
/// times over, or twice if the copy may be in memory, is first copied into chunks of the box that
/// one task reads, if that saves work.
/// Invariant: blocks along reduced and ordered axes stay as they are, the order of a fold is that
/// of its reference step (`fold_sink::reference_step`), and blocks of products are whole tiles
/// (`block_schedule::tile`), so that the bits stay.
/// The search is greedy: O(log(block)) steps, each prices one operation per input.

#include "tessera/core/chunk_grid.hpp"

#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/cut_operation.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"
#include "plan/tuning.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Tells whether `v` copies or maps elements into arrays between operations, which are all in
/// storage. It is cut for memory: its chunks may be the ones of a view, which no program has
/// chosen.
bool is_free_in_storage(const plan_graph& plan, vertex v) {
  const primitive& body = *operation_at(plan.graph, v).primitive;
  if (!plan.stores_all || !(is_copy(body) || body.as_elementwise() != nullptr)) return false;
  const small_vector<vertex> outputs = outputs_of(plan.graph, v);
  return std::all_of(outputs.begin(), outputs.end(),
                     [&plan](vertex output) { return array_at(plan.graph, output).is_open(); });
}

/// The search for the blocks of one operation of the graph.
class block_search {
 public:
  block_search(const plan_graph& plan, vertex v, const pass_context& context)
      : op_(operation_at(plan.graph, v)),
        is_for_memory_(is_cut_for_memory(op_) || is_free_in_storage(plan, v)),
        units_(units_of(op_)),
        limits_(context.limits),
        has_memory_(context.workers != nullptr),
        stores_all_(plan.stores_all),
        in_storage_(context.limits) {
    const array_graph& graph = plan.graph;
    in_storage_.allowed_memory = bytes{0};
    for (const vertex input : inputs_of(graph, v)) {
      arrays_.push_back(array_at(graph, input));
      inputs_.push_back(storage_of(arrays_.back(), array_use::read, limits_));
      stored_.push_back(storage_of(arrays_.back(), array_use::read, in_storage_));
      inputs_.back().array = stored_.back().array = input;
    }
    for (const vertex output : outputs_of(graph, v)) outputs_.push_back(array_at(graph, output));
  }

  /// Tells whether the operation stays as it is: it is cut for memory alone, and needs little.
  [[nodiscard]] bool is_settled() const {
    if (!is_for_memory_) return false;
    cut_operation now{op_, {}, std::vector<bool>(inputs_.size(), false), {}};
    now.planned = with_buffers(op_, inputs_, outputs_in_blocks(op_.schedule, limits_));
    return keeps_to_memory(now);
  }

  /// Returns the operation in the largest blocks that keep to the memory, or in the smallest blocks
  /// if none does. Blocks get smaller still, for more tasks, as long as that costs nothing, and
  /// no producer in it computes elements again.
  [[nodiscard]] cut_operation run() const {
    cut_operation best = cut_to_memory();
    if (is_for_memory_ || !keeps_to_memory(best)) return best;
    // The number is the same for any workers, so that a program has the same plan everywhere.
    const index_t wanted = worthwhile_tasks(op_, costs::many_workers);
    while (2 * best.planned.num_tasks <= wanted) {
      const std::optional<loop_schedule> schedule = halved(best.op.schedule);
      if (!schedule || !needs_no_copy(*schedule)) break;
      cut_operation cut = in_blocks(*schedule);
      if (cut.planned.bytes_read > best.planned.bytes_read || cut.is_copied != best.is_copied ||
          runs_of_producers(*cut.op.primitive, *schedule) > 1 || !is_worth(cut, best)) {
        break;
      }
      cut.is_for_memory = best.is_for_memory || reads_when_stored(cut) > reads_when_stored(best);
      if (cut.is_for_memory && !has_memory_) break;
      best = std::move(cut);
    }
    return best;
  }

 private:
  /// Returns the operation in the largest blocks that keep to the memory, or in blocks of the least
  /// memory. The first cut of a chunk may need a buffer that is larger than its saving.
  [[nodiscard]] cut_operation cut_to_memory() const {
    cut_operation best = in_blocks(op_.schedule);
    cut_operation cut = best;
    for (int in_vain = 0; !keeps_to_memory(best) && in_vain < tuning.most_cuts_in_vain; ++in_vain) {
      const std::optional<loop_schedule> schedule = halved(cut.op.schedule);
      if (!schedule) break;
      cut = in_blocks(*schedule);
      if (!keeps_to_memory(cut) && peak_of(cut) > peak_of(best) * (1 - tuning.least_memory_saving))
        continue;
      best = cut;
      in_vain = -1;
    }
    return best;
  }

  /// Returns the bytes of a task of `cut`, with arrays in storage if none may be in memory.
  [[nodiscard]] double peak_of(const cut_operation& cut) const {
    if (!stores_all_) return static_cast<double>(cut.planned.buffers.peak_bytes());
    const planned_operation stored =
        planned_when_stored(cut, outputs_in_blocks(cut.op.schedule, in_storage_));
    return static_cast<double>(stored.buffers.peak_bytes());
  }

  /// Returns half the block along `axis`, in whole units, and in whole steps if it has several.
  [[nodiscard]] index_t half_block(const loop_schedule& schedule, std::size_t axis) const {
    const index_t block = schedule.block[axis];
    const index_t step = schedule.step[axis];
    const index_t unit = step < block ? std::lcm(step, units_[axis]) : units_[axis];
    return ceil_divide(ceil_divide(block, 2), unit) * unit;
  }

  /// Returns the longest axis that may be cut, or `no_axis` if none can be cut.
  [[nodiscard]] std::size_t longest_axis(const loop_schedule& schedule) const {
    const axis_set fixed = op_.primitive->reduced() | schedule.ordered;
    std::size_t longest = no_axis;
    for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
      if (fixed[axis] || half_block(schedule, axis) >= schedule.block[axis]) continue;
      if (longest == no_axis || schedule.block[axis] > schedule.block[longest]) longest = axis;
    }
    return longest;
  }

  /// Returns `schedule` with its longest axis halved, or nullopt if none can be cut.
  [[nodiscard]] std::optional<loop_schedule> halved(loop_schedule schedule) const {
    schedule.block = clipped(schedule.block, schedule.domain);
    schedule.step = clipped(schedule.step, schedule.domain);
    const std::size_t longest = longest_axis(schedule);
    if (longest == no_axis) return std::nullopt;
    schedule.block[longest] = half_block(schedule, longest);
    schedule.step[longest] = std::min(schedule.step[longest], schedule.block[longest]);
    return schedule;
  }

  /// Tells whether blocks of `schedule` hold whole chunks of all outputs, so that none is copied.
  [[nodiscard]] bool needs_no_copy(const loop_schedule& schedule) const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const index_vector block = computed_extents(op_, i, schedule, outputs_[i]);
      const bool is_open = outputs_[i].is_open();
      if (!is_open && !holds_whole_chunks(block, outputs_[i].shape, outputs_[i].chunks))
        return false;
    }
    return true;
  }

  [[nodiscard]] std::vector<array_storage> outputs_in_blocks(const loop_schedule& schedule,
                                                             const spec& limits) const {
    std::vector<array_storage> outputs;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      planned_array output = outputs_[i];
      const index_vector block = computed_extents(op_, i, schedule, output);
      if (!holds_whole_chunks(block, output.shape, output.chunks)) {
        output.chunks = block;
        output.placement = open_placement{};
      }
      outputs.push_back(storage_of(output, array_use::write, limits));
    }
    return outputs;
  }

  /// Returns `cut` with the results of its producers in storage, and `outputs`.
  [[nodiscard]] planned_operation planned_when_stored(
      const cut_operation& cut, const std::vector<array_storage>& outputs) const {
    std::vector<array_storage> inputs = inputs_;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!cut.is_copied[i]) inputs[i] = stored_[i];
    }
    return with_buffers(cut.op, inputs, outputs);
  }
  [[nodiscard]] bytes reads_when_stored(const cut_operation& cut) const {
    return planned_when_stored(cut, outputs_in_blocks(cut.op.schedule, limits_)).bytes_read;
  }
  [[nodiscard]] bool keeps_to_memory(const cut_operation& cut) const {
    if (!stores_all_) return fits(cut.planned, limits_);
    return fits(planned_when_stored(cut, outputs_in_blocks(cut.op.schedule, in_storage_)), limits_);
  }

  /// Returns the operation in the blocks of `schedule`. An input is copied if that saves much.
  [[nodiscard]] cut_operation in_blocks(const loop_schedule& schedule) const {
    cut_operation cut{op_,
                      {},
                      std::vector<bool>(inputs_.size(), false),
                      std::vector<index_vector>(inputs_.size())};
    cut.op.schedule = schedule;
    const std::vector<array_storage> outputs = outputs_in_blocks(schedule, limits_);
    std::vector<array_storage> inputs = inputs_;
    cut.planned = with_buffers(cut.op, inputs, outputs);
    // Sweeps of `size_blocks` share the chunks that neighbouring blocks read.
    if (op_.primitive->can_sweep() && schedule == op_.schedule) return cut;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      // The axes of a map in front of a gather are not those of the array.
      const bool is_gathered = cut.op.operands[i].gather() != nullptr;
      if (inputs[i].medium != array_storage::kind::chunks || is_gathered) continue;
      if (!is_read_often(i, cut.planned)) continue;
      const std::optional<planned_array> copy = find_copy(i, cut.op);
      if (!copy) continue;
      const array_storage before =
          std::exchange(inputs[i], storage_of(*copy, array_use::read, limits_));
      planned_operation planned = with_buffers(cut.op, inputs, outputs);
      const bool is_in_memory = has_memory_ && inputs[i].medium == array_storage::kind::memory;
      if (saved_by(planned, cut.planned) >= least_saving_of_copy(i, is_in_memory) &&
          work_of(planned, limits_.costs) + least_work_of_copy(i, *copy, is_in_memory) <
              work_of(cut.planned, limits_.costs)) {
        cut.planned = std::move(planned);
        cut.is_copied[i] = true;
        cut.copied_chunks[i] = copy->chunks;
      } else {
        inputs[i] = before;
      }
    }
    return cut;
  }

  /// Tells whether `planned` reads operand `i` so often that a copy may save enough.
  [[nodiscard]] bool is_read_often(std::size_t i, const planned_operation& planned) const {
    const planned_operand& input = planned.inputs[i];
    const bool has_window =
        input.access == operand_access::gathered || input.access == operand_access::whole_chunk;
    return has_window &&
           planned.windows[input.window].bytes_read.count() >= 2 * arrays_[i].size().count();
  }

  /// Returns the bytes that a copy of operand `i` must save.
  [[nodiscard]] std::size_t least_saving_of_copy(std::size_t i, bool is_in_memory) const {
    const std::size_t size = arrays_[i].size().count();
    if (is_in_memory) return size;
    return (tuning.most_reads_of_chunk - 1) * size + 1;
  }

  [[nodiscard]] static std::size_t saved_by(const planned_operation& after,
                                            const planned_operation& before) {
    const std::size_t read = after.bytes_read.count();
    return before.bytes_read.count() > read ? before.bytes_read.count() - read : 0;
  }

  /// Returns the work of a copy of operand `i` that reads each chunk once: the lower bound that a
  /// rechunk of several stages approaches.
  [[nodiscard]] costs::seconds least_work_of_copy(std::size_t i, const planned_array& copy,
                                                  bool is_in_memory) const {
    const auto num_chunks = [&](const index_vector& chunks) {
      return static_cast<double>(chunk_grid(copy.shape, chunks).size());
    };
    const auto size = static_cast<double>(copy.size().count());
    const costs& figures = limits_.costs;
    const costs::seconds to_read = figures.to_read(size, num_chunks(arrays_[i].chunks));
    if (is_in_memory) {
      return to_read + costs::seconds{size / static_cast<double>(figures.memory_bandwidth.count())};
    }
    return to_read + figures.to_write(size, num_chunks(copy.chunks));
  }

  /// Returns operand `i` in chunks of the box that a task of `op` reads, halved until the task that
  /// copies to them fits; nullopt if a chunk of the operand alone does not fit.
  [[nodiscard]] std::optional<planned_array> find_copy(std::size_t i, const operation& op) const {
    planned_array copy{
        arrays_[i].type, arrays_[i].shape, taken_at_once(op, i, arrays_[i]), arrays_[i].name, {}};
    const auto is_too_large = [&] {
      return !fits(with_buffers(copy_operation(arrays_[i], copy.chunks), {inputs_[i]},
                                {storage_of(copy, array_use::write, limits_)}),
                   limits_);
    };
    while (is_too_large()) {
      const auto longest = std::ranges::max_element(copy.chunks);
      if (*longest <= 1) return std::nullopt;
      *longest = ceil_divide(*longest, 2);
    }
    return copy;
  }

  const operation& op_;
  /// Whether smaller blocks are for memory alone.
  bool is_for_memory_;
  /// The units in which its blocks are cut.
  index_vector units_;
  const spec& limits_;
  /// Whether intermediate arrays may be in memory.
  bool has_memory_;
  /// Whether no intermediate array is in memory.
  bool stores_all_;
  /// Limits by which no array is in memory.
  spec in_storage_;
  std::vector<planned_array> arrays_;
  std::vector<array_storage> inputs_;
  /// `inputs_`, with arrays of open placement in storage.
  std::vector<array_storage> stored_;
  std::vector<planned_array> outputs_;
};

/// Gives the outputs of `v` chunks of one block, and adds copies into the requested chunks.
void make_chunks(plan_graph& plan, vertex v, const pass_context& context) {
  const operation& op = operation_at(plan.graph, v);
  const small_vector<vertex> outputs = outputs_of(plan.graph, v);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    planned_array& output = array_at(plan.graph, outputs[i]);
    const index_vector block = computed_extents(op, i, op.schedule, output);
    if (holds_whole_chunks(block, output.shape, output.chunks)) continue;
    context.note_change();
    const std::size_t serial = plan.graph[outputs[i]].serial;
    const bool keeps_chunks = std::ranges::find(plan.rechunked, serial) != plan.rechunked.end();
    if (output.is_open() && !keeps_chunks) {
      output.chunks = block;
      continue;
    }
    const vertex between =
        add_array(plan.graph, {output.type, output.shape, block, output.name, {}});
    remove_output(plan.graph, v, outputs[i]);
    add_output(plan.graph, v, between, i);
    add_operation(plan.graph, copy_operation(output, output.chunks), {between}, {outputs[i]});
  }
}

/// Reports the blocks that were found for the operation `v`, or that its present blocks stay.
void report(const plan_graph& plan, vertex v, const cut_operation& cut,
            const pass_context& context) {
  const operation& op = operation_at(plan.graph, v);
  if (cut.op.schedule == op.schedule) {
    const char* const rule =
        fits(cut.planned, context.limits)
            ? "a task of {op} in its present blocks keeps to the allowed memory"
            : "smaller blocks of {op} need no less memory";
    context.leave(plan.graph, v,
                  {rule, "{} of {}", task_memory(cut.planned, context.limits),
                   context.limits.allowed_memory});
    return;
  }
  context.tell(plan.graph, v, [&] {
    return fmt::format("blocks of {} in place of {}: a task takes {} of {}",
                       format_shape(cut.op.schedule.block), format_shape(op.schedule.block),
                       format_short(task_memory(cut.planned, context.limits)),
                       format_short(context.limits.allowed_memory));
  });
}

}  // namespace

void cut_blocks(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    const operation& op = operation_at(plan.graph, v);
    if (!op.primitive->may_shrink() && !is_cut_for_memory(op) && !is_free_in_storage(plan, v)) {
      continue;
    }
    const block_search search(plan, v, context);
    if (search.is_settled()) continue;
    cut_operation cut = search.run();
    report(plan, v, cut, context);
    operation_at(plan.graph, v).schedule = cut.op.schedule;
    small_vector<vertex> inputs = inputs_of(plan.graph, v);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      planned_array& array = array_at(plan.graph, inputs[i]);
      const bool is_held = array.is_open() && array.size() <= context.limits.allowed_memory;
      if (cut.is_for_memory && is_held && !cut.is_copied[i]) {
        array.is_for_memory = true;
        context.note_change();
      }
      if (!cut.is_copied[i]) continue;
      const index_vector& chunks = cut.copied_chunks[i];
      context.tell(plan.graph, v, [&] {
        return fmt::format("reads '{}' from a copy in chunks of {}",
                           array_at(plan.graph, inputs[i]).name, format_shape(chunks));
      });
      inputs[i] = add_copy(plan.graph, inputs[i], chunks);
    }
    // New edges come last in the order of the inputs, which later passes follow.
    if (std::ranges::find(cut.is_copied, true) != cut.is_copied.end()) {
      set_inputs(plan.graph, v, inputs);
    }
    make_chunks(plan, v, context);
  }
}

}  // namespace tessera
