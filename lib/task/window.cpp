// SPDX-License-Identifier: Apache-2.0
#include "task/window.hpp"

#include "core/api/gather_cursor.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>

namespace tessera {

window::window(const planned_operation& planned, const planned_window& plan,
               std::span<const live_array> arrays, std::span<std::byte> memory)
    : planned_(&planned),
      plan_(&plan),
      array_(&arrays[planned.inputs[plan.operands.front()].array]),
      memory_(memory) {}

namespace {

index_vector chunks_of_one(const index_vector& shape) {
  index_vector chunks = shape;
  for (index_t& chunk : chunks) chunk = std::max<index_t>(1, chunk);
  return chunks;
}

}  // namespace

void window::round_to_chunks(region& box) const {
  for (std::size_t k = 0; k < box.rank(); ++k) {
    const index_t chunk = source().read_grid().chunks()[k];
    box.start[k] -= box.start[k] % chunk;
    box.stop[k] = ceil_divide(box.stop[k], chunk) * chunk;
  }
}

void window::forget() {
  step_.reset();
  loaded_box_.reset();
}

std::span<std::byte> window::buffer(std::size_t id) const {
  if (id == no_buffer) return {};
  const scheduled_buffer& scheduled = planned_->buffers.buffers()[id];
  return memory_.subspan(scheduled.offset, scheduled.size);
}

// The image of a hull of pieces may exceed the array: the pieces do not read these indices. The
// clipped box begins with an element of the window's spacing.
void window::clip(region& box, const index_vector& extents) const {
  for (std::size_t k = 0; k < box.rank(); ++k) {
    const index_t missing = std::max<index_t>(0, -box.start[k]);
    box.start[k] += ceil_divide(missing, plan_->spacing[k]) * plan_->spacing[k];
    box.stop[k] = std::min(box.stop[k], extents[k]);
  }
}

region window::read_part(std::size_t i, region box) const {
  if (box.empty()) return box;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (plan_->at_start[i][axis]) box.stop[axis] = box.start[axis] + 1;
  }
  return box;
}

region window::image(const region& box) const {
  std::optional<region> hull_of_operands;
  for (std::size_t i = 0; i < plan_->operands.size(); ++i) {
    const region part = read_part(i, intersect(box, plan_->where[i]));
    if (part.empty()) continue;
    const index_map& map = planned_->op.operands[plan_->operands[i]];
    region shown = map.image(part);
    clip(shown, map.gather() == nullptr ? array_->planned->shape : map.gather()->domain());
    if (shown.empty()) continue;
    hull_of_operands = hull_of_operands ? hull(*hull_of_operands, shown) : shown;
  }
  if (!hull_of_operands) return {index_vector(rank()), index_vector(rank())};
  return *hull_of_operands;
}

region window::needed_box(const region& step, const region& task) const {
  region narrow = image(step);
  if (plan_->walked == no_axis) {
    if (plan_->chunk == no_buffer && array_->source != nullptr) round_to_chunks(narrow);
    return narrow;
  }
  region wide = step;
  wide.start[plan_->walked_along] = task.start[plan_->walked_along];
  wide.stop[plan_->walked_along] = task.stop[plan_->walked_along];
  region needed = image(wide);
  needed.start[plan_->walked] = narrow.start[plan_->walked];
  needed.stop[plan_->walked] = narrow.stop[plan_->walked];
  return needed;
}

void window::read(const region& step, const region& task) {
  if (step_ == step) return;
  step_ = step;
  const region needed = needed_box(step, task);
  if (plan_->walked != no_axis) {
    advance(needed);
  } else if (loaded_box_ != needed) {
    set_layout(needed);
    is_uniform_ = false;
    if (planned_->op.operands[plan_->operands.front()].gather() != nullptr) {
      gather_from(needed);
    } else {
      is_uniform_ = !read_from(needed, 0);
    }
    loaded_box_ = needed;
  }
}

void window::set_layout(const region& box) {
  index_vector counts(box.rank());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    counts[k] = ceil_divide(box.stop[k] - box.start[k], plan_->spacing[k]);
  }
  if (plan_->walked != no_axis) counts[plan_->walked] = plan_->extents[plan_->walked];
  strides_ = row_major_strides(counts);
  const auto needed = static_cast<std::size_t>(num_elements(counts)) * itemsize();
  if (needed > buffer(plan_->buffer).size()) {
    throw std::logic_error(fmt::format(
        "a task of '{}' reads {} of '{}', {} bytes, into a buffer of {}; the plan is wrong, please "
        "report it",
        planned_->label, format_region(box), array_->planned->name, needed,
        buffer(plan_->buffer).size()));
  }
}

bool window::read_from(const region& box, index_t first) {
  const std::span<std::byte> memory = buffer(plan_->buffer);
  region rest = box;
  std::size_t skipped = 0;
  if (plan_->walked != no_axis) {
    const std::size_t k = plan_->walked;
    rest.start[k] = first;
    skipped = static_cast<std::size_t>((first - box.start[k]) / plan_->spacing[k] * strides_[k]);
  }
  return source().read_region(rest, memory.subspan(skipped * itemsize()), buffer(plan_->chunk),
                              buffer(plan_->encoded), plan_->spacing, strides_);
}

void window::gather_from(const region& box) {
  const gather& index_gather = *planned_->op.operands[plan_->operands.front()].gather();
  std::byte* const target = buffer(plan_->buffer).data();
  const std::span<std::byte> order_bytes = buffer(plan_->order);
  const std::span order(reinterpret_cast<std::uint64_t*>(order_bytes.data()),
                        order_bytes.size() / sizeof(std::uint64_t));
  const bool is_stored = array_->source != nullptr;
  // An array in memory counts as one chunk.
  const index_vector chunks =
      is_stored ? source().read_grid().chunks() : chunks_of_one(array_->planned->shape);
  const index_vector& strides = is_stored ? source().chunk_strides() : array_->strides;
  const std::byte* source_data = array_->data;
  gather_cursor cursor(index_gather, chunks, box, order);
  while (cursor.next()) {
    if (is_stored) {
      const std::span<std::byte> decoded = buffer(plan_->chunk);
      if (!source().read_chunk(cursor.chunk(), decoded, buffer(plan_->encoded))) {
        fill_chunk(decoded, source());
      }
      source_data = decoded.data();
    }
    cursor.copy(target, strides_, source_data, strides, itemsize());
  }
}

void window::advance(const region& box) {
  const std::size_t k = plan_->walked;
  const index_t chunk = source().read_grid().chunks()[k];
  region rounded = box;
  rounded.stop[k] = std::min(ceil_divide(box.stop[k], chunk) * chunk, source().shape()[k]);
  index_t first = box.start[k];
  if (loaded_box_ && loaded_box_->start[k] <= first && first < loaded_box_->stop[k]) {
    region shifted = *loaded_box_;
    shifted.start[k] = rounded.start[k];
    shifted.stop[k] = rounded.stop[k];
    if (shifted == rounded) first = keep_behind(first);
  }
  if (first == box.start[k]) set_layout(rounded);
  if (first < box.stop[k]) {
    read_from(rounded, first);
    loaded_box_ = rounded;
  } else {
    loaded_box_->start[k] = box.start[k];
  }
}

index_t window::keep_behind(index_t first) {
  const std::size_t k = plan_->walked;
  const index_t dropped = (first - loaded_box_->start[k]) / plan_->spacing[k];
  const index_t kept = ceil_divide(loaded_box_->stop[k] - first, plan_->spacing[k]);
  const std::size_t row = static_cast<std::size_t>(strides_[k]) * itemsize();
  index_t num_outer = 1;
  for (std::size_t axis = 0; axis < k; ++axis) {
    num_outer *=
        ceil_divide(loaded_box_->stop[axis] - loaded_box_->start[axis], plan_->spacing[axis]);
  }
  std::byte* to = buffer(plan_->buffer).data();
  for (index_t outer = 0; outer < num_outer && dropped > 0; ++outer) {
    std::memmove(to, to + static_cast<std::size_t>(dropped) * row,
                 static_cast<std::size_t>(kept) * row);
    to += static_cast<std::size_t>(plan_->extents[k]) * row;
  }
  return first + kept * plan_->spacing[k];
}

// Plans are checked before they run. This check stops a wrong plan from reading beyond its buffers.
void window::require_loaded(const region& box) const {
  if (box.empty() || (loaded_box_ && loaded_box_->contains(box))) return;
  throw std::logic_error(fmt::format(
      "a task of '{}' asks for {} of '{}' and holds {}; the plan is wrong, please report it",
      planned_->label, format_region(box), array_->planned->name,
      loaded_box_ ? format_region(*loaded_box_) : "nothing"));
}

block_operand window::operand(std::size_t number, const region& box) const {
  const index_map& map = planned_->op.operands[number];
  const auto match = std::find(plan_->operands.begin(), plan_->operands.end(), number);
  const auto i = static_cast<std::size_t>(match - plan_->operands.begin());
  require_loaded(map.image(read_part(i, box)));
  const auto item = static_cast<index_t>(itemsize());
  const index_vector first = map(box.start);
  block_operand result{.data = buffer(plan_->buffer).data(),
                       .strides = index_vector(map.domain_rank()),
                       .is_uniform = is_uniform_};
  for (std::size_t k = 0; k < first.size(); ++k) {
    const index_t stride = strides_[k] * item;
    result.data += (first[k] - loaded_box_->start[k]) / plan_->spacing[k] * stride;
    for (const axis_term& term : map[k].terms()) {
      result.strides[term.axis] += term.step / plan_->spacing[k] * stride;
    }
  }
  return result;
}

const std::byte* window::read_chunk(const index_vector& chunk) {
  const std::span<std::byte> decoded = buffer(plan_->buffer);
  const region chunk_box{chunk, chunk};
  if (loaded_box_ == chunk_box) return decoded.data();
  is_uniform_ = !source().read_chunk(chunk, decoded, buffer(plan_->encoded));
  if (is_uniform_) fill_chunk(decoded, source());
  loaded_box_ = chunk_box;
  return decoded.data();
}

}  // namespace tessera
