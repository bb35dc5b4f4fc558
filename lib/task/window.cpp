// SPDX-License-Identifier: Apache-2.0
#include "task/window.hpp"

#include "core/api/gather_cursor.hpp"
#include "task/task_buffers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>

namespace tessera {

window::window(const planned_operation& planned, std::size_t number,
               std::span<const live_array> arrays, std::span<std::byte> memory)
    : planned_(&planned),
      plan_(&planned.windows[number]),
      array_(&arrays[planned.inputs[plan_->operands.front()].array]),
      memory_(memory),
      reads_(planned, *plan_, *array_),
      number_(number),
      port_(planned, *plan_, *array_, memory) {}

namespace {

#ifdef NDEBUG
constexpr bool checks_forecasts = false;
#else
constexpr bool checks_forecasts = true;
#endif

index_vector chunks_of_one(const index_vector& shape) {
  index_vector chunks = shape;
  for (index_t& chunk : chunks) chunk = std::max<index_t>(1, chunk);
  return chunks;
}

/// Returns the reads of the chunks that `cursor` has not begun to visit. They share its order.
expected_reads reads_of(const gather_cursor& cursor) {
  return [ahead = cursor]() mutable -> std::optional<expected_read> {
    if (!ahead.next()) return std::nullopt;
    return expected_read{{ahead.chunk(), ahead.chunk()}, true};
  };
}

}  // namespace

void window::begin(const region& box) {
  reads_.forget();
  if (port_.has_ring()) {
    port_.begin(
        [ahead = read_forecast(*planned_, number_, reads_, box)]() mutable { return ahead.next(); },
        plan_->spacing);
  }
  if (!checks_forecasts || array_->source == nullptr) return;
  forecast_.emplace(*planned_, number_, reads_, box);
}

void window::end() {
  if (!forecast_) return;
  if (const auto read = forecast_->next()) {
    throw std::logic_error(fmt::format("a task of '{}' does not read {} of '{}' as forecast",
                                       planned_->label, format_region(read->box),
                                       array_->planned->name));
  }
}

void window::check_forecast(const expected_read& read) {
  if (!forecast_ || !forecast_->is_known()) return;
  const std::optional<expected_read> next = forecast_->next();
  if (next == read) return;
  throw std::logic_error(fmt::format(
      "a task of '{}' reads {} of '{}', and the forecast was {}", planned_->label,
      format_region(read.box), array_->planned->name, next ? format_region(next->box) : "nothing"));
}

std::span<std::byte> window::buffer(std::size_t id) const {
  return buffer_in(memory_, *planned_, id);
}

void window::read(const region& step, const region& task) {
  const std::optional<window_change> change = reads_.advance(step, task);
  if (!change) return;
  if (change->before) {
    move_rows(*change->before, change->box.start[plan_->overlap_axis]);
  } else {
    set_layout(change->box);
  }
  if (!change->is_read) return;
  if (plan_->overlap_axis != no_axis) {
    read_missing(*change);
  } else if (planned_->op.operands[plan_->operands.front()].gather() != nullptr) {
    is_uniform_ = false;
    gather_from(change->box);
  } else {
    is_uniform_ = !read_missing(*change);
  }
}

void window::set_layout(const region& box) {
  index_vector counts(box.rank());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    counts[k] = ceil_divide(box.stop[k] - box.start[k], plan_->spacing[k]);
  }
  if (plan_->overlap_axis != no_axis)
    counts[plan_->overlap_axis] = plan_->extents[plan_->overlap_axis];
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

bool window::read_missing(const window_change& change) {
  if (!change.missing.empty()) check_forecast({change.missing});
  const std::span<std::byte> memory = buffer(plan_->buffer);
  std::size_t skipped = 0;
  if (plan_->overlap_axis != no_axis) {
    const std::size_t k = plan_->overlap_axis;
    const index_t num_rows = (change.missing.start[k] - change.box.start[k]) / plan_->spacing[k];
    skipped = static_cast<std::size_t>(num_rows * strides_[k]);
  }
  return port_.read_region(change.missing, memory.subspan(skipped * itemsize()), plan_->spacing,
                           strides_);
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
  if (port_.has_ring()) port_.begin(reads_of(cursor), {});
  while (cursor.next()) {
    if (is_stored) {
      const std::span<std::byte> decoded = buffer(plan_->chunk);
      if (!port_.read_chunk(cursor.chunk(), decoded)) fill_chunk(decoded, source());
      source_data = decoded.data();
    }
    cursor.copy(target, strides_, source_data, strides, itemsize());
  }
}

void window::move_rows(const region& before, index_t first) {
  const std::size_t k = plan_->overlap_axis;
  const index_t dropped = (first - before.start[k]) / plan_->spacing[k];
  const index_t kept = ceil_divide(before.stop[k] - first, plan_->spacing[k]);
  const std::size_t row = static_cast<std::size_t>(strides_[k]) * itemsize();
  index_t num_outer = 1;
  for (std::size_t axis = 0; axis < k; ++axis) {
    num_outer *= ceil_divide(before.stop[axis] - before.start[axis], plan_->spacing[axis]);
  }
  std::byte* to = buffer(plan_->buffer).data();
  for (index_t outer = 0; outer < num_outer && dropped > 0; ++outer) {
    std::memmove(to, to + static_cast<std::size_t>(dropped) * row,
                 static_cast<std::size_t>(kept) * row);
    to += static_cast<std::size_t>(plan_->extents[k]) * row;
  }
}

// Plans are checked before they run. This check stops a wrong plan from reading beyond its buffers.
void window::require_loaded(const region& box) const {
  if (box.empty() || (reads_.held() && reads_.held()->contains(box))) return;
  throw std::logic_error(fmt::format(
      "a task of '{}' asks for {} of '{}' and holds {}; the plan is wrong, please report it",
      planned_->label, format_region(box), array_->planned->name,
      reads_.held() ? format_region(*reads_.held()) : "nothing"));
}

block_operand window::operand(std::size_t number, const region& box) const {
  const index_map& map = planned_->op.operands[number];
  const auto match = std::find(plan_->operands.begin(), plan_->operands.end(), number);
  const auto i = static_cast<std::size_t>(match - plan_->operands.begin());
  require_loaded(map.image(reads_.read_part(i, box)));
  const auto item = static_cast<index_t>(itemsize());
  const index_vector first = map(box.start);
  block_operand result{.data = buffer(plan_->buffer).data(),
                       .strides = index_vector(map.domain_rank()),
                       .is_uniform = is_uniform_};
  for (std::size_t k = 0; k < first.size(); ++k) {
    const index_t stride = strides_[k] * item;
    result.data += (first[k] - reads_.held()->start[k]) / plan_->spacing[k] * stride;
    for (const axis_term& term : map[k].terms()) {
      result.strides[term.axis] += term.step / plan_->spacing[k] * stride;
    }
  }
  return result;
}

const std::byte* window::read_chunk(const index_vector& chunk) {
  const std::span<std::byte> decoded = buffer(plan_->buffer);
  if (!reads_.advance_to_chunk(chunk)) return decoded.data();
  check_forecast({{chunk, chunk}, true});
  is_uniform_ = !port_.read_chunk(chunk, decoded);
  if (is_uniform_) fill_chunk(decoded, source());
  return decoded.data();
}

}  // namespace tessera
