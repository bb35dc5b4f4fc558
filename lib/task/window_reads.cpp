// SPDX-License-Identifier: Apache-2.0
#include "task/window_reads.hpp"

#include "core/api/gather.hpp"

#include <algorithm>

namespace tessera {

void window_reads::forget() {
  step_.reset();
  held_.reset();
}

void window_reads::round_to_chunks(region& box) const {
  for (std::size_t k = 0; k < box.rank(); ++k) {
    const index_t chunk = source().read_grid().chunks()[k];
    box.start[k] -= box.start[k] % chunk;
    box.stop[k] = ceil_divide(box.stop[k], chunk) * chunk;
  }
}

// The image of a hull of pieces may exceed the array: the pieces do not read these indices. The
// clipped box begins with an element of the window's spacing.
void window_reads::clip(region& box, const index_vector& extents) const {
  for (std::size_t k = 0; k < box.rank(); ++k) {
    const index_t missing = std::max<index_t>(0, -box.start[k]);
    box.start[k] += ceil_divide(missing, plan_->spacing[k]) * plan_->spacing[k];
    box.stop[k] = std::min(box.stop[k], extents[k]);
  }
}

region window_reads::read_part(std::size_t i, region box) const {
  if (box.empty()) return box;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (plan_->at_start[i][axis]) box.stop[axis] = box.start[axis] + 1;
  }
  return box;
}

region window_reads::image(const region& box) const {
  std::optional<region> hull_of_operands;
  for (std::size_t i = 0; i < plan_->operands.size(); ++i) {
    const region part = read_part(i, intersect(box, plan_->where[i]));
    if (part.empty()) continue;
    const index_map& map = planned_->op.operands[plan_->operands[i]];
    region shown = map.image(part);
    clip(shown, map.gather() == nullptr ? array_->planned->shape : map.gather()->domain());
    if (shown.empty()) continue;
    extend(hull_of_operands, shown);
  }
  if (!hull_of_operands) return {index_vector(rank()), index_vector(rank())};
  return *hull_of_operands;
}

region window_reads::needed_box(const region& step, const region& task) const {
  region narrow = image(step);
  if (plan_->overlap_axis == no_axis) {
    if (plan_->chunk == no_buffer && array_->source != nullptr) round_to_chunks(narrow);
    return narrow;
  }
  region wide = step;
  wide.start[plan_->overlap_axis_of_domain] = task.start[plan_->overlap_axis_of_domain];
  wide.stop[plan_->overlap_axis_of_domain] = task.stop[plan_->overlap_axis_of_domain];
  region needed = image(wide);
  needed.start[plan_->overlap_axis] = narrow.start[plan_->overlap_axis];
  needed.stop[plan_->overlap_axis] = narrow.stop[plan_->overlap_axis];
  return needed;
}

std::optional<window_change> window_reads::advance(const region& step, const region& task) {
  if (step_ == step) return std::nullopt;
  step_ = step;
  const region needed = needed_box(step, task);
  if (plan_->overlap_axis != no_axis) return advance_to(needed);
  if (held_ == needed) return std::nullopt;
  held_ = needed;
  return window_change{.box = needed, .missing = needed};
}

window_change window_reads::advance_to(const region& box) {
  const std::size_t k = plan_->overlap_axis;
  const index_t chunk = source().read_grid().chunks()[k];
  const index_t begin = box.start[k];
  region rounded = box;
  rounded.stop[k] = std::min(ceil_divide(box.stop[k], chunk) * chunk, source().shape()[k]);
  window_change change{.box = rounded, .missing = rounded};
  if (held_ && held_->start[k] <= begin && begin < held_->stop[k]) {
    region shifted = *held_;
    shifted.start[k] = rounded.start[k];
    shifted.stop[k] = rounded.stop[k];
    if (shifted == rounded) {
      change.before = held_;
      const index_t num_kept = ceil_divide(held_->stop[k] - begin, plan_->spacing[k]);
      change.missing.start[k] = begin + num_kept * plan_->spacing[k];
    }
  }
  change.is_read = change.missing.start[k] < box.stop[k];
  if (change.is_read || !held_) {
    held_ = rounded;
  } else {
    held_->start[k] = begin;
  }
  return change;
}

bool window_reads::advance_to_chunk(const index_vector& chunk) {
  const region position{chunk, chunk};
  if (held_ == position) return false;
  held_ = position;
  return true;
}

}  // namespace tessera
