// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operands and outputs of a task: the accesses that the planner has chosen.

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"

#include "task/block_task.hpp"
#include "task/chunk_port.hpp"
#include "task/read_forecast.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace tessera {

namespace {

/// Returns the offset, in elements, of the first element of `box`, a box of the domain, from the
/// first element of `array` in this process.
index_t local_offset(const live_array& array, const index_map& map, const region& box) {
  const index_t offset = offset_of(map(box.start), array.strides);
  if (array.here == nullptr) return offset;
  if (!array.here->contains(map.image(box))) {
    throw value_error("from_local: " + format_region(map.image(box)) + " of '" +
                      array.planned->name + "' is asked for in a process that holds " +
                      format_region(*array.here) +
                      "; compute on an executor of the communicator that the array was made with");
  }
  return offset - offset_of(array.here->start, array.strides);
}

/// Returns the reads of a task that reads `box` alone.
expected_reads just(const region& box) {
  return [next = std::optional(expected_read{box})]() mutable {
    return std::exchange(next, std::nullopt);
  };
}

/// Tells whether the first `extents` elements of `block` are contiguous, as in a chunk.
bool is_contiguous(const block_operand& block, std::span<const index_t> extents,
                   std::size_t itemsize) {
  auto stride = static_cast<index_t>(itemsize);
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    if (extents[axis] != 1 && block.strides[axis] != stride) return false;
    stride *= extents[axis];
  }
  return true;
}

/// Moves a box of `extents` at the front of `chunk` to its place in the chunk, and fills the
/// elements around it. `strides`, in bytes, are at most the strides of the chunk: the last row goes
/// first, and none moves to the front.
void spread_over_chunk(std::span<std::byte> chunk, const index_vector& extents,
                       const index_vector& strides, const array_sink& array) {
  const index_vector& chunks = array.write_grid().chunks();
  const std::size_t itemsize = array.type().size();
  const std::size_t last = extents.size() - 1;
  const std::size_t row = static_cast<std::size_t>(chunks[last]) * itemsize;
  const std::size_t moved = static_cast<std::size_t>(extents[last]) * itemsize;
  for (std::size_t first = chunk.size(); first > 0;) {
    first -= row;
    bool is_inside = true;
    index_t from = 0;
    auto number = static_cast<index_t>(first / row);
    for (std::size_t axis = last; axis-- > 0; number /= chunks[axis]) {
      const index_t position = number % chunks[axis];
      is_inside = is_inside && position < extents[axis];
      from += position * strides[axis];
    }
    if (is_inside) std::memmove(chunk.data() + first, chunk.data() + from, moved);
    const std::size_t kept = is_inside ? moved : 0;
    fill_chunk(chunk.subspan(first + kept, row - kept), array);
  }
}

}  // namespace

void block_task::point_operand_at(std::size_t i, const std::byte* data,
                                  std::span<const index_t> array_strides) {
  const auto itemsize = static_cast<index_t>(input(i).planned->type.size());
  operands_[i] = {.data = data, .strides = planned_.op.operands[i].strides(array_strides)};
  for (index_t& stride : operands_[i].strides) stride *= itemsize;
}

void block_task::prepare(std::size_t i, const region& box) {
  const live_array& array = input(i);
  const index_map& map = planned_.op.operands[i];
  const auto itemsize = static_cast<index_t>(array.planned->type.size());
  switch (planned_.inputs[i].access) {
    case operand_access::in_place:
      point_operand_at(i, array.data + local_offset(array, map, box) * itemsize, array.strides);
      return;
    case operand_access::generated:
      generate(i, box);
      return;
    case operand_access::whole_chunk:
      read_whole_chunk(i, box);
      return;
    case operand_access::gathered:
      read_window(i, box);
      return;
  }
}

void block_task::generate(std::size_t i, const region& box) {
  const planned_array& array = *input(i).planned;
  const index_map& map = planned_.op.operands[i];
  const auto& source = std::get<generated_source>(array.placement);
  const index_vector strides = row_major_strides(array.shape);
  operands_[i] = {.data = nullptr,
                  .strides = map.strides(strides),
                  .generator = source.kernel,
                  .parameters = source.parameters.get(),
                  .first = offset_of(map(box.start), strides)};
  const std::span<std::byte> memory = buffer(planned_.inputs[i].buffer);
  if (memory.empty()) return;
  // Block functions need operands in memory. Axes of stride 0 are computed once.
  index_vector extents = box.shape();
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (operands_[i].strides[axis] == 0) extents[axis] = 1;
  }
  block_result result{.data = memory.data(), .strides = row_major_strides(extents)};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    result.strides[axis] *= extents[axis] == 1 ? 0 : static_cast<index_t>(array.type.size());
  }
  const strip_program copy = strip_program::copy(array.type.number());
  run_map(copy, {&operands_[i], 1}, {&result, 1}, extents, buffer(planned_.scratch));
  operands_[i] = {.data = memory.data(), .strides = result.strides};
}

void block_task::read_whole_chunk(std::size_t i, const region& box) {
  const array_source& array = *input(i).source;
  const index_vector& chunks = array.read_grid().chunks();
  const index_vector chunk = chunk_of_operand(planned_, i, chunks, box);
  index_vector inside = planned_.op.operands[i](box.start);
  for (std::size_t k = 0; k < chunk.size(); ++k) inside[k] -= chunk[k] * chunks[k];
  // A task over a part of its block may need a part of the chunk.
  const std::byte* const decoded = window_of(i).read_chunk(chunk);
  const auto itemsize = static_cast<index_t>(array.type().size());
  point_operand_at(i, decoded + offset_of(inside, array.chunk_strides()) * itemsize,
                   array.chunk_strides());
  operands_[i].is_uniform = window_of(i).is_uniform();
}

window& block_task::window_at(std::size_t number) {
  if (windows_[number] == nullptr) {
    windows_[number] = std::make_unique<window>(planned_, number, arrays_, memory_);
    windows_[number]->begin(task_box_);
  }
  return *windows_[number];
}

void block_task::read_window(std::size_t i, const region& box) {
  window& operand_window = window_of(i);
  operand_window.read(scope_box_, task_box_);
  operands_[i] = operand_window.operand(i, box);
}

void block_task::read_into(const region& box) {
  const live_array& target = output(0);
  const index_map& map = planned_.op.operands.front();
  index_vector steps(map.array_rank());
  index_vector strides(map.array_rank());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const axis_term& term = *map[k].only_term();
    steps[k] = term.step;
    strides[k] = target.strides[term.axis];
  }
  const auto offset =
      static_cast<std::size_t>(offset_of(box.start, target.strides)) * target.planned->type.size();
  const std::span<std::byte> elements(target.elements.get(), target.planned->size().count());
  const region read = map.image(box);
  chunk_port port(planned_, planned_.windows.front(), input(0), memory_);
  if (port.has_ring()) port.begin(just(read), steps);
  port.read_region(read, elements.subspan(offset), steps, strides);
}

block_result block_task::result(std::size_t i, const region& box) const {
  const live_array& array = output(i);
  const auto itemsize = static_cast<index_t>(array.planned->type.size());
  const planned_result& use = planned_.outputs[i];
  block_result result;
  index_vector origin(box.start.size());
  if (use.access == output_access::in_place) {
    result = {array.elements.get(), array.strides};
  } else if (use.access == output_access::whole_chunk || use.access == output_access::streamed) {
    fill_border(i);
    result = {buffer(use.buffer).data(), row_major_strides(buffered_extents(i))};
    origin = output_boxes_[i].start;
  } else {
    result = {buffer(use.buffer).data(), row_major_strides(output_boxes_[i].shape())};
    origin = output_boxes_[i].start;
  }
  for (std::size_t axis = 0; axis < origin.size(); ++axis) {
    result.strides[axis] *= itemsize;
    result.data += (box.start[axis] - origin[axis]) * result.strides[axis];
  }
  return result;
}

block_operand block_task::computed_elements(std::size_t i, const region& box) const {
  if (planned_.outputs[i].access != output_access::handed_on) {
    const block_result elements = result(i, box);
    return {.data = elements.data, .strides = elements.strides};
  }
  block_operand elements = operands_.front();
  for (std::size_t axis = 0; axis < elements.strides.size(); ++axis) {
    elements.data += (box.start[axis] - output_boxes_[i].start[axis]) * elements.strides[axis];
  }
  return elements;
}

void block_task::start_output(std::size_t i, const region& box) {
  const operation& op = planned_.op;
  output_boxes_[i] = op.outputs[i].box(op.schedule, box);
  const output_access access = planned_.outputs[i].access;
  if (access != output_access::whole_chunk && access != output_access::streamed) return;
  has_unfilled_border_[i] = output_boxes_[i].shape() != buffered_extents(i);
}

region block_task::leg_in_shard(std::size_t i) const {
  const index_vector& shard = output(i).sink->write_grid().chunks();
  const index_vector leg = planned_.op.outputs[i].extents_of(planned_.leg);
  region box = output_boxes_[i];
  for (std::size_t axis = 0; axis < shard.size(); ++axis) {
    box.start[axis] %= shard[axis];
    box.stop[axis] = std::min(box.start[axis] + leg[axis], shard[axis]);
  }
  return box;
}

index_vector block_task::buffered_extents(std::size_t i) const {
  return planned_.leg.empty() ? output(i).sink->write_grid().chunks() : leg_in_shard(i).shape();
}

// Elements of a chunk beyond the array's end are not computed, but stored.
void block_task::fill_border(std::size_t i) const {
  if (!has_unfilled_border_[i]) return;
  fill_chunk(buffer(planned_.outputs[i].buffer), *output(i).sink);
  has_unfilled_border_[i] = false;
}

void block_task::write_output(std::size_t i) {
  // At the end of the domain, a coarser output may have no element.
  if (output_boxes_[i].empty()) return;
  switch (planned_.outputs[i].access) {
    case output_access::in_place:
    case output_access::read_into:
      break;
    case output_access::whole_chunk:
    case output_access::forwarded:
      write_whole_chunk(i);
      break;
    case output_access::many_chunks:
    case output_access::handed_on:
      write_many_chunks(i);
      break;
    case output_access::streamed:
      append_leg(i);
      break;
  }
}

void block_task::write_whole_chunk(std::size_t i) {
  const planned_result& use = planned_.outputs[i];
  const array_sink& array = *output(i).sink;
  index_vector chunk = output_boxes_[i].start;
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    chunk[axis] /= array.write_grid().chunks()[axis];
  }
  if (is_written(array, chunk)) return;
  const bool is_forwarded = use.access == output_access::forwarded;
  const std::size_t source = is_forwarded ? planned_.windows.front().buffer : use.buffer;
  write_chunk(i, chunk, buffer(source).data());
}

void block_task::append_leg(std::size_t i) {
  const planned_result& use = planned_.outputs[i];
  const array_sink& array = *output(i).sink;
  const region box = leg_in_shard(i);
  if (shards_[i] == nullptr) {
    index_vector shard = output_boxes_[i].start;
    for (std::size_t axis = 0; axis < shard.size(); ++axis) {
      shard[axis] /= array.write_grid().chunks()[axis];
    }
    shards_[i] = dynamic_cast<const streaming_sink&>(array).begin_shard(shard, buffer(use.index));
  }
  const std::size_t num_bytes =
      static_cast<std::size_t>(num_elements(box.shape())) * array.type().size();
  fill_border(i);
  shards_[i]->append(box, buffer(use.buffer).first(num_bytes), buffer(use.encoded));
}

const std::byte* block_task::chunk_to_write(std::size_t i, const region& box) const {
  const array_sink& array = *output(i).sink;
  const index_vector& chunks = array.write_grid().chunks();
  const index_vector extents = box.shape();
  const std::size_t itemsize = array.type().size();
  const block_operand elements = computed_elements(i, box);
  const bool is_whole = extents == chunks;
  if (is_whole && is_contiguous(elements, extents, itemsize)) return elements.data;
  const auto num_bytes = static_cast<std::size_t>(num_elements(chunks)) * itemsize;
  const std::span<std::byte> chunk = buffer(planned_.outputs[i].chunk).first(num_bytes);
  if (elements.data == chunk.data()) {
    spread_over_chunk(chunk, extents, elements.strides, array);
    return chunk.data();
  }
  if (!is_whole) fill_chunk(chunk, array);
  detail::strided_gather(chunk.data(), row_major_strides(chunks), elements.data, elements.strides,
                         extents, itemsize);
  return chunk.data();
}

void block_task::write_many_chunks(std::size_t i) {
  const array_sink& array = *output(i).sink;
  const region chunks = array.write_grid().chunks_touching(output_boxes_[i]);
  const index_vector num_chunks = chunks.shape();
  index_vector position(chunks.rank());
  do {
    index_vector chunk = chunks.start;
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) chunk[axis] += position[axis];
    if (is_written(array, chunk)) continue;
    write_chunk(i, chunk, chunk_to_write(i, array.write_grid().chunk_region(chunk)));
  } while (next_position(position, num_chunks));
}

void block_task::write_chunk(std::size_t i, const index_vector& chunk, const std::byte* values) {
  const planned_result& use = planned_.outputs[i];
  const std::span<std::byte> encoded = buffer(use.encoded);
  const std::span<std::byte> scratch = buffer(use.write_scratch);
  if (use.ring.num_places == 0) {
    output(i).sink->write_chunk(chunk, values, encoded, scratch);
    return;
  }
  if (writers_[i] == nullptr) {
    const auto& remote = dynamic_cast<const remote_port&>(*output(i).sink);
    writers_[i] = remote.writer({buffer(use.ring.buffer), use.ring.num_places});
  }
  writers_[i]->write_chunk(chunk, values, encoded, scratch);
}

}  // namespace tessera
