// SPDX-License-Identifier: Apache-2.0
/// \file
/// Strips: the demand of a task, and its computation.
///
/// Problem: one program computes elements, and several folds and results consume them; operands and
/// states must fit the cache, and the bits of a fold must not depend on blocks.
///
/// Idea: a task is a sequence of sweeps, a sweep a sequence of steps, a step a sequence of strips
/// of at most 2,048 elements:
///
///     task  = block of the domain
///     sweep = box complete along the reduced axes:   fold states live here
///     step  = box that operands are read for:        results leave here, or with the sweep
///     strip = contiguous run:                        registers of the program live here
///
/// Folds over the same axes form a group and take a strip together. Several groups each run their
/// part of the program over the step, slice by slice of the cache (`cache_blocks`). Pieces of a
/// concatenation are collected before they are folded (`piece_buffers`).
///
/// Invariant: the order in which a state takes elements is that of leaves and reference steps
/// (`reduction_tree`, `fold_sink::reference_step`), not of blocks.
/// Reference: vectorised execution, Boncz, Zukowski, Nes, "MonetDB/X100" (2005), as in DuckDB.

#include "primitive/api/strips.hpp"
#include "primitive/pieces/pieces.hpp"
#include "primitive/pieces/programs.hpp"
#include "primitive/strips/cache_blocks.hpp"
#include "primitive/strips/fold_states.hpp"
#include "primitive/strips/piece_buffers.hpp"
#include "primitive/strips/piece_states.hpp"
#include "primitive/strips/sweep_accumulators.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tessera {

namespace {

index_t num_reduced(const region& box, axis_set reduced) {
  index_t count = 1;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (reduced[axis]) count *= box.stop[axis] - box.start[axis];
  }
  return count;
}

/// Returns the extents along the kept axes.
index_vector kept_extents(const index_vector& extents, axis_set reduced) {
  index_vector kept;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (!reduced[axis]) kept.push_back(extents[axis]);
  }
  return kept;
}

bool is_result(const strip_sink& sink) { return std::holds_alternative<result_sink>(sink); }

/// Returns, for each result of a program, whether a fold takes it.
std::vector<bool> folded_results(const std::vector<strip_sink>& sinks) {
  std::vector<bool> are_folded;
  for (const strip_sink& sink : sinks) {
    const auto* const fold = std::get_if<fold_sink>(&sink);
    are_folded.insert(are_folded.end(), fold == nullptr ? 1 : fold->num_inputs(), fold != nullptr);
  }
  return are_folded;
}

/// Returns the number of buffers that put results of values of states into the order of outputs.
std::size_t count_transposing_buffers(const std::vector<strip_sink>& sinks,
                                      const loop_schedule& schedule) {
  std::size_t count = 0;
  for (const strip_sink& sink : sinks) {
    const auto* const fold = std::get_if<fold_sink>(&sink);
    if (fold == nullptr || fold->step.kernel->state_length == nullptr) continue;
    if (schedule.takes_all(fold->reduced)) count += fold->step.kernel->outputs.size();
  }
  return count;
}

}  // namespace

// Steps of the schedule of buffers: the steps of `add_operand_steps`, then a step for each output:
// results leave, folds are finished. A result lives from the first computation on.
task_demand strips::demand(const loop_schedule& schedule, std::size_t num_operands) const {
  task_demand needs;
  needs.operands.resize(num_operands);
  const index_t num_step_elements = num_elements(schedule.step);
  const std::size_t first_computed = pieces_.size() == 0 ? 0 : pieces_.front().operands.size();
  const std::size_t step = add_operand_steps(needs, pieces_, num_step_elements);
  add_folds(needs, schedule);
  if (pieces_.size() > 1 && has_folds() && !merged_) {
    const region domain = region::whole(schedule.domain);
    const piece_buffers buffers(pieces_, schedule, domain, folded_results(sinks_));
    for (buffer_demand& buffer : buffers.buffers()) needs.buffers.push_back(std::move(buffer));
    needs.scratch = std::max(needs.scratch, scratch_bytes(buffers.program(), num_step_elements));
  }
  std::size_t leave_step = step;
  std::size_t finish_step = step;
  for (const strip_sink& sink : sinks_) finish_step += is_result(sink) ? 1 : 0;
  needs.last_repeated_step = finish_step - 1;
  const std::size_t first_finish_step = finish_step;
  for (const strip_sink& sink : sinks_) {
    if (is_result(sink)) {
      needs.outputs.push_back(
          {{first_computed, leave_step++}, has_folds() ? task_scope::step : task_scope::sweep});
      continue;
    }
    const std::size_t count = num_outputs(sink, schedule);
    for (std::size_t i = 0; i < count; ++i) {
      needs.outputs.push_back({{first_finish_step, finish_step++}, task_scope::sweep});
    }
  }
  // The first step of a sweep follows the last output of the previous sweep.
  if (schedule.ordered.any()) needs.last_repeated_step = finish_step - 1;
  return needs;
}

// The states of a fold cover all kept elements of a sweep.
void strips::add_folds(task_demand& needs, const loop_schedule& schedule) const {
  for (const fold_group& group : groups_) {
    for (const std::size_t sink : group.sinks) {
      const fold_kernel& kernel = *fold(sink).step.kernel;
      const accumulator_layout layout(schedule, schedule.sweep(), fold(sink));
      const auto state_length =
          static_cast<std::size_t>(state_layout(layout.part, fold(sink)).state_length);
      const std::string group_text =
          fold(sink).is_labelled ? fmt::format(" of {} groups", product(fold(sink).extra_axes))
                                 : "";
      for (const dtype type : kernel.state_fields) {
        needs.buffers.push_back({fmt::format("state of {}{}", kernel.label, group_text),
                                 size_of(type) * layout.size() * state_length});
      }
    }
  }
  // `finish` writes the values of states of a state one behind another; a buffer transposes them.
  for (const fold_group& group : groups_) {
    for (const std::size_t sink : group.sinks) {
      const fold_kernel& kernel = *fold(sink).step.kernel;
      if (kernel.state_length == nullptr || !schedule.takes_all(group.reduced)) continue;
      const index_t kept = std::min(num_kept(schedule.sweep(), group.reduced), states_at_once);
      const auto count =
          static_cast<std::size_t>(checked_multiply(kept, product(fold(sink).extra_axes)));
      for (const dtype type : kernel.outputs) {
        needs.buffers.push_back(
            {fmt::format("results of {}", kernel.label), size_of(type) * count});
      }
    }
  }
}

/// The computation of a sweep: the folds take its steps.
class strips::sweep_computation final : public block_computation {
 public:
  sweep_computation(const strips& owner, task_blocks& blocks, const region& sweep)
      : owner_(owner), blocks_(blocks), folds_(owner.accumulators_of(blocks, sweep)) {}

  void take(const region& step) override {
    const bool is_one_piece = owner_.pieces_.size() == 1;
    for (sweep_accumulators& fold : folds_) {
      fold.begin(step, owner_.num_taken(step, fold.reduced()), is_one_piece);
    }
    owner_.take_step(blocks_, step, folds_);
    for (sweep_accumulators& fold : folds_) fold.end();
  }
  void finish() override {
    std::size_t next_buffer = folds_.empty() ? 0 : folds_.back().next_buffer();
    for (const sweep_accumulators& fold : folds_) {
      next_buffer = owner_.finish(blocks_, fold, next_buffer);
    }
  }

 private:
  const strips& owner_;
  task_blocks& blocks_;
  std::vector<sweep_accumulators> folds_;
};

std::unique_ptr<block_computation> strips::start(task_blocks& blocks, const region& sweep) const {
  return std::make_unique<sweep_computation>(*this, blocks, sweep);
}

std::vector<sweep_accumulators> strips::accumulators_of(task_blocks& blocks,
                                                        const region& sweep) const {
  std::vector<sweep_accumulators> folds;
  if (!has_folds()) return folds;
  std::vector<output> outputs_of_task;
  std::vector<std::size_t> first_output(sinks_.size(), 0);
  if (makes_states(blocks.schedule())) {
    outputs_of_task = outputs(blocks.schedule());
    for (std::size_t sink = 1; sink < sinks_.size(); ++sink) {
      first_output[sink] =
          first_output[sink - 1] + num_outputs(sinks_[sink - 1], blocks.schedule());
    }
  }
  for (std::size_t number = 0; number < groups_.size(); ++number) {
    const std::size_t first_buffer = folds.empty() ? 0 : folds.back().next_buffer();
    std::vector<fold_member> members = members_of(number);
    for (fold_member& member : members) member.output = first_output[member.sink];
    folds.emplace_back(blocks, sweep, std::move(members), outputs_of_task, first_buffer,
                       part_for(number));
  }
  // A sweep may overlap only one or two of many pieces.
  if (folds.size() == 1 && !merged_ && pieces_.near(sweep).size() > 1) {
    piece_buffers buffers(pieces_, blocks.schedule(), sweep, folded_results(sinks_));
    const std::size_t first_piece_buffer =
        folds.front().next_buffer() + count_transposing_buffers(sinks_, blocks.schedule());
    if (buffers.is_active()) {
      folds.front().set_piece_buffers(std::move(buffers), first_piece_buffer);
    }
  }
  return folds;
}

// A combining fold has a domain of blocks; an element is the state of all elements of its block.
index_t strips::num_taken(const region& step, axis_set reduced) const {
  return num_reduced(merged_ ? merged_->chunk_region(step.start) : step, reduced);
}

/// Tells whether the program of `group` computes for `sink`. Result sinks are of the first group.
bool strips::is_made_for(std::size_t group, std::size_t sink) const {
  if (groups_.size() < 2) return true;
  if (is_result(sinks_[sink])) return group == 0;
  const std::vector<std::size_t>& sinks = groups_[group].sinks;
  return std::find(sinks.begin(), sinks.end(), sink) != sinks.end();
}

std::vector<fold_member> strips::members_of(std::size_t group) const {
  std::vector<fold_member> members;
  std::size_t result = 0;
  for (std::size_t sink = 0; sink < sinks_.size(); ++sink) {
    if (!is_made_for(group, sink)) continue;
    if (!is_result(sinks_[sink])) members.push_back({sink, &fold(sink), result});
    result += num_results(sinks_[sink]);
  }
  return members;
}

/// Returns the program of `group`, or nullopt if it is the only group.
std::optional<program_part> strips::part_for(std::size_t group) const {
  if (groups_.size() < 2) return std::nullopt;
  std::vector<bool> wanted;
  for (std::size_t sink = 0; sink < sinks_.size(); ++sink) {
    wanted.insert(wanted.end(), num_results(sinks_[sink]), is_made_for(group, sink));
  }
  return select_results(pieces_.front().program, wanted);
}

std::vector<strip_target> strips::targets_in(task_blocks& blocks, const region& box) const {
  std::vector<strip_target> targets;
  std::size_t out = 0;
  std::size_t result = 0;
  for (std::size_t sink = 0; sink < sinks_.size(); ++sink) {
    if (is_result(sinks_[sink])) targets.push_back({result, blocks.result(out, box)});
    out += num_outputs(sinks_[sink], blocks.schedule());
    if (is_made_for(0, sink)) result += num_results(sinks_[sink]);
  }
  return targets;
}

void strips::take_step(task_blocks& blocks, const region& step,
                       std::span<const sweep_accumulators> folds) const {
  if (folds.size() < 2) return take_pieces(blocks, step, folds.empty() ? nullptr : &folds.front());
  std::vector<block_operand> operands;
  for (const std::size_t operand : pieces_.front().operands) {
    operands.push_back(blocks.operand(operand, step));
  }
  const std::vector<strip_target> targets = targets_in(blocks, step);
  std::vector<index_vector> strides;
  for (const sweep_accumulators& group_folds : folds) strides.push_back(group_folds.strides(step));
  std::vector<fold_loops> loop_orders;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    loop_orders.push_back({folds[i].reduced(), strides[i], 0, folds[i].reference_step()});
  }
  index_vector extents = step.shape();
  const cache_blocks slices(extents, loop_orders, operands);
  for (index_t start = 0; start < slices.extent; start += slices.length) {
    const index_t stop = std::min(start + slices.length, slices.extent);
    extents[slices.axis] = stop - start;
    const std::vector<block_operand> slice_operands = offset_by(operands, slices.axis, start);
    std::vector<strip_target> slice_targets = offset_by(targets, slices.axis, start);
    for (std::size_t i = 0; i < folds.size(); ++i) {
      const sweep_accumulators& group_folds = folds[i];
      const program_part& part = *group_folds.part();
      std::vector<block_operand> inputs;
      for (const std::size_t operand : part.operands) inputs.push_back(slice_operands[operand]);
      const index_t count = num_reduced(step, group_folds.reduced()) / slices.extent;
      const std::vector<block_states> states = select_states(
          group_folds.states(), start, stop, slices.extent, strides[i][slices.axis], count);
      run_strips(part.program, inputs, slice_targets, states, extents, loop_orders[i],
                 blocks.scratch());
      slice_targets.clear();
    }
  }
}

void strips::take_pieces(task_blocks& blocks, const region& step,
                         const sweep_accumulators* folds) const {
  const index_vector strides = folds == nullptr ? index_vector(step.rank()) : folds->strides(step);
  fold_loops order{reduced_, strides, merged_ ? num_taken(step, reduced_) : 0};
  std::span<const block_states> states;
  if (folds != nullptr) {
    states = folds->states();
    order.reference_step = folds->reference_step();
  }
  const piece_buffers* const buffers = folds == nullptr ? nullptr : folds->piece_buffers_for(step);
  std::vector<block_operand> inputs;
  if (buffers != nullptr)
    inputs = buffers->operands_over(blocks, step, folds->first_piece_buffer());
  std::vector<block_operand> operands;
  piece_counts counts(reduced_);
  for (const piece& part : pieces_.near(step)) {
    const region overlap = intersect(step, part.box);
    if (overlap.empty()) continue;
    operands.clear();
    for (const std::size_t operand : part.operands) {
      operands.push_back(blocks.operand(operand, overlap));
    }
    std::vector<strip_target> targets = targets_in(blocks, overlap);
    if (buffers != nullptr) {
      buffers->add_targets(targets, inputs, step, overlap);
      run_strips(part.program, operands, targets, {}, overlap.shape(), {}, blocks.scratch());
      continue;
    }
    if (pieces_.size() == 1 || folds == nullptr) {
      run_strips(part.program, operands, targets, states, overlap.shape(), order, blocks.scratch());
      continue;
    }
    std::vector<block_states> shifted = offset_states(states, step, overlap, order.state_strides);
    const index_t count_before = counts.add_box(overlap);
    for (block_states& state : shifted) state.num_taken += count_before;
    run_strips(part.program, operands, targets, shifted, overlap.shape(), order, blocks.scratch());
  }
  if (buffers != nullptr) {
    buffers->add_shared_operands(inputs, blocks, step);
    run_strips(buffers->program(), inputs, {}, states, step.shape(), order, blocks.scratch());
  }
}

std::size_t strips::finish(task_blocks& blocks, const sweep_accumulators& folds,
                           std::size_t next_buffer) const {
  const std::vector<output> task_outputs = outputs(blocks.schedule());
  const bool are_partial = !blocks.schedule().takes_all(folds.reduced());
  std::size_t out = 0;
  std::size_t member = 0;
  for (std::size_t sink = 0; sink < sinks_.size() && member < folds.members().size(); ++sink) {
    const std::size_t first_out = out;
    out += num_outputs(sinks_[sink], blocks.schedule());
    if (folds.members()[member].sink != sink) continue;
    const bool has_vector_states = fold(sink).step.kernel->state_length != nullptr && !are_partial;
    std::vector<std::byte*> buffers;
    for (std::size_t i = first_out; i < out && has_vector_states; ++i) {
      buffers.push_back(blocks.work_buffer(next_buffer++).data());
    }
    folds.for_each_part(member++, [&](const region& box, const block_states& states) {
      const output_layout layout(box.shape(), fold(sink), are_partial);
      std::vector<block_result> results;
      for (std::size_t i = first_out; i < out; ++i) {
        results.push_back(blocks.result(i, task_outputs[i].box(blocks.schedule(), box)));
      }
      if (are_partial) {
        copy_states(states, results, layout.extents, layout.strides);
      } else if (has_vector_states) {
        finish_vector_states(states, results, buffers, kept_extents(box.shape(), folds.reduced()),
                             first_reduced_axis(folds.reduced()));
      } else {
        finish_states(states, results, layout);
      }
    });
  }
  return next_buffer;
}

}  // namespace tessera
