// SPDX-License-Identifier: Apache-2.0
#include "plan/array_storage.hpp"

#include "tessera/core/array_kinds.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
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

array_storage storage_of(const array_destination& to, array_use use) {
  const bool is_read = use == array_use::read;
  return {.medium = array_storage::kind::chunks,
          .type = to.type(),
          .shape = to.shape(),
          .chunks = (is_read ? to.read_grid() : to.write_grid()).chunks(),
          .is_row_major = to.is_row_major(),
          .cost = is_read ? to.read_cost() : to.write_cost()};
}

}  // namespace

bool is_one_chunk(const index_vector& extents, const array_storage& array) {
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const index_t extent = array.shape[axis];
    const bool is_all = extents[axis] >= extent && array.chunks[axis] >= extent;
    if (extents[axis] != array.chunks[axis] && !is_all) return false;
  }
  return true;
}

bool leads_to_whole_chunks(const index_map& map, const array_storage& to) {
  if (map.behind() != nullptr || map.array_rank() != to.shape.size()) return false;
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
  return std::holds_alternative<open_place>(place) || std::holds_alternative<memory_place>(place) ||
         std::holds_alternative<stored_place>(place);
}

array_storage storage_of(const planned_array& array, array_use use, const spec& limits) {
  array_storage storage{.medium = array_storage::kind::memory,
                        .type = array.type,
                        .shape = array.shape,
                        .chunks = array.chunks};
  if (const auto* stored = std::get_if<stored_source>(&array.place)) {
    storage = storage_of(*stored->array);
  } else if (const auto* place = std::get_if<stored_place>(&array.place)) {
    storage = storage_of(*place->to, use);
  } else if (std::holds_alternative<generated_source>(array.place)) {
    storage.medium = array_storage::kind::generated;
  } else if (std::holds_alternative<open_place>(array.place) && !array.is_for_memory &&
             array.size() > limits.allowed_memory) {
    storage = storage_of(*make_intermediate(0, array.type, array.shape, array.chunks, limits), use);
  }
  return storage;
}

}  // namespace tessera
