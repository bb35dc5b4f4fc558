// SPDX-License-Identifier: Apache-2.0
#include "task/window.hpp"

#include "tessera/core/gather_walk.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>

namespace tessera {

window::window(const planned_operation& planned, const planned_window& what,
               std::span<const live_array> arrays, std::span<std::byte> memory)
    : planned_(&planned),
      what_(&what),
      array_(&arrays[planned.inputs[what.operands.front()].array]),
      memory_(memory) {}

namespace {

index_vector one_chunk(const index_vector& shape) {
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
  held_.reset();
}

std::span<std::byte> window::buffer(std::size_t id) const {
  if (id == no_buffer) return {};
  const scheduled_buffer& scheduled = planned_->buffers.buffers()[id];
  return memory_.subspan(scheduled.offset, scheduled.size);
}

// The hull of several pieces may lead beyond the ends of the space that the map leads into: the
// pieces leave these indices out. The clipped box begins with an element that the window shows.
void window::clip(region& seen, const index_vector& extents) const {
  for (std::size_t k = 0; k < seen.rank(); ++k) {
    const index_t missing = std::max<index_t>(0, -seen.start[k]);
    seen.start[k] += ceil_divide(missing, what_->spacing[k]) * what_->spacing[k];
    seen.stop[k] = std::min(seen.stop[k], extents[k]);
  }
}

region window::read_part(std::size_t i, region box) const {
  if (box.empty()) return box;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    if (what_->at_start[i][axis]) box.stop[axis] = box.start[axis] + 1;
  }
  return box;
}

region window::image(const region& box) const {
  std::optional<region> all;
  for (std::size_t i = 0; i < what_->operands.size(); ++i) {
    const region part = read_part(i, intersect(box, what_->where[i]));
    if (part.empty()) continue;
    const index_map& map = planned_->what.operands[what_->operands[i]];
    region seen = map.image(part);
    clip(seen, map.behind() == nullptr ? array_->planned->shape : map.behind()->seen());
    if (seen.empty()) continue;
    all = all ? hull(*all, seen) : seen;
  }
  if (!all) return {index_vector(rank()), index_vector(rank())};
  return *all;
}

region window::needed_in(const region& step, const region& task) const {
  region narrow = image(step);
  if (what_->walked == no_axis) {
    if (what_->chunk == no_buffer && array_->source != nullptr) round_to_chunks(narrow);
    return narrow;
  }
  region wide = step;
  wide.start[what_->walked_along] = task.start[what_->walked_along];
  wide.stop[what_->walked_along] = task.stop[what_->walked_along];
  region needed = image(wide);
  needed.start[what_->walked] = narrow.start[what_->walked];
  needed.stop[what_->walked] = narrow.stop[what_->walked];
  return needed;
}

void window::read(const region& step, const region& task) {
  if (step_ == step) return;
  step_ = step;
  const region needed = needed_in(step, task);
  if (what_->walked != no_axis) {
    walk_on(needed);
  } else if (held_ != needed) {
    lay_out(needed);
    is_uniform_ = false;
    if (planned_->what.operands[what_->operands.front()].behind() != nullptr) {
      gather_from(needed);
    } else {
      is_uniform_ = !read_from(needed, 0);
    }
    held_ = needed;
  }
}

void window::lay_out(const region& box) {
  index_vector counts(box.rank());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    counts[k] = ceil_divide(box.stop[k] - box.start[k], what_->spacing[k]);
  }
  if (what_->walked != no_axis) counts[what_->walked] = what_->extents[what_->walked];
  strides_ = row_major_strides(counts);
  const auto needed = static_cast<std::size_t>(num_elements(counts)) * itemsize();
  if (needed > buffer(what_->buffer).size()) {
    throw std::logic_error(fmt::format(
        "a task of '{}' reads {} of '{}', {} bytes, into a buffer of {}; the plan is wrong, please "
        "report it",
        planned_->label, format_region(box), array_->planned->name, needed,
        buffer(what_->buffer).size()));
  }
}

bool window::read_from(const region& box, index_t from) {
  const std::span<std::byte> all = buffer(what_->buffer);
  region rest = box;
  std::size_t skipped = 0;
  if (what_->walked != no_axis) {
    const std::size_t k = what_->walked;
    rest.start[k] = from;
    skipped = static_cast<std::size_t>((from - box.start[k]) / what_->spacing[k] * strides_[k]);
  }
  return source().read_region(rest, all.subspan(skipped * itemsize()), buffer(what_->chunk),
                              buffer(what_->encoded), what_->spacing, strides_);
}

void window::gather_from(const region& box) {
  const gather& behind = *planned_->what.operands[what_->operands.front()].behind();
  std::byte* const into = buffer(what_->buffer).data();
  const std::span<std::byte> numbers = buffer(what_->order);
  const std::span order(reinterpret_cast<std::uint64_t*>(numbers.data()),
                        numbers.size() / sizeof(std::uint64_t));
  const bool is_stored = array_->source != nullptr;
  // What lies in memory is one chunk.
  const index_vector chunks =
      is_stored ? source().read_grid().chunks() : one_chunk(array_->planned->shape);
  const index_vector& strides = is_stored ? source().chunk_strides() : array_->strides;
  const std::byte* from = array_->data;
  gather_walk walk(behind, chunks, box, order);
  while (walk.next()) {
    if (is_stored) {
      const std::span<std::byte> decoded = buffer(what_->chunk);
      if (!source().read_chunk(walk.chunk(), decoded, buffer(what_->encoded))) {
        fill_chunk(decoded, source());
      }
      from = decoded.data();
    }
    walk.copy(into, strides_, from, strides, itemsize());
  }
}

void window::walk_on(const region& box) {
  const std::size_t k = what_->walked;
  const index_t chunk = source().read_grid().chunks()[k];
  region rounded = box;
  rounded.stop[k] = std::min(ceil_divide(box.stop[k], chunk) * chunk, source().shape()[k]);
  index_t from = box.start[k];
  if (held_ && held_->start[k] <= from && from < held_->stop[k]) {
    region alike = *held_;
    alike.start[k] = rounded.start[k];
    alike.stop[k] = rounded.stop[k];
    if (alike == rounded) from = keep_from(from);
  }
  if (from == box.start[k]) lay_out(rounded);
  if (from < box.stop[k]) {
    read_from(rounded, from);
    held_ = rounded;
  } else {
    held_->start[k] = box.start[k];
  }
}

index_t window::keep_from(index_t first) {
  const std::size_t k = what_->walked;
  const index_t dropped = (first - held_->start[k]) / what_->spacing[k];
  const index_t kept = ceil_divide(held_->stop[k] - first, what_->spacing[k]);
  const std::size_t row = static_cast<std::size_t>(strides_[k]) * itemsize();
  index_t num_outer = 1;
  for (std::size_t axis = 0; axis < k; ++axis) {
    num_outer *= ceil_divide(held_->stop[axis] - held_->start[axis], what_->spacing[axis]);
  }
  std::byte* to = buffer(what_->buffer).data();
  for (index_t outer = 0; outer < num_outer && dropped > 0; ++outer) {
    std::memmove(to, to + static_cast<std::size_t>(dropped) * row,
                 static_cast<std::size_t>(kept) * row);
    to += static_cast<std::size_t>(what_->extents[k]) * row;
  }
  return first + kept * what_->spacing[k];
}

// Plans are checked before they run. This check keeps a plan that is wrong all the same from
// reading beyond its buffers.
void window::require_held(const region& seen) const {
  if (seen.empty() || (held_ && held_->contains(seen))) return;
  throw std::logic_error(fmt::format(
      "a task of '{}' asks for {} of '{}' and holds {}; the plan is wrong, please report it",
      planned_->label, format_region(seen), array_->planned->name,
      held_ ? format_region(*held_) : "nothing"));
}

block_operand window::operand(std::size_t number, const region& box) const {
  const index_map& map = planned_->what.operands[number];
  const auto found = std::find(what_->operands.begin(), what_->operands.end(), number);
  const auto i = static_cast<std::size_t>(found - what_->operands.begin());
  require_held(map.image(read_part(i, box)));
  const auto item = static_cast<index_t>(itemsize());
  const index_vector first = map(box.start);
  block_operand seen{.data = buffer(what_->buffer).data(),
                     .strides = index_vector(map.domain_rank()),
                     .is_uniform = is_uniform_};
  for (std::size_t k = 0; k < first.size(); ++k) {
    const index_t stride = strides_[k] * item;
    seen.data += (first[k] - held_->start[k]) / what_->spacing[k] * stride;
    for (const axis_term& term : map[k].terms()) {
      seen.strides[term.axis] += term.step / what_->spacing[k] * stride;
    }
  }
  return seen;
}

const std::byte* window::read_chunk(const index_vector& chunk) {
  const std::span<std::byte> decoded = buffer(what_->buffer);
  const region wanted{chunk, chunk};
  if (held_ == wanted) return decoded.data();
  is_uniform_ = !source().read_chunk(chunk, decoded, buffer(what_->encoded));
  if (is_uniform_) fill_chunk(decoded, source());
  held_ = wanted;
  return decoded.data();
}

}  // namespace tessera
