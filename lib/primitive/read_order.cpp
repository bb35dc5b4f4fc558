// SPDX-License-Identifier: Apache-2.0
#include "primitive/api/read_order.hpp"

#include "primitive/api/block_function.hpp"
#include "primitive/api/strips.hpp"
#include "primitive/composition/composition.hpp"
#include "primitive/composition/halo.hpp"
#include "primitive/composition/layout.hpp"
#include "primitive/copy/copy.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

step_cursor::parts::parts(const region& box, const index_vector& extents)
    : start_(box.start), grid_(box.shape(), extents) {}

std::optional<region> step_cursor::parts::next() {
  if (number_ == grid_.size()) return std::nullopt;
  region part = grid_.chunk_region(grid_.chunk_at(number_++));
  for (std::size_t axis = 0; axis < part.rank(); ++axis) {
    part.start[axis] += start_[axis];
    part.stop[axis] += start_[axis];
  }
  return part;
}

step_cursor::step_cursor(const loop_schedule& schedule, const region& box)
    : step_(schedule.step), sweeps_(box, schedule.sweep()) {}

namespace {

index_vector extents_of_one(const region& box) {
  index_vector extents = box.shape();
  for (index_t& extent : extents) extent = std::max<index_t>(1, extent);
  return extents;
}

}  // namespace

step_cursor::step_cursor(const region& box)
    : step_(extents_of_one(box)), sweeps_(box, extents_of_one(box)) {}

bool step_cursor::next(region& step) {
  while (true) {
    if (steps_) {
      if (auto part = steps_->next()) {
        step = *std::move(part);
        return true;
      }
    }
    const std::optional<region> sweep = sweeps_.next();
    if (!sweep) return false;
    steps_.emplace(*sweep, step_);
  }
}

namespace {

/// Tells whether `op` asks for its operands over a step, or over pieces of one.
bool has_known_reads(const primitive& op) {
  return dynamic_cast<const strips*>(&op) != nullptr ||
         dynamic_cast<const block_function*>(&op) != nullptr;
}

/// Tells whether all stages that read operands take steps, in a known order.
bool reads_in_steps(const composition& op) {
  return std::ranges::all_of(op.stages(), [](const stage& part) {
    if (part.at != task_scope::step) {
      return std::ranges::all_of(part.inputs,
                                 [](const stage_input& input) { return input.stage.has_value(); });
    }
    return part.op->is_passive() && !part.op->carries() && has_known_reads(*part.op);
  });
}

/// Calls `visit` with each operand of the operation that the stages ask for in `step`, in order.
void for_each_read_of_stages(const composition& op, const loop_schedule& schedule,
                             const region& step, const read_visitor& visit) {
  for (const stage& part : op.stages()) {
    if (part.at != task_scope::step) continue;
    const auto visit_operand = [&](std::size_t i, const region& box) {
      const stage_input& input = part.inputs[i];
      if (!input.stage) visit(input.number, part.frame ? detail::cover_of(part, box, step) : box);
    };
    const loop_schedule steps = detail::schedule_of(part, schedule);
    step_cursor cursor(steps, detail::box_of(part, schedule, step));
    region box;
    while (cursor.next(box)) {
      for_each_read(*part.op, steps, part.inputs.size(), box, visit_operand);
    }
  }
}

}  // namespace

std::optional<step_cursor> steps_of(const primitive& op, const loop_schedule& schedule,
                                    const region& box) {
  if (is_copy(op)) return step_cursor(box);
  const bool is_driven = op.is_passive() && !op.carries();
  if (const auto* const composed = dynamic_cast<const composition*>(&op)) {
    return reads_in_steps(*composed) ? std::optional(step_cursor(schedule, box)) : std::nullopt;
  }
  if (!is_driven || !has_known_reads(op)) return std::nullopt;
  return step_cursor(schedule, box);
}

void for_each_read(const primitive& op, const loop_schedule& schedule, std::size_t num_operands,
                   const region& step, const read_visitor& visit) {
  if (const auto* const composed = dynamic_cast<const composition*>(&op)) {
    return for_each_read_of_stages(*composed, schedule, step, visit);
  }
  if (const auto* const pieces = dynamic_cast<const strips*>(&op)) {
    for (const piece& part : pieces->pieces().near(step)) {
      const region overlap = intersect(step, part.box);
      if (overlap.empty()) continue;
      for (const std::size_t operand : part.operands) visit(operand, overlap);
    }
    return;
  }
  for (std::size_t operand = 0; operand < num_operands; ++operand) visit(operand, step);
}

}  // namespace tessera
