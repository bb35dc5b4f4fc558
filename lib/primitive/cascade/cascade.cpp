// SPDX-License-Identifier: Apache-2.0
/// \file
/// Pyramids: functions of an output and of coarser and coarser versions of it, in one task.
///
/// Problem: overviews (means of 2 x 2, of 4 x 4, ...) would each read the level below from a store.
///
/// Idea: when the output of `first` is complete over a box, and before it leaves, run each level on
/// the memory of the output that it reads; then all outputs leave together:
///
///     first: x -> y (8 x 8)     level 0: y -> z (4 x 4)     level 1: z -> w (2 x 2)
///
/// An element of a level is a function of a box of `step` elements along each axis, which no other
/// element reads (`coarser_axes`).
///
/// Invariant: blocks and sweeps consist of whole elements of every level, so no two tasks share an
/// element. Along reduced axes a level has the steps that it would have alone, for equal bits.
/// Reference: image pyramids, Burt and Adelson (1983); OME-Zarr's multiscales.

#include "tessera/primitive/cascade.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/text.hpp"
#include "tessera/core/wide_integer.hpp"

#include "primitive/inner.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace tessera {

namespace {

/// Returns the schedule of `level.then`, which reads `read_output` of tasks of `schedule`.
///
/// Along reduced axes it has the steps that it has alone, so that a fold has the same bits. Along
/// kept axes it has one step, as all of the output is in memory.
walk schedule_of_level(const cascade_level& level, const output& read_output,
                       const walk& schedule) {
  walk level_schedule{level.domain, level.domain, {}};
  const index_vector block = read_output.block(schedule);
  const std::vector<coarser_axis> axes = coarser_axes(level).value();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto [axis, step] = axes[k];
    level_schedule.block[axis] = std::min(level.domain[axis], ceil_divide(block[k], step));
  }
  level_schedule.stream = level_schedule.block;
  const axis_set reduced = level.then->reduced();
  for (std::size_t axis = 0; axis < level.domain.size(); ++axis) {
    const bool has_steps = reduced[axis] && axis < level.stream.size();
    if (has_steps) {
      level_schedule.stream[axis] = std::min(level_schedule.block[axis], level.stream[axis]);
    }
  }
  return level_schedule;
}

/// Returns the box of the domain of `level` that reads the box `read_box` of its operand.
region box_over(const cascade_level& level, const region& read_box) {
  region box = region::whole(level.domain);
  const std::vector<coarser_axis> axes = coarser_axes(level).value();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const auto [axis, step] = axes[k];
    box.start[axis] = std::min(read_box.start[k] / step, level.domain[axis]);
    box.stop[axis] = std::min(ceil_divide(read_box.stop[k], step), level.domain[axis]);
  }
  return box;
}

/// Returns the outputs of `level`, with axes of the domain of `schedule`.
std::vector<output> outputs_of(const cascade_level& level, const output& read_output,
                               const walk& schedule) {
  const walk level_schedule = schedule_of_level(level, read_output, schedule);
  const std::vector<coarser_axis> axes = coarser_axes(level).value();
  std::vector<output> outputs = level.then->outputs(level_schedule);
  for (output& output_spec : outputs) {
    for (output_axis& axis : output_spec.axes) {
      if (axis.how != output_axis::kind::along) continue;
      const auto axis_of_level = std::ranges::find(axes, axis.axis, &coarser_axis::axis);
      const output_axis& read =
          read_output.axes[static_cast<std::size_t>(axis_of_level - axes.begin())];
      const index_t step = read.step * axis_of_level->step;
      axis = {.axis = read.axis,
              .length = step > 1 ? level_schedule.domain[axis.axis] : 0,
              .step = step};
    }
  }
  return outputs;
}

/// Tells whether a box of `extents` consists of whole elements of `outputs`.
bool holds_whole_elements(const std::vector<output>& outputs, const index_vector& extents,
                          const index_vector& domain) {
  return std::ranges::all_of(outputs, [&](const output& output_spec) {
    return std::ranges::all_of(output_spec.axes, [&](const output_axis& axis) {
      return axis.how != output_axis::kind::along || extents[axis.axis] % axis.step == 0 ||
             extents[axis.axis] >= domain[axis.axis];
    });
  });
}

}  // namespace

bool cascade_level::operator==(const cascade_level& other) const {
  return made == other.made && domain == other.domain && stream == other.stream &&
         maps == other.maps && equal(*then, *other.then);
}

std::optional<std::vector<coarser_axis>> coarser_axes(const cascade_level& level) {
  const bool is_function =
      level.then->as_elementwise() != nullptr || !level.then->in_stages().empty();
  const std::size_t rank = level.domain.size();
  if (!is_function || level.maps.empty()) return std::nullopt;
  const axis_set reduced = level.then->reduced();
  std::vector<coarser_axis> axes(level.maps.front().axes().size(), {rank, 0});
  for (const index_map& map : level.maps) {
    if (map.behind() != nullptr || map.domain_rank() != rank || map.axes().size() != axes.size()) {
      return std::nullopt;
    }
    for (std::size_t k = 0; k < axes.size(); ++k) {
      // The range of elements that one element reads, relative to the first one of its box.
      wide_integer least = map[k].offset;
      wide_integer greatest = map[k].offset;
      bool has_kept_term = false;
      for (const axis_term& term : map[k].terms()) {
        if (reduced[term.axis]) {
          const wide_integer last =
              static_cast<wide_integer>(term.step) * (level.domain[term.axis] - 1);
          (last < 0 ? least : greatest) += last;
          continue;
        }
        const bool is_first = axes[k].step == 0;
        if (is_first) axes[k] = {term.axis, term.step};
        if (has_kept_term || axes[k].axis != term.axis || axes[k].step != term.step) {
          return std::nullopt;
        }
        has_kept_term = true;
      }
      if (!has_kept_term || least < 0 || greatest >= axes[k].step) return std::nullopt;
    }
  }
  // Each kept axis goes along exactly one axis of the operand.
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto count = std::ranges::count(axes, axis, &coarser_axis::axis);
    if (count != (reduced[axis] ? 0 : 1)) return std::nullopt;
  }
  return axes;
}

cascade::cascade(primitive_handle first, std::size_t num_first, std::vector<cascade_level> levels)
    : first_(std::move(first)), num_first_(num_first), levels_(std::move(levels)) {}

bool cascade::equals(const primitive& other) const {
  const auto& rhs = static_cast<const cascade&>(other);
  return num_first_ == rhs.num_first_ && levels_ == rhs.levels_ && equal(*first_, *rhs.first_);
}

void cascade::check_portable(const std::string& operation, const std::string& label) const {
  first_->check_portable(operation, label);
  for (const cascade_level& level : levels_) level.then->check_portable(operation, label);
}

std::size_t cascade::num_steps() const {
  std::size_t most = first_->num_steps();
  for (const cascade_level& level : levels_) most = std::max(most, level.then->num_steps());
  return most;
}

double cascade::weight() const {
  double most = first_->weight();
  for (const cascade_level& level : levels_) most = std::max(most, level.then->weight());
  return most;
}

double cascade::element_steps(const walk& schedule) const {
  double steps = first_->element_steps(schedule);
  const std::vector<output> known_outputs = outputs(schedule);
  for (const cascade_level& level : levels_) {
    steps +=
        level.then->element_steps(schedule_of_level(level, known_outputs[level.made], schedule));
  }
  return steps;
}

std::vector<output> cascade::outputs(const walk& schedule) const {
  std::vector<output> result = first_->outputs(schedule);
  for (const cascade_level& level : levels_) {
    const std::vector<output> level_outputs = outputs_of(level, result[level.made], schedule);
    result.insert(result.end(), level_outputs.begin(), level_outputs.end());
  }
  return result;
}

void cascade::check(const operation_rules& rules) const {
  const walk& schedule = rules.how();
  rules.require(num_first_ == rules.maps().size(), "levels of a cascade read outputs alone");
  first_->check(rules);
  const std::vector<output_demand> needs = first_->demand(schedule, num_first_).outputs;
  rules.require(std::ranges::all_of(needs,
                                    [&](const output_demand& demand) {
                                      return demand.leaves_with == needs.front().leaves_with;
                                    }),
                "all outputs of the first primitive leave with one scope");
  std::vector<output> known_outputs = first_->outputs(schedule);
  for (const cascade_level& level : levels_) {
    rules.require(level.made < known_outputs.size(),
                  "a level reads an output of the first primitive or of a level before it");
    const output& read = known_outputs[level.made];
    rules.require(std::ranges::all_of(read.axes, &output_axis::goes_along),
                  "the output that a level reads goes along the domain");
    rules.require(
        std::ranges::all_of(level.domain, [](index_t n) { return 1 <= n && n < greatest_index; }),
        "a level has elements");
    rules.require(level.stream.size() == level.domain.size() &&
                      std::ranges::all_of(level.stream, [](index_t n) { return n > 0; }),
                  "a level has a step along each axis");
    for (const index_map& map : level.maps) rules.check_indices(map);
    const std::optional<std::vector<coarser_axis>> axes = coarser_axes(level);
    rules.require(axes.has_value() && axes->size() == read.axes.size(),
                  "no two elements of a level read one element");
    const index_vector shape = read.shape(schedule);
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const auto [axis, step] = (*axes)[k];
      rules.require(step > 1 || level.domain[axis] == shape[k],
                    "an axis of a level with step 1 has the extent of the axis that it reads");
      rules.require(
          step <= std::max<index_t>(1, schedule.domain[read.axes[k].axis] / read.axes[k].step),
          "the step of a level is at most the extent of the axis that it reads");
    }
    const walk level_schedule = schedule_of_level(level, read, schedule);
    rules.check_block(level_schedule.block);
    level.then->check({rules.name(), level_schedule, level.maps,
                       std::vector<element_type>(level.maps.size(), read.type),
                       std::vector<index_vector>(level.maps.size(), shape)});
    for (const output& level_output : level.then->outputs(level_schedule)) {
      rules.require(std::ranges::all_of(level_output.axes,
                                        [](const output_axis& axis) {
                                          return axis.how != output_axis::kind::per_block &&
                                                 axis.skipped == 0;
                                        }),
                    "the outputs of a level go along its domain");
    }
    const std::vector<output> level_outputs = outputs_of(level, read, schedule);
    rules.require(holds_whole_elements(level_outputs, schedule.block, schedule.domain) &&
                      holds_whole_elements(level_outputs, schedule.leg(), schedule.domain),
                  "no element of a level is cut by blocks");
    known_outputs.insert(known_outputs.end(), level_outputs.begin(), level_outputs.end());
  }
}

// The steps of the levels stand before the first step in which an output of `first` leaves. Behind
// them stands a step for each output that leaves.
task_demand cascade::demand(const walk& schedule, std::size_t /*num_operands*/) const {
  task_demand needs = first_->demand(schedule, num_first_);
  std::vector<output> known_outputs = first_->outputs(schedule);
  std::size_t step = needs.outputs.front().held.last;
  for (const output_demand& demand : needs.outputs) step = std::min(step, demand.held.last);
  const std::size_t first_level = step;
  for (const cascade_level& level : levels_) {
    const walk level_schedule = schedule_of_level(level, known_outputs[level.made], schedule);
    const task_demand then = level.then->demand(level_schedule, level.maps.size());
    needs.own.insert(needs.own.end(), then.own.begin(), then.own.end());
    needs.kept.insert(needs.kept.end(), then.kept.begin(), then.kept.end());
    needs.scratch = std::max(needs.scratch, then.scratch);
    const std::vector<output> level_outputs =
        outputs_of(level, known_outputs[level.made], schedule);
    needs.outputs.insert(needs.outputs.end(), level_outputs.size(),
                         {{step, step}, needs.outputs.front().leaves_with});
    known_outputs.insert(known_outputs.end(), level_outputs.begin(), level_outputs.end());
    ++step;
  }
  for (output_demand& demand : needs.outputs) demand.held.last = step++;
  if (const std::size_t last = needs.last_of_stream; last >= first_level) {
    needs.last_of_stream = step - 1;
    // Operands for the next step must survive the steps in which outputs leave.
    for (operand_demand& operand : needs.operands) {
      if (operand.is_used && operand.used.last >= last) operand.used.last = step - 1;
    }
  }
  needs.is_handed_on = false;
  return needs;
}

/// The task, as the primitive of a level sees it: its operands are outputs of the task.
class cascade::level_blocks final : public detail::inner_blocks {
 public:
  level_blocks(task_blocks& task, const cascade_level& level, const output& read_output,
               std::size_t first_output, std::size_t first_buffer)
      : inner_blocks(task),
        level_(level),
        schedule_(schedule_of_level(level, read_output, task.how())),
        first_output_(first_output),
        first_buffer_(first_buffer),
        operands_(level.maps.size()) {}

  [[nodiscard]] const walk& how() const override { return schedule_; }
  [[nodiscard]] std::size_t num_operands() const override { return operands_.size(); }
  [[nodiscard]] const block_operand& operand(std::size_t i, const region& box) override {
    const index_map& map = level_.maps[i];
    region origin{map(box.start), map(box.start)};
    for (index_t& stop : origin.stop) ++stop;
    const block_result result = task().result(level_.made, origin);
    operands_[i] = {.data = result.data, .strides = map.strides(result.strides)};
    return operands_[i];
  }
  void begin(walk_stretch /*scope*/, const region& /*box*/) override {}
  void end(walk_stretch /*scope*/) override {}
  [[nodiscard]] const region& output_box(std::size_t i) const override {
    return task().output_box(first_output_ + i);
  }
  [[nodiscard]] block_result result(std::size_t i, const region& box) const override {
    return task().result(first_output_ + i, box);
  }
  [[nodiscard]] std::span<std::byte> own(std::size_t i) const override {
    return task().own(first_buffer_ + i);
  }

 private:
  const cascade_level& level_;
  walk schedule_;
  std::size_t first_output_;
  std::size_t first_buffer_;
  std::vector<block_operand> operands_;
};

/// The task, as `first` sees it. Runs all levels on the outputs of `first` before these leave.
class cascade::first_blocks final : public detail::inner_blocks {
 public:
  first_blocks(const cascade& owner, task_blocks& task)
      : inner_blocks(task),
        owner_(owner),
        outputs_(owner.outputs(task.how())),
        needs_(owner.first_->demand(task.how(), owner.num_first_)) {}

  void end(walk_stretch scope) override {
    if (scope == stretch()) run_levels();
    task().end(scope);
  }

  /// The scope whose end lets the outputs of `first` leave.
  [[nodiscard]] walk_stretch stretch() const { return needs_.outputs.front().leaves_with; }

  void run_levels() {
    std::size_t first_output = needs_.outputs.size();
    std::size_t first_buffer = needs_.own.size();
    for (const cascade_level& level : owner_.levels_) {
      level_blocks blocks(task(), level, outputs_[level.made], first_output, first_buffer);
      const region box = box_over(level, task().output_box(level.made));
      if (!box.empty()) level.then->run(blocks, box);
      const task_demand needs = level.then->demand(blocks.how(), level.maps.size());
      first_output += needs.outputs.size();
      first_buffer += needs.own.size();
    }
  }

 private:
  const cascade& owner_;
  std::vector<output> outputs_;
  task_demand needs_;
};

void cascade::run(task_blocks& blocks, const region& box) const {
  first_blocks first(*this, blocks);
  first_->run(first, box);
  if (first.stretch() == walk_stretch::task) first.run_levels();
}

description cascade::describe(const std::string& operation, const walk& schedule,
                              const operand_words& words) const {
  description result = first_->describe(operation, schedule, words);
  const std::vector<output> known_outputs = outputs(schedule);
  for (const cascade_level& level : levels_) {
    const std::vector<std::string> names(level.maps.size(), level.name);
    const description level_words = level.then->describe(
        operation, schedule_of_level(level, known_outputs[level.made], schedule), {names, names});
    result.outputs.insert(result.outputs.end(), level_words.outputs.begin(),
                          level_words.outputs.end());
  }
  result.label = listed(result.outputs);
  return result;
}

}  // namespace tessera
