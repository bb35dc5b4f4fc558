// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/chunk_grid.hpp"

#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Chunks that are read more often than this are copied to others first.
constexpr std::size_t most_reads = 3;

/// Returns how many elements a task of `what` takes of all operands.
double taken_by_task(const operation& what) {
  const region first{index_vector(what.how.rank()), clipped(what.how.block, what.how.domain)};
  double elements = 0;
  for (const index_map& map : what.operands) {
    elements += static_cast<double>(num_elements(map.image(first).shape()));
  }
  return elements;
}

/// An operation in other blocks, with what must change around it for these.
struct cut_operation {
  operation what;
  planned_operation planned;
  /// Which operands are read from a copy, and its chunks: what a task takes of them, or a part.
  std::vector<bool> is_copied;
  std::vector<index_vector> copied_chunks;
  /// Whether it would read more if what operations make for it were not in memory.
  bool is_for_memory = false;
};

/// Tells whether more tasks are worth what they take: not much more in all, or there are few of
/// them, or each uses what it takes very often, as large products of matrices do.
bool is_worth(const cut_operation& cut, const cut_operation& from) {
  constexpr double not_much = 1.25;
  constexpr index_t few_tasks = 16;
  constexpr double very_often = 512;
  const auto taken_by_all = [](const cut_operation& one) {
    return taken_by_task(one.what) * static_cast<double>(one.planned.num_tasks);
  };
  if (taken_by_all(cut) <= not_much * taken_by_all(from)) return true;
  if (cut.planned.num_tasks <= few_tasks) return true;
  double elements = 1;
  for (const index_t extent : clipped(cut.what.how.block, cut.what.how.domain)) {
    elements *= static_cast<double>(extent);
  }
  return elements >= very_often * taken_by_task(cut.what);
}

/// An operation of the graph whose blocks may be cut.
class cutting {
 public:
  cutting(const array_graph& graph, vertex v, const pass_context& context)
      : what_(operation_at(graph, v)),
        limits_(context.limits),
        has_memory_(context.workers != nullptr) {
    spec without = limits_;
    without.allowed_memory = bytes{0};
    for (const vertex input : inputs_of(graph, v)) {
      arrays_.push_back(array_at(graph, input));
      inputs_.push_back(storage_of(arrays_.back(), array_use::read, limits_));
      stored_.push_back(storage_of(arrays_.back(), array_use::read, without));
      inputs_.back().array = stored_.back().array = input;
    }
    for (const vertex output : outputs_of(graph, v)) made_.push_back(array_at(graph, output));
  }

  /// Returns the operation in the largest blocks whose tasks keep to the memory; where there are
  /// none, in the least that there are. Where smaller ones cost nothing, there are more tasks.
  [[nodiscard]] cut_operation run() const {
    cut_operation found = in_blocks(what_.how);
    while (!fits(found.planned, limits_)) {
      const std::optional<walk> how = halved(found.what.how);
      if (!how) return found;
      found = in_blocks(*how);
    }
    const index_t wanted = worthwhile_tasks(what_);
    while (2 * found.planned.num_tasks <= wanted) {
      const std::optional<walk> how = halved(found.what.how);
      if (!how || !needs_no_copy(*how)) break;
      cut_operation cut = in_blocks(*how);
      if (cut.planned.bytes_read > found.planned.bytes_read || cut.is_copied != found.is_copied ||
          !is_worth(cut, found)) {
        break;
      }
      cut.is_for_memory = found.is_for_memory || reads_when_stored(cut) > reads_when_stored(found);
      if (cut.is_for_memory && !has_memory_) break;
      found = std::move(cut);
    }
    return found;
  }

 private:
  /// Returns the longest axis that may be cut; `no_axis` where none can be cut any more.
  [[nodiscard]] std::size_t longest_axis(const walk& how) const {
    const axis_set reduced = what_.body->reduced();
    std::size_t longest = no_axis;
    for (std::size_t axis = 0; axis < how.rank(); ++axis) {
      if (reduced[axis] || how.block[axis] <= 1) continue;
      if (longest == no_axis || how.block[axis] > how.block[longest]) longest = axis;
    }
    return longest;
  }

  /// Returns `how` with its longest axis cut in halves; nothing where none can be cut.
  [[nodiscard]] std::optional<walk> halved(walk how) const {
    how.block = clipped(how.block, how.domain);
    how.stream = clipped(how.stream, how.domain);
    const std::size_t longest = longest_axis(how);
    if (longest == no_axis) return std::nullopt;
    how.block[longest] = how.stream[longest] = ceil_divide(how.block[longest], 2);
    return how;
  }

  /// Tells whether the outputs can be made in the blocks of `how` without a copy.
  [[nodiscard]] bool needs_no_copy(const walk& how) const {
    for (std::size_t i = 0; i < made_.size(); ++i) {
      const index_vector block = clipped(what_.outputs[i].block(how), made_[i].shape);
      const bool is_open = std::holds_alternative<open_place>(made_[i].place);
      if (!is_open && !holds_whole_chunks(block, made_[i].shape, made_[i].chunks)) return false;
    }
    return true;
  }

  [[nodiscard]] std::vector<array_storage> outputs_in_blocks(const walk& how) const {
    std::vector<array_storage> outputs;
    for (std::size_t i = 0; i < made_.size(); ++i) {
      planned_array made = made_[i];
      const index_vector block = clipped(what_.outputs[i].block(how), made.shape);
      if (!holds_whole_chunks(block, made.shape, made.chunks)) {
        made.chunks = block;
        made.place = open_place{};
      }
      outputs.push_back(storage_of(made, array_use::write, limits_));
    }
    return outputs;
  }

  /// Returns what `cut` reads where what operations make for it is in storage.
  [[nodiscard]] bytes reads_when_stored(const cut_operation& cut) const {
    std::vector<array_storage> inputs = inputs_;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!cut.is_copied[i]) inputs[i] = stored_[i];
    }
    return with_buffers(cut.what, inputs, outputs_in_blocks(cut.what.how)).bytes_read;
  }

  /// Returns the operation in the blocks of `how`. An operand is copied where that saves much.
  [[nodiscard]] cut_operation in_blocks(const walk& how) const {
    cut_operation cut{what_,
                      {},
                      std::vector<bool>(inputs_.size(), false),
                      std::vector<index_vector>(inputs_.size())};
    cut.what.how = how;
    const std::vector<array_storage> outputs = outputs_in_blocks(how);
    std::vector<array_storage> inputs = inputs_;
    cut.planned = with_buffers(cut.what, inputs, outputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].how != array_storage::kind::chunks) continue;
      const std::optional<planned_array> copy = copied(i, cut.what);
      if (!copy) continue;
      const array_storage before =
          std::exchange(inputs[i], storage_of(*copy, array_use::read, limits_));
      planned_operation planned = with_buffers(cut.what, inputs, outputs);
      const std::size_t saved = saved_by(planned, cut.planned);
      if (saved > (most_reads - 1) * arrays_[i].size().count() &&
          work_of(planned) + least_work_of_copy(i, *copy) < work_of(cut.planned)) {
        cut.planned = std::move(planned);
        cut.is_copied[i] = true;
        cut.copied_chunks[i] = copy->chunks;
      } else {
        inputs[i] = before;
      }
    }
    return cut;
  }

  [[nodiscard]] static std::size_t saved_by(const planned_operation& after,
                                            const planned_operation& before) {
    const std::size_t read = after.bytes_read.count();
    return before.bytes_read.count() > read ? before.bytes_read.count() - read : 0;
  }

  [[nodiscard]] costs::seconds work_of(const planned_operation& planned) const {
    return cost_of(planned, limits_.costs, limits_.costs.num_workers()).work;
  }

  /// Returns the work of a copy of operand `i` that reads each chunk once. A rechunk of several
  /// stages comes near that.
  [[nodiscard]] costs::seconds least_work_of_copy(std::size_t i, const planned_array& copy) const {
    const auto num_chunks = [&](const index_vector& chunks) {
      return static_cast<double>(chunk_grid(copy.shape, chunks).size());
    };
    const auto size = static_cast<double>(copy.size().count());
    return limits_.costs.to_read(size, num_chunks(arrays_[i].chunks)) +
           limits_.costs.to_write(size, num_chunks(copy.chunks));
  }

  /// Returns operand `i` in the chunks that tasks of `what` take, or in parts of them if a task
  /// that copies to these needs too much memory; nothing if a chunk of the operand alone does.
  [[nodiscard]] std::optional<planned_array> copied(std::size_t i, const operation& what) const {
    planned_array copy{
        arrays_[i].type, arrays_[i].shape, taken_at_once(what, i, arrays_[i]), arrays_[i].name, {}};
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

  const operation& what_;
  const spec& limits_;
  /// Whether arrays between operations may be in memory.
  bool has_memory_;
  std::vector<planned_array> arrays_;
  std::vector<array_storage> inputs_;
  /// The same in storage, wherever that may be.
  std::vector<array_storage> stored_;
  std::vector<planned_array> made_;
};

/// Lets `v` make its outputs in chunks that its blocks are made of: where others were asked for,
/// copies of them.
void make_chunks(plan_graph& plan, vertex v, const pass_context& context) {
  const operation& what = operation_at(plan.graph, v);
  const few<vertex> outputs = outputs_of(plan.graph, v);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    planned_array& made = array_at(plan.graph, outputs[i]);
    const index_vector block = clipped(what.outputs[i].block(what.how), made.shape);
    if (holds_whole_chunks(block, made.shape, made.chunks)) continue;
    context.note_change();
    if (std::holds_alternative<open_place>(made.place)) {
      made.chunks = block;
      continue;
    }
    const vertex between = add_array(plan.graph, {made.type, made.shape, block, made.name, {}});
    remove_output(plan.graph, v, outputs[i]);
    add_output(plan.graph, v, between, i);
    add_operation(plan.graph, copy_operation(made, made.chunks), {between}, {outputs[i]});
  }
}

}  // namespace

void cut_blocks(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    if (!operation_at(plan.graph, v).body->may_shrink()) continue;
    cut_operation cut = cutting(plan.graph, v, context).run();
    operation& what = operation_at(plan.graph, v);
    if (cut.what.how == what.how) {
      context.leave(plan.graph, v, "a task keeps to the memory as it is");
    } else {
      context.tell(plan.graph, v, [&] {
        return fmt::format("blocks of {} where {} were asked for: a task takes {} of {}",
                           format_shape(cut.what.how.block), format_shape(what.how.block),
                           format_short(task_memory(cut.planned, context.limits)),
                           format_short(context.limits.allowed_memory));
      });
    }
    what.how = cut.what.how;
    few<vertex> inputs = inputs_of(plan.graph, v);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      planned_array& array = array_at(plan.graph, inputs[i]);
      const bool is_held = std::holds_alternative<open_place>(array.place) &&
                           array.size() <= context.limits.allowed_memory;
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
    // What is put anew stands behind others, where later passes come by it.
    if (std::ranges::find(cut.is_copied, true) != cut.is_copied.end()) {
      set_inputs(plan.graph, v, inputs);
    }
    make_chunks(plan, v, context);
  }
}

}  // namespace tessera
