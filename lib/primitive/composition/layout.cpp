// SPDX-License-Identifier: Apache-2.0
#include "primitive/composition/layout.hpp"

#include "tessera/core/chunk_grid.hpp"

#include "primitive/composition/halo.hpp"

#include <algorithm>
#include <utility>

namespace tessera::detail {

loop_schedule schedule_of(const stage& part, const loop_schedule& schedule) {
  loop_schedule result = schedule;
  if (part.frame) {
    const output frame{{}, *part.frame};
    const index_vector& extents = part.is_producer() ? schedule.step : schedule.block;
    result = {frame.shape(schedule), frame.extents_of(extents), {}};
    add_halo(part, extents, result);
    for (std::size_t axis = 0; axis < result.rank(); ++axis) {
      result.block[axis] = std::min(result.block[axis], std::max<index_t>(1, result.domain[axis]));
    }
    result.step = result.block;
    if (part.is_leading()) {
      result.step = frame.extents_of(schedule.step);
      for (std::size_t axis = 0; axis < result.rank(); ++axis) {
        result.step[axis] = std::min(result.block[axis], result.step[axis]);
        result.ordered[axis] = schedule.ordered[(*part.frame)[axis].axis];
      }
    }
  }
  for (std::size_t axis = 0; axis < part.step.size(); ++axis) {
    result.step[axis] = std::min(result.block[axis], part.step[axis]);
  }
  return result;
}

bool takes_whole(const loop_schedule& schedule, std::size_t axis, task_scope scope) {
  const index_vector& extents = scope == task_scope::step ? schedule.step : schedule.sweep();
  return extents[axis] >= schedule.domain[axis];
}

axis_set axes_along(const stage& part, axis_set axes) {
  if (!part.frame) return axes;
  axis_set result;
  for (std::size_t k = 0; k < part.frame->size(); ++k) {
    const output_axis& axis = (*part.frame)[k];
    if (axes[k] && axis.origin == output_axis::kind::along) result.set(axis.axis);
  }
  return result;
}

namespace {

/// Tells whether `part` computes elements for later stages alone.
bool computes_inside(const stage& part) {
  return part.frame && !part.is_leading() && !part.is_emitted;
}

/// Returns the extents of the boxes that `part` computes its part of at once.
const index_vector& extents_at_once(const stage& part, const loop_schedule& schedule) {
  return part.is_producer() ? schedule.step : schedule.block;
}

}  // namespace

double times_repeated(const stage& part, const loop_schedule& schedule) {
  double times = 1;
  if (!computes_inside(part)) return times;
  const axis_set axes = axes_along(part, ~axis_set{});
  const index_vector& extents = extents_at_once(part, schedule);
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    if (axes[axis]) continue;
    times *= static_cast<double>(ceil_divide(schedule.domain[axis], extents[axis]));
  }
  return times;
}

double times_run(const stage& part, const loop_schedule& schedule) {
  const double times = times_repeated(part, schedule);
  if (!computes_inside(part)) return times;
  return times * overlap_of_halos(part, schedule.domain, extents_at_once(part, schedule));
}

namespace {

/// Returns `result`, an output of a stage in `frame`, along the axes of the operation's domain.
output seen_through(output result, const std::optional<std::vector<output_axis>>& frame) {
  if (!frame) return result;
  for (output_axis& axis : result.axes) {
    if (axis.origin == output_axis::kind::along) axis = (*frame)[axis.axis];
    if (axis.origin == output_axis::kind::per_block) axis.axis = (*frame)[axis.axis].axis;
  }
  return result;
}

/// An output of a stage as an operand of a later stage.
struct stage_reader {
  std::size_t stage = 0;
  std::size_t operand = 0;
};

/// Returns the stage that reads output `number` of stage `maker`, or nullopt if none or several do.
std::optional<stage_reader> only_reader(const std::vector<stage>& stages, std::size_t maker,
                                        std::size_t number) {
  std::optional<stage_reader> reader;
  for (std::size_t s = maker + 1; s < stages.size(); ++s) {
    for (std::size_t i = 0; i < stages[s].inputs.size(); ++i) {
      const stage_input& input = stages[s].inputs[i];
      if (input.stage != maker || input.number != number) continue;
      if (reader) return std::nullopt;
      reader = {s, i};
    }
  }
  return reader;
}

}  // namespace

stage_outputs outputs_of(const stage& part, const loop_schedule& schedule) {
  stage_outputs result{schedule_of(part, schedule), {}, {}};
  result.outputs = part.op->outputs(result.schedule);
  for (const output& part_output : result.outputs) {
    result.domain_outputs.push_back(seen_through(part_output, part.frame));
  }
  return result;
}

region box_of(const stage& part, const loop_schedule& schedule, const region& box) {
  if (!part.frame) return box;
  region result = output{{}, *part.frame}.box(schedule, box);
  add_halo(part, box, result);
  return result;
}

task_scope completion(const stage& part, const task_demand& needs, std::size_t i) {
  const bool goes_in_steps = part.at == task_scope::step && part.is_leading();
  return goes_in_steps ? needs.outputs[i].emitted_per : part.at;
}

namespace {

/// Returns the output of the operation whose memory output `i` of stage `s` may use, or nullopt.
std::optional<std::size_t> output_in_place(const std::vector<stage>& stages,
                                           const std::vector<stage_layout>& layouts, std::size_t s,
                                           std::size_t i) {
  const std::optional<stage_reader> reader = only_reader(stages, s, i);
  if (!reader) return std::nullopt;
  const stage& part = stages[reader->stage];
  const stage_layout& layout = layouts[reader->stage];
  const output& value = layouts[s].results.domain_outputs[i];
  const bool is_elementwise = part.op->as_elementwise() != nullptr && layout.slots.size() == 1 &&
                              part.inputs[reader->operand].map.is_identity() &&
                              layout.results.domain_outputs.front() == value;
  const task_scope scope = completion(stages[s], layouts[s].needs, i);
  const bool is_at_once = scope == part.at && scope == completion(part, layout.needs, 0);
  if (!is_elementwise || !is_at_once) return std::nullopt;
  // One operand alone has the memory of the output: another one would overwrite it.
  const std::optional<std::size_t> emitted = layout.slots.front().emitted;
  for (const stage_input& input : part.inputs) {
    if (!input.stage || (*input.stage == s && input.number == i)) continue;
    if (layouts[*input.stage].slots[input.number].emitted == emitted) return std::nullopt;
  }
  return emitted;
}

}  // namespace

std::vector<stage_layout> lay_out(const std::vector<stage>& stages, const loop_schedule& schedule) {
  std::vector<stage_layout> layouts;
  std::size_t emitted = 0;
  for (const stage& part : stages) {
    stage_layout layout{outputs_of(part, schedule), {}, 0, {}};
    layout.needs = part.op->demand(layout.results.schedule, part.inputs.size());
    layout.slots.resize(layout.results.outputs.size());
    for (output_slot& slot : layout.slots) {
      if (part.is_emitted) slot.emitted = emitted++;
    }
    layouts.push_back(std::move(layout));
  }
  // Readers come first, so that a chain of maps works in one memory.
  for (std::size_t s = stages.size(); s-- > 0;) {
    for (std::size_t i = 0; i < layouts[s].slots.size(); ++i) {
      output_slot& slot = layouts[s].slots[i];
      if (!slot.emitted) slot.emitted = output_in_place(stages, layouts, s, i);
    }
  }
  std::size_t buffer = 0;
  for (stage_layout& layout : layouts) {
    layout.first_buffer = buffer;
    buffer += layout.needs.buffers.size();
    for (output_slot& slot : layout.slots) {
      if (!slot.emitted) slot.buffer = buffer++;
    }
  }
  return layouts;
}

std::size_t size_of_value(const stage& part, const stage_layout& layout, std::size_t i,
                          const loop_schedule& schedule) {
  if (!part.halo.empty()) {
    const output& value = layout.results.outputs[i];
    return static_cast<std::size_t>(num_elements(value.block(layout.results.schedule))) *
           value.type.size();
  }
  const output& value = layout.results.domain_outputs[i];
  const auto size = [&](const index_vector& extents) {
    return static_cast<std::size_t>(num_elements(extents)) * value.type.size();
  };
  switch (completion(part, layout.needs, i)) {
    case task_scope::step:
      return size(value.extents_of(schedule.step));
    case task_scope::sweep:
      return size(value.extents_of(schedule.sweep()));
    case task_scope::task:
      break;
  }
  return size(value.block(schedule));
}

}  // namespace tessera::detail
