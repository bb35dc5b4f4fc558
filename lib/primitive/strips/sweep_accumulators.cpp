// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/sweep_accumulators.hpp"

#include "core/api/itemsize.hpp"
#include "primitive/api/results_in_memory.hpp"
#include "primitive/strips/fold_states.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

/// Points the state fields of states over `box` into the outputs from `member.output` on. The
/// outputs must be in memory and have the layout of the states; else nothing changes.
void point_into_results(block_states& states, const task_blocks& blocks, const region& box,
                        const fold_member& member, std::span<const output> outputs) {
  const auto* const results = dynamic_cast<const results_in_memory*>(&blocks);
  if (results == nullptr) return;
  const output_layout layout(box.shape(), *member.fold, true);
  for (std::size_t field = 0; field < states.state_fields.size(); ++field) {
    const std::size_t i = member.output + field;
    if (!results->is_in_memory(i)) continue;
    const block_result result = blocks.result(i, outputs[i].box(blocks.schedule(), box));
    const auto itemsize = itemsize_of(states.kernel->state_fields[field]);
    bool has_same_layout = true;
    for (std::size_t axis = 0; axis < layout.extents.size(); ++axis) {
      has_same_layout =
          has_same_layout &&
          (layout.extents[axis] == 1 || result.strides[axis] == layout.strides[axis] * itemsize);
    }
    if (has_same_layout) states.state_fields[field] = result.data;
  }
}

}  // namespace

accumulator_layout::accumulator_layout(const loop_schedule& schedule, const index_vector& sweep,
                                       const fold_sink& fold)
    : part(sweep), num_parts(sweep.size(), 1), num_nodes(most_open_nodes(fold, schedule)) {
  for (std::size_t axis = 0; axis < sweep.size(); ++axis) {
    part[axis] = std::min(schedule.step[axis], sweep[axis]);
    if (!fold.reduced[axis] && part[axis] > 0) {
      num_parts[axis] = ceil_divide(sweep[axis], part[axis]);
    }
  }
  num_states = tessera::num_states(part, fold);
}

std::size_t accumulator_layout::size() const {
  const index_t states = checked_multiply(num_states, product(num_parts));
  return static_cast<std::size_t>(states) * num_nodes;
}

sweep_accumulators::sweep_accumulators(task_blocks& blocks, const region& sweep,
                                       std::vector<fold_member> members,
                                       std::span<const output> outputs, std::size_t first_buffer,
                                       std::optional<program_part> part)
    : step_(blocks.schedule().step),
      sweep_(sweep),
      members_(std::move(members)),
      part_(std::move(part)),
      reduced_(members_.front().fold->reduced),
      next_buffer_(first_buffer) {
  const bool are_partial = !blocks.schedule().takes_all(reduced_);
  for (const fold_member& member : members_) {
    const fold_sink& fold = *member.fold;
    const fold_kernel& kernel = *fold.step.kernel;
    const accumulator_layout& accumulators =
        layouts_.emplace_back(blocks.schedule(), sweep.shape(), fold);
    const state_layout layout(accumulators.part, fold);
    block_states first{.kernel = &kernel,
                       .parameters = fold.step.parameters.get(),
                       .result = member.result,
                       .state_length = layout.state_length,
                       .num_groups = layout.num_groups};
    for (std::size_t k = 0; k < kernel.state_fields.size(); ++k) {
      first.state_fields.push_back(blocks.work_buffer(next_buffer_++).data());
    }
    states_.push_back(first);
    trees_.emplace_back();
    const std::size_t values =
        static_cast<std::size_t>(accumulators.num_states * first.state_length) *
        accumulators.num_nodes;
    for_each_box(sweep_, part_extents(), [&](const region& box) {
      first.group_stride = state_layout(box.shape(), fold).group_stride;
      block_states part_states = first;
      if (are_partial && accumulators.num_nodes == 1) {
        point_into_results(part_states, blocks, box, member, outputs);
      }
      trees_.back().emplace_back(fold, blocks.schedule(), part_states,
                                 num_states(box.shape(), fold));
      for (std::size_t k = 0; k < kernel.state_fields.size(); ++k) {
        first.state_fields[k] += values * size_of(kernel.state_fields[k]);
      }
    });
  }
}

index_vector sweep_accumulators::part_extents() const {
  index_vector extents = layouts_.front().part;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (reduced_[axis]) extents[axis] = sweep_.stop[axis] - sweep_.start[axis];
  }
  return extents;
}

std::size_t sweep_accumulators::part_number(const region& step) const {
  const accumulator_layout& layout = layouts_.front();
  index_t number = 0;
  for (std::size_t axis = 0; axis < sweep_.rank(); ++axis) {
    number *= layout.num_parts[axis];
    if (!reduced_[axis]) number += (step.start[axis] - sweep_.start[axis]) / step_[axis];
  }
  return static_cast<std::size_t>(number);
}

/// Returns the next step with the same part, or nullopt if `step` is the last.
std::optional<region> sweep_accumulators::next_step(const region& step) const {
  region next = step;
  for (std::size_t axis = sweep_.rank(); axis-- > 0;) {
    if (!reduced_[axis]) continue;
    next.start[axis] = step.stop[axis] < sweep_.stop[axis] ? step.stop[axis] : sweep_.start[axis];
    next.stop[axis] = std::min(next.start[axis] + step_[axis], sweep_.stop[axis]);
    if (next.start[axis] != sweep_.start[axis]) return next;
  }
  return std::nullopt;
}

void sweep_accumulators::begin(const region& step, index_t count, bool is_by_strips) {
  current_ = part_number(step);
  count_ = count;
  const std::optional<region> next = next_step(step);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    block_states& states = states_[i];
    reduction_tree& tree = trees_[i][current_];
    tree.begin_step(states, step, next ? &*next : nullptr, count);
    states.group_stride = state_layout(step.shape(), *members_[i].fold).group_stride;
    // Pieces and groups are folded into parts of the states, so the runner cannot start states.
    if (is_by_strips && states.num_groups == 0 && states.kernel->state_length == nullptr) continue;
    tree.start_states(states);
  }
}

void sweep_accumulators::end() {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    trees_[i][current_].merge_states(states_[i], count_);
  }
}

index_vector sweep_accumulators::strides(const region& step) const {
  return state_layout(step.shape(), *members_.front().fold).strides;
}

}  // namespace tessera
