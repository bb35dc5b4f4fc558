// SPDX-License-Identifier: Apache-2.0
#include "plan/array_storage.hpp"

#include "tessera/core/error.hpp"

#include "core/api/array_kinds.hpp"
#include "plan/saturating.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <variant>

namespace tessera {

namespace {

/// More than any host has, and little enough for many of it to be added up.
constexpr std::uint64_t greatest_memory = std::uint64_t{1} << 56;

array_storage storage_of(const array_source& source) {
  return {.medium = array_storage::kind::chunks,
          .type = source.type(),
          .shape = source.shape(),
          .chunks = source.read_grid().chunks(),
          .is_row_major = source.chunk_strides() == row_major_strides(source.read_grid().chunks()),
          .cost = source.read_cost()};
}

/// Returns the memory in which shards of `to` are streamed.
streamed_shards streams_of(const array_destination& to) {
  const auto* const streaming = dynamic_cast<const streaming_destination*>(&to);
  return streaming == nullptr ? streamed_shards{} : streaming->streams();
}

array_storage storage_of(const array_destination& to, array_use use, const spec& limits) {
  const bool is_read = use == array_use::read;
  const bytes room =
      limits.allowed_memory - std::min(limits.allowed_memory, limits.reserved_memory);
  return {.medium = array_storage::kind::chunks,
          .type = to.type(),
          .shape = to.shape(),
          .chunks = (is_read ? to.read_grid() : to.write_grid()).chunks(),
          .is_row_major = to.is_row_major(),
          .cost = is_read ? to.read_cost() : to.write_cost(),
          .streams = is_read ? streamed_shards{} : streams_of(to),
          .room = static_cast<std::size_t>(room.count())};
}

}  // namespace

void add_client(std::span<const array_storage> arrays, buffer_schedule& buffers) {
  std::size_t client = 0;
  for (const array_storage& array : arrays) client = std::max(client, array.cost.client);
  if (client > 0) buffers.add_kept("client of the store", client);
}

bytes bytes_of_chunks(index_t count, const array_storage& array) {
  const auto decoded = static_cast<index_t>(array.cost.decoded);
  return bytes{static_cast<std::uint64_t>(saturating_multiply(count, decoded))};
}

bytes bytes_shown(const index_map& map, const region& box, const array_storage& array) {
  if (box.empty()) return bytes{0};
  index_t positions = 1;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    const index_t extent = box.stop[axis] - box.start[axis];
    if (map.depends_on(axis)) positions = saturating_multiply(positions, extent);
  }
  const region shown = intersect(map.image(box), region::whole(array.shape));
  const index_t elements = shown.empty() ? 0 : num_elements(shown.shape());
  return bytes{static_cast<std::size_t>(std::min(positions, elements)) * array.type.size()};
}

bool is_one_chunk(const index_vector& extents, const array_storage& array) {
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const index_t extent = array.shape[axis];
    const bool is_all = extents[axis] >= extent && array.chunks[axis] >= extent;
    if (extents[axis] != array.chunks[axis] && !is_all) return false;
  }
  return true;
}

void check_alignment(const std::string& operation, const index_vector& block,
                     const array_storage& array) {
  for (std::size_t axis = 0; axis < block.size(); ++axis) {
    if (block[axis] % array.chunks[axis] == 0 || block[axis] >= array.shape[axis]) continue;
    throw shape_error(fmt::format(
        "{}: its blocks {} must be multiples of the chunks {} of the array that they are stored "
        "in; rechunk the array to those chunks first",
        operation, format_shape(block), format_shape(array.chunks)));
  }
}

bool reads_whole_chunks(const loop_schedule& schedule, const index_map& map,
                        const array_storage& array) {
  if (map.gather() != nullptr) return false;
  for (std::size_t k = 0; k < array.shape.size(); ++k) {
    const index_t chunk = array.chunks[k];
    const axis_map& m = map[k];
    if (m.terms().empty()) {
      if (chunk != 1 && array.shape[k] != 1) return false;
      continue;
    }
    const axis_term* const term = m.only_term();
    if (term == nullptr || term->step != 1 || m.offset != 0) return false;
    const index_t extent = array.shape[k];
    if (extent != schedule.domain[term->axis]) return false;
    const auto [block, step] = std::pair(schedule.block[term->axis], schedule.step[term->axis]);
    const bool is_one_chunk = chunk >= extent && step >= extent;
    const bool is_aligned = step == chunk && (block % chunk == 0 || block >= extent);
    if (!is_one_chunk && !is_aligned) return false;
  }
  return true;
}

bool leads_to_whole_chunks(const index_map& map, const array_storage& to) {
  if (map.gather() != nullptr || map.array_rank() != to.shape.size()) return false;
  for (std::size_t axis = 0; axis < to.shape.size(); ++axis) {
    const index_t chunk = to.chunks[axis];
    const axis_term* const term = map[axis].only_term();
    if (term == nullptr || term->axis != axis || term->step != 1) return false;
    if (map[axis].offset % chunk != 0 || to.shape[axis] % chunk != 0) return false;
  }
  return true;
}

bytes memory_for_elements(const index_vector& shape, const element_type& type) {
  const auto count = static_cast<std::uint64_t>(num_elements(shape));
  return bytes{std::min(count, greatest_memory / type.size()) * type.size()};
}

bytes planned_array::size() const { return memory_for_elements(shape, type); }

bool planned_array::is_computed() const {
  return std::holds_alternative<open_placement>(placement) ||
         std::holds_alternative<memory_placement>(placement) ||
         std::holds_alternative<stored_placement>(placement);
}

array_storage storage_of(const planned_array& array, array_use use, const spec& limits) {
  array_storage storage{.medium = array_storage::kind::memory,
                        .type = array.type,
                        .shape = array.shape,
                        .chunks = array.chunks};
  if (const auto* stored = std::get_if<stored_source>(&array.placement)) {
    storage = storage_of(*stored->array);
  } else if (const auto* placement = std::get_if<stored_placement>(&array.placement)) {
    storage = storage_of(*placement->to, use, limits);
  } else if (std::holds_alternative<generated_source>(array.placement)) {
    storage.medium = array_storage::kind::generated;
  } else if (array.is_open() && !array.is_for_memory && array.size() > limits.allowed_memory) {
    storage = storage_of(*make_intermediate(0, array.type, array.shape, array.chunks, limits), use,
                         limits);
  }
  return storage;
}

}  // namespace tessera
