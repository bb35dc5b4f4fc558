// SPDX-License-Identifier: Apache-2.0
#include "plan/memory_elements.hpp"

#include "tessera/core/error.hpp"

#include <vector>

namespace tessera {

namespace {

/// Returns `shape` with the axes along which nothing changes of length one.
index_vector written_shape(const index_vector& shape, const index_vector& strides) {
  index_vector extents = shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (strides[axis] == 0 && extents[axis] > 1) extents[axis] = 1;
  }
  return extents;
}

}  // namespace

index_vector written_strides(const index_vector& shape, const index_vector& strides) {
  const index_vector extents = written_shape(shape, strides);
  index_vector dense = row_major_strides(extents);
  for (std::size_t axis = 0; axis < dense.size(); ++axis) {
    if (extents[axis] <= 1) dense[axis] = 0;
  }
  return dense;
}

std::size_t written_bytes(const planned_array& array, const index_vector& strides) {
  constexpr index_t most = index_t{1} << 58;
  if (num_elements(array.shape) == 0) return 0;
  index_t last = 0;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    index_t reach = 0;
    if (strides[axis] < 0 || __builtin_mul_overflow(array.shape[axis] - 1, strides[axis], &reach) ||
        __builtin_add_overflow(last, reach, &last) || last >= most) {
      throw value_error("elements in memory: found strides that lead nowhere");
    }
  }
  return static_cast<std::size_t>(last + 1) * array.type.size();
}

void write_elements(const planned_array& array,
                    const std::function<void(std::span<const std::byte>)>& sink) {
  const auto& source = std::get<memory_source>(array.place);
  const index_vector extents = written_shape(array.shape, source.strides);
  const auto count = static_cast<std::size_t>(num_elements(extents));
  if (count == 0) return;
  const std::size_t itemsize = array.type.size();
  const index_vector dense = row_major_strides(extents);
  bool is_dense = true;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    is_dense = is_dense && (extents[axis] == 1 || source.strides[axis] == dense[axis]);
  }
  if (is_dense) return sink({source.data, count * itemsize});

  const auto address = [&](const index_vector& position) {
    return source.data + offset_of(position, source.strides) * static_cast<index_t>(itemsize);
  };
  constexpr std::size_t most_at_once = 1 << 16;
  std::vector<std::byte> gathered;
  index_vector position(extents.size());
  do {
    const std::byte* const element = address(position);
    gathered.insert(gathered.end(), element, element + itemsize);
    if (gathered.size() < most_at_once) continue;
    sink(gathered);
    gathered.clear();
  } while (next_position(position, extents));
  sink(gathered);
}

}  // namespace tessera
