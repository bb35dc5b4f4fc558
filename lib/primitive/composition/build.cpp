// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compositions, as the planner builds them: a stage behind a primitive or behind other stages.

#include "primitive/api/build.hpp"

#include "tessera/core/error.hpp"

#include "primitive/api/strips.hpp"
#include "primitive/composition/composition.hpp"
#include "primitive/composition/halo.hpp"
#include "primitive/composition/layout.hpp"
#include "primitive/composition/reads.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

bool is_seen_from_domain(const index_map& map, const output& result) {
  for (std::size_t k = 0; k < result.axes.size(); ++k) {
    if (!result.axes[k].is_of_domain() && map.depends_on(k)) return false;
  }
  return true;
}

index_map from_output(const index_map& map, const output& result) {
  std::vector<axis_map> axes;
  for (const axis_map& along : map.axes()) {
    axis_map output_axis_map(along.offset);
    for (const axis_term& term : along.terms()) {
      const auto match = std::ranges::find_if(result.axes, [&](const output_axis& axis) {
        return axis.is_of_domain() && axis.axis == term.axis;
      });
      if (match == result.axes.end()) throw value_error("an operand is not seen from an output");
      output_axis_map.add({static_cast<std::size_t>(match - result.axes.begin()), term.step});
    }
    axes.push_back(output_axis_map);
  }
  return {result.axes.size(), std::move(axes), map.gather()};
}

index_map to_output(std::size_t rank, const output& result) {
  std::vector<axis_map> axes;
  for (const output_axis& axis : result.axes) {
    axes.push_back(axis.is_of_domain() ? axis_map(axis.axis, 0, 1) : axis_map());
  }
  return {rank, std::move(axes)};
}

namespace {

const composition* as_composition(const primitive& op) {
  return dynamic_cast<const composition*>(&op);
}

/// Returns the operands of a stage that reads the first `count` operands of the operation.
std::vector<stage_input> first_operands(std::size_t count) {
  std::vector<stage_input> inputs(count);
  for (std::size_t i = 0; i < count; ++i) inputs[i].number = i;
  return inputs;
}

/// Returns the stages of `op`, of `num_operands`.
std::vector<stage> stages_of(const primitive_handle& op, std::size_t num_operands) {
  if (const composition* const known = as_composition(*op)) return known->stages();
  return {{.op = op,
           .inputs = first_operands(num_operands),
           .at = op->is_passive() ? task_scope::step : task_scope::task,
           .is_emitted = true}};
}

/// Returns the frame of a stage of the whole domain, of rank `rank`.
std::vector<output_axis> whole_frame(std::size_t rank) {
  std::vector<output_axis> frame(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) frame[axis].axis = axis;
  return frame;
}

/// An output of a stage, and the scope that it is complete behind.
struct stage_value {
  std::size_t stage = 0;
  std::size_t number = 0;
  output spec;
  task_scope scope = task_scope::task;
};

/// Returns output `number` of the operation.
stage_value emitted_value(const std::vector<stage>& stages, std::size_t number,
                          const loop_schedule& schedule) {
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (!stages[s].is_emitted) continue;
    const detail::stage_outputs outputs = detail::outputs_of(stages[s], schedule);
    if (number >= outputs.domain_outputs.size()) {
      number -= outputs.domain_outputs.size();
      continue;
    }
    const task_demand needs = stages[s].op->demand(outputs.schedule, stages[s].inputs.size());
    return {s, number, outputs.domain_outputs[number],
            detail::completion(stages[s], needs, number)};
  }
  throw value_error("a stage reads an output that the operation does not have");
}

/// Returns the axes of the domain of `level` of the operand `read`. A reduced axis is an extra one.
std::vector<output_axis> frame_of(const pyramid_level& level, const output& read) {
  std::vector<output_axis> frame;
  for (const index_t extent : level.domain) {
    frame.push_back({.origin = output_axis::kind::extra, .length = extent});
  }
  const std::vector<coarser_axis> axes = coarser_axes(level).value();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const index_t step = read.axes[k].step * axes[k].step;
    frame[axes[k].axis] = {.axis = read.axes[k].axis,
                           .length = step > 1 ? level.domain[axes[k].axis] : 0,
                           .step = step};
  }
  return frame;
}

}  // namespace

bool takes_stages(const primitive& op, const loop_schedule& schedule, std::size_t num_operands) {
  if (op.is_passive() || as_composition(op) != nullptr) return true;
  return std::ranges::all_of(
      op.demand(schedule, num_operands).outputs,
      [](const output_demand& demand) { return demand.emitted_per == task_scope::task; });
}

primitive_handle hold_block(primitive_handle fold, std::size_t num_operands, index_vector step,
                            primitive_handle map, const std::vector<map_input>& inputs,
                            bool emits_fold, const loop_schedule& schedule) {
  const std::vector<output> results = fold->outputs(schedule);
  stage first{.op = std::move(fold),
              .inputs = first_operands(num_operands),
              .at = task_scope::task,
              .step = std::move(step),
              .is_emitted = emits_fold};
  stage second{.op = std::move(map), .inputs = {}, .at = task_scope::task, .is_emitted = true};
  for (const map_input& input : inputs) {
    stage_input& added = second.inputs.emplace_back();
    added.number = input.number;
    if (!input.is_output) continue;
    added.stage = 0;
    added.map = to_output(schedule.rank(), results[input.number]);
  }
  second.frame = whole_frame(schedule.rank());
  return std::make_shared<const composition>(std::vector{std::move(first), std::move(second)});
}

primitive_handle join_fold(const primitive_handle& lines, std::size_t num_operands,
                           primitive_handle fold, index_vector step,
                           const std::vector<map_input>& inputs, const loop_schedule& schedule) {
  std::vector<stage> stages = stages_of(lines, num_operands);
  if (stages.front().is_leading()) {
    stages.front().at = task_scope::task;
    for (const index_t extent : schedule.domain) {
      stages.front().step.push_back(std::max<index_t>(1, extent));
    }
  }
  if (stages.size() == composition::most_stages) return nullptr;
  stage last{.op = std::move(fold),
             .inputs = {},
             .frame = whole_frame(schedule.rank()),
             .at = task_scope::task,
             .step = std::move(step),
             .is_emitted = true};
  for (const map_input& input : inputs) {
    stage_input& added = last.inputs.emplace_back();
    added.number = input.number;
    if (!input.is_output) continue;
    const stage_value value = emitted_value(stages, input.number, schedule);
    added = {value.stage, value.number, to_output(schedule.rank(), value.spec)};
  }
  stages.push_back(std::move(last));
  return std::make_shared<const composition>(std::move(stages));
}

primitive_handle append_epilogue(const primitive_handle& first, std::size_t num_operands,
                                 primitive_handle map,
                                 const std::vector<std::optional<std::size_t>>& outputs,
                                 const loop_schedule& schedule) {
  std::vector<stage> stages = stages_of(first, num_operands);
  const stage_value value = emitted_value(stages, 0, schedule);
  stages[value.stage].is_emitted = false;
  stage last{.op = std::move(map),
             .inputs = {},
             .frame = value.spec.axes,
             .at = value.scope,
             .is_emitted = true};
  for (const std::optional<std::size_t> number : outputs) {
    stage_input& input = last.inputs.emplace_back();
    if (number) {
      input = {value.stage, *number, index_map::identity(value.spec.axes.size())};
    } else {
      input.number = num_operands++;
    }
  }
  stages.push_back(std::move(last));
  return std::make_shared<const composition>(std::move(stages));
}

namespace {

/// Returns the frame of a stage of an operation, whose axes are `axes` of a merged operation.
std::vector<output_axis> frame_within(const stage& part, const std::vector<std::size_t>& axes) {
  std::vector<output_axis> frame;
  if (part.frame) {
    frame = *part.frame;
  } else {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) frame.push_back({.axis = axis});
  }
  for (output_axis& axis : frame) {
    if (axis.origin != output_axis::kind::extra) axis.axis = axes[axis.axis];
  }
  return frame;
}

/// Returns the steps of a stage that computes its part of `domain` as a whole. Along reduced axes
/// it has the `step` that it has alone, so that a fold has the same bits. Along kept axes its part
/// is one step: a kernel of blocks writes a whole block at each step.
index_vector steps_alone(const primitive& op, const index_vector& domain,
                         const index_vector& step) {
  const axis_set reduced = op.reduced();
  index_vector steps = domain;
  for (std::size_t axis = 0; axis < steps.size(); ++axis) {
    steps[axis] = std::max<index_t>(1, reduced[axis] ? step[axis] : domain[axis]);
  }
  return steps;
}

/// Gives `part`, a stage of `producer`, the halos of the producer. Returns false if it has a halo
/// along the same axis, or as long as that axis.
bool add_halos(stage& part, const merged_producer& producer, const loop_schedule& schedule) {
  std::vector<halo_axis> added;
  for (const halo_axis& halo : producer.halo) {
    if (std::ranges::find(part.halo, halo.axis, &halo_axis::by) != part.halo.end()) return false;
    for (std::size_t k = 0; k < schedule.rank(); ++k) {
      const bool is_along = part.frame ? (*part.frame)[k].is_of_domain() : true;
      const std::size_t axis = part.frame ? (*part.frame)[k].axis : k;
      if (!is_along || axis != halo.axis) continue;
      if (std::ranges::find(part.halo, k, &halo_axis::axis) != part.halo.end()) return false;
      added.push_back({k, halo.by, halo.offset, std::max<index_t>(1, schedule.domain[k])});
    }
  }
  for (halo_axis& halo : part.halo) halo.by = producer.axes[halo.by];
  part.halo.insert(part.halo.end(), added.begin(), added.end());
  return true;
}

/// Returns the stages of `producer`, each computing its part of a step or task as a whole. Returns
/// none if a stage would have two halos along an axis.
std::vector<stage> stages_within(const merged_producer& producer, task_scope scope) {
  std::vector<stage> stages = stages_of(producer.op, producer.operands.size());
  for (stage& part : stages) {
    const loop_schedule schedule = detail::schedule_of(part, producer.schedule);
    const bool has_steps = part.is_leading() || !part.step.empty();
    part.step = steps_alone(*part.op, schedule.domain, has_steps ? schedule.step : schedule.domain);
    if (!add_halos(part, producer, schedule)) return {};
    part.frame = frame_within(part, producer.axes);
    part.at = scope;
    part.is_emitted = false;
    for (stage_input& input : part.inputs) {
      if (!input.stage) input.number = producer.operands[input.number];
    }
  }
  return stages;
}

/// Points the inputs of `part`, a stage of `reader`, at the operands and stages of the merged
/// operation, in which output `value`, named `name`, takes the place of an operand. Returns false
/// if it cannot: the output is complete at another scope.
bool redirect(stage& part, const merged_reader& reader, const stage_value& value,
              const std::string& name, std::size_t num_before) {
  for (stage_input& input : part.inputs) {
    if (input.stage) {
      *input.stage += num_before;
      continue;
    }
    if (const std::optional<std::size_t> operand = reader.operands[input.number]) {
      input.number = *operand;
      continue;
    }
    const index_map& map = reader.maps[input.number];
    if (part.at != value.scope) return false;
    const index_map view = part.frame ? detail::seen_from(part, map) : map;
    input = {value.stage, value.number, view, name};
  }
  return true;
}

/// Tells whether `producer` may compute its part before `first`, the first stage of `reader`: of a
/// step, or of a block that `first` takes in steps that it has alone.
bool takes_producer(const stage& first, const merged_reader& reader,
                    const merged_producer& producer) {
  if (first.at == task_scope::step) return true;
  const auto is_private = [&](std::size_t axis) { return axis >= reader.rank; };
  return first.at == task_scope::task && !first.is_leading() &&
         producer.op->as_elementwise() != nullptr &&
         std::ranges::none_of(producer.axes, is_private);
}

}  // namespace

primitive_handle prepend_producer(const merged_reader& reader, const merged_producer& producer) {
  std::vector<stage> readers = stages_of(reader.op, reader.operands.size());
  const task_scope scope = readers.front().at;
  if (!takes_producer(readers.front(), reader, producer)) return nullptr;
  stage_value value =
      emitted_value(stages_of(producer.op, producer.operands.size()), 0, producer.schedule);
  value.scope = scope;
  std::vector<stage> stages = stages_within(producer, scope);
  if (stages.empty()) return nullptr;
  const std::size_t num_before = stages.size();
  std::vector<std::size_t> axes(reader.rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  for (stage& part : readers) {
    if (!redirect(part, reader, value, producer.name, num_before)) return nullptr;
    // The merged operation has axes that only the producer has.
    if (!part.frame) part.frame = frame_within(part, axes);
    stages.push_back(std::move(part));
    if (!detail::reads_computed(stages, stages.size() - 1, reader.schedule)) return nullptr;
  }
  if (stages.size() > composition::most_stages) return nullptr;
  return std::make_shared<const composition>(std::move(stages));
}

bool may_have_halo(const primitive& op) {
  if (const composition* const known = as_composition(op)) {
    return std::ranges::all_of(known->stages(),
                               [](const stage& part) { return may_have_halo(*part.op); });
  }
  return dynamic_cast<const strips*>(&op) != nullptr;
}

double runs_of_producers(const primitive& op, const loop_schedule& schedule) {
  double most = 1;
  const composition* const known = as_composition(op);
  if (known == nullptr) return most;
  for (const stage& part : known->stages()) {
    if (part.op->as_elementwise() != nullptr) continue;
    most = std::max(most, detail::times_repeated(part, schedule));
  }
  return most;
}

primitive_handle append_level(const primitive_handle& op, std::size_t num_operands,
                              const pyramid_level& level, const loop_schedule& schedule) {
  std::vector<stage> stages = stages_of(op, num_operands);
  if (stages.size() == composition::most_stages) return nullptr;
  const stage_value value = emitted_value(stages, level.output, schedule);
  stage last{.op = level.op,
             .inputs = {},
             .frame = frame_of(level, value.spec),
             .at = value.scope,
             .step = steps_alone(*level.op, level.domain, level.step),
             .is_emitted = true};
  for (const index_map& map : level.maps) {
    last.inputs.push_back({value.stage, value.number, map, level.name});
  }
  stages.push_back(std::move(last));
  return std::make_shared<const composition>(std::move(stages));
}

std::size_t count_levels(const primitive& op) {
  const composition* const known = as_composition(op);
  if (known == nullptr) return 0;
  const auto emitted = std::ranges::count_if(known->stages(), &stage::is_emitted);
  return static_cast<std::size_t>(emitted) - 1;
}

primitive_handle without_levels(const primitive_handle& op) {
  if (count_levels(*op) == 0) return op;
  const std::vector<stage>& stages = as_composition(*op)->stages();
  const auto base = std::ranges::find_if(stages, &stage::is_emitted);
  if (base == stages.begin() && base->is_leading()) return base->op;
  return std::make_shared<const composition>(std::vector<stage>(stages.begin(), base + 1));
}

}  // namespace tessera
