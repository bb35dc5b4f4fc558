// SPDX-License-Identifier: Apache-2.0
/// \file
/// The run of a task with several stages.
///
/// The list of stages spells the loops: each maximal run of stages below the task is a loop over
/// sweeps, and in it each maximal run of stages at steps is a loop over steps. The last of these is
/// passive and takes step after step. All other stages compute their part of a step, of a sweep or
/// of the task as a whole:
///
///     task     [ sweep  [ step  gather  sum ]  scale ]  norm      at: step, step, sweep, task
///
/// A stage sees the task through `stage_blocks`: its own schedule, operands of the operation or
/// outputs of earlier stages, and its outputs, which leave with the operation's or stay in buffers.

#include "core/api/reshaped_block.hpp"
#include "primitive/composition/composition.hpp"
#include "primitive/composition/halo.hpp"
#include "primitive/composition/layout.hpp"
#include "primitive/sweeps.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using detail::stage_layout;

/// Returns the box of the one element at `position`.
region first_element(index_vector position) {
  region box{position, std::move(position)};
  for (index_t& stop : box.stop) ++stop;
  return box;
}

/// Returns the memory of `box`, a part of `whole`. `memory` has the elements of `whole` in order.
block_result dense_result(std::span<std::byte> memory, std::size_t itemsize, const region& whole,
                          const region& box) {
  block_result result{memory.data(), row_major_strides(whole.shape())};
  for (std::size_t axis = 0; axis < result.strides.size(); ++axis) {
    result.strides[axis] *= static_cast<index_t>(itemsize);
    result.data += (box.start[axis] - whole.start[axis]) * result.strides[axis];
  }
  return result;
}

/// The task, as one stage sees it.
class stage_blocks final : public task_blocks {
 public:
  /// `before` are the stages before it.
  stage_blocks(task_blocks& task, const stage& part, const stage_layout& layout,
               const std::deque<stage_blocks>& before)
      : task_(task),
        part_(part),
        layout_(layout),
        before_(before),
        boxes_(layout.slots.size()),
        operands_(part.inputs.size()) {}

  /// Begins `scope`, over `box` of the operation's domain: outputs that are complete behind the
  /// scope have their boxes in it.
  void enter(task_scope scope, const region& box) {
    scope_box_ = box;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (layout_.slots[i].emitted || detail::completion(part_, layout_.needs, i) != scope)
        continue;
      boxes_[i] = box_of_output(i, box);
    }
  }

  [[nodiscard]] const loop_schedule& schedule() const override { return layout_.results.schedule; }
  [[nodiscard]] std::size_t num_operands() const override { return operands_.size(); }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    const stage_input& input = part_.inputs[i];
    if (!input.stage) return operand_of_task(i, box);
    const gather* const reshape = input.map.gather().get();
    index_vector start = input.map(box.start);
    if (reshape != nullptr) start = reshaped_index(*reshape, start);
    block_result value =
        before_[*input.stage].result(input.number, first_element(std::move(start)));
    if (reshape != nullptr) value.strides = reshaped_strides(*reshape, value.strides);
    operands_[i] = {.data = value.data, .strides = input.map.strides(value.strides)};
    return operands_[i];
  }
  // The loops begin and end the scopes of stages at steps. A stage in the steps of the operation
  // begins the scopes that it reads operands in; the task knows no steps of other stages.
  void begin(task_scope scope, const region& box) override {
    if (part_.is_leading()) task_.begin(scope, box);
  }
  void end(task_scope scope) override {
    if (part_.is_leading()) task_.end(scope);
  }
  [[nodiscard]] const region& output_box(std::size_t i) const override {
    const std::optional<std::size_t> emitted = layout_.slots[i].emitted;
    return emitted ? task_.output_box(*emitted) : boxes_[i];
  }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override {
    const detail::output_slot& slot = layout_.slots[i];
    if (slot.emitted) return task_.result(*slot.emitted, box);
    return dense_result(task_.work_buffer(slot.buffer), layout_.results.outputs[i].type.size(),
                        boxes_[i], box);
  }
  [[nodiscard]] std::span<std::byte> work_buffer(std::size_t i) const override {
    return task_.work_buffer(layout_.first_buffer + i);
  }
  [[nodiscard]] std::span<std::byte> scratch() const override { return task_.scratch(); }

 private:
  /// Returns the box of output `i` in `box` of the operation's domain.
  [[nodiscard]] region box_of_output(std::size_t i, const region& box) const {
    const loop_schedule& schedule = task_.schedule();
    if (part_.halo.empty()) return layout_.results.domain_outputs[i].box(schedule, box);
    return layout_.results.outputs[i].box(layout_.results.schedule,
                                          detail::box_of(part_, schedule, box));
  }

  /// Returns an operand of the operation over `box`, a box of the domain of the stage.
  const block_operand& operand_of_task(std::size_t i, const region& box) {
    const std::size_t number = part_.inputs[i].number;
    if (!part_.frame) return task_.operand(number, box);
    const std::vector<output_axis>& frame = *part_.frame;
    const block_operand& whole = task_.operand(number, detail::cover_of(part_, box, scope_box_));
    operands_[i] = whole;
    operands_[i].strides = index_vector(frame.size());
    for (std::size_t k = 0; k < frame.size(); ++k) {
      if (frame[k].is_of_domain()) operands_[i].strides[k] = whole.strides[frame[k].axis];
    }
    return operands_[i];
  }

  task_blocks& task_;
  const stage& part_;
  const stage_layout& layout_;
  const std::deque<stage_blocks>& before_;
  /// The box of the operation's domain that the stage computes in.
  region scope_box_;
  /// The boxes of outputs that never leave the task.
  std::vector<region> boxes_;
  std::vector<block_operand> operands_;
};

/// The loops of one task.
class stage_loops {
 public:
  stage_loops(const std::vector<stage>& stages, const std::vector<stage_layout>& layouts,
              task_blocks& task)
      : stages_(stages), task_(task) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      blocks_.emplace_back(task, stages[s], layouts[s], blocks_);
    }
  }

  void run(const region& box) {
    for (stage_blocks& blocks : blocks_) blocks.enter(task_scope::task, box);
    for (std::size_t first = 0; first < stages_.size();) {
      if (stages_[first].at == task_scope::task) {
        run_whole(first++, box);
        continue;
      }
      const std::size_t last = end_of_run(first, task_scope::sweep);
      run_sweeps(first, last, box);
      first = last;
    }
  }

 private:
  /// Returns the end of the run of stages from `first` on that are at `scope` or below.
  [[nodiscard]] std::size_t end_of_run(std::size_t first, task_scope scope) const {
    while (first < stages_.size() && stages_[first].at <= scope) ++first;
    return first;
  }

  [[nodiscard]] region part_of(std::size_t s, const region& box) const {
    return detail::box_of(stages_[s], task_.schedule(), box);
  }

  void run_whole(std::size_t s, const region& box) {
    const region part = part_of(s, box);
    if (!part.empty()) stages_[s].op->run(blocks_[s], part);
  }

  void begin(task_scope scope, std::size_t first, std::size_t last, const region& box) {
    task_.begin(scope, box);
    for (std::size_t s = first; s < last; ++s) blocks_[s].enter(scope, box);
  }

  void run_sweeps(std::size_t first, std::size_t last, const region& box) {
    if (const std::optional<carried_state> carried = stages_[first].op->carries();
        carried && stages_[first].at == task_scope::step && stages_[first].is_leading()) {
      return run_carried(first, last, *carried, box);
    }
    for_each_box(box, task_.schedule().sweep(), [&](const region& sweep) {
      begin(task_scope::sweep, first, last, sweep);
      for (std::size_t s = first; s < last;) {
        if (stages_[s].at == task_scope::sweep) {
          run_whole(s++, sweep);
          continue;
        }
        const std::size_t end = end_of_run(s, task_scope::step);
        run_steps(s, end, sweep);
        s = end;
      }
      task_.end(task_scope::sweep);
    });
  }

  void run_steps(std::size_t first, std::size_t last, const region& sweep) {
    const std::size_t leading = last - 1;
    const auto computation = stages_[leading].op->start(blocks_[leading], part_of(leading, sweep));
    for_each_box(sweep, task_.schedule().step, [&](const region& step) {
      begin(task_scope::step, first, last, step);
      for (std::size_t s = first; s < leading; ++s) run_whole(s, step);
      computation->take(part_of(leading, step));
      task_.end(task_scope::step);
    });
    computation->finish();
  }

  /// Runs a stage that carries a state from sweep to sweep, and the stages behind it.
  void run_carried(std::size_t first, std::size_t last, const carried_state& carried,
                   const region& box) {
    const auto computation = stages_[first].op->start(blocks_[first], box);
    const index_t length = task_.schedule().step[carried.axis];
    detail::for_each_carried_sweep(box, carried, length,
                                   [&](const region& sweep, bool has_outputs) {
                                     if (!has_outputs) return computation->take(sweep);
                                     begin(task_scope::sweep, first, last, sweep);
                                     computation->take(sweep);
                                     for (std::size_t s = first + 1; s < last; ++s)
                                       run_whole(s, sweep);
                                     task_.end(task_scope::sweep);
                                   });
    computation->finish();
  }

  const std::vector<stage>& stages_;
  task_blocks& task_;
  /// A deque: its elements refer to earlier elements.
  std::deque<stage_blocks> blocks_;
};

}  // namespace

void composition::run(task_blocks& blocks, const region& box) const {
  const std::shared_ptr<const detail::composition_layout> known = layout(blocks.schedule());
  stage_loops(stages_, known->stages, blocks).run(box);
}

}  // namespace tessera
