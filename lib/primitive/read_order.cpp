// SPDX-License-Identifier: Apache-2.0
#include "primitive/api/read_order.hpp"

#include "primitive/api/block_function.hpp"
#include "primitive/api/strips.hpp"
#include "primitive/copy/copy.hpp"
#include "primitive/prologue/prologue.hpp"

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

std::optional<step_cursor> steps_of(const primitive& op, const loop_schedule& schedule,
                                    const region& box) {
  if (is_copy(op)) return step_cursor(box);
  const bool is_driven = op.is_passive() && !op.carries();
  const bool is_known = dynamic_cast<const strips*>(&op) != nullptr ||
                        dynamic_cast<const block_function*>(&op) != nullptr ||
                        dynamic_cast<const prologue*>(&op) != nullptr;
  if (!is_driven || !is_known) return std::nullopt;
  return step_cursor(schedule, box);
}

void for_each_read(const primitive& op, std::size_t num_operands, const region& step,
                   const read_visitor& visit) {
  if (const auto* const computed = dynamic_cast<const prologue*>(&op)) {
    return computed->for_each_read(step, visit);
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
