// SPDX-License-Identifier: Apache-2.0
#include "plan/memory_elements.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace tessera {

namespace {

/// Returns `shape` with length 1 along axes of stride 0.
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
  const auto& source = std::get<memory_source>(array.placement);
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

  const auto item = static_cast<index_t>(itemsize);
  // There is at least one axis, as an array of rank 0 is dense.
  const std::size_t last = std::max<std::size_t>(extents.size(), 1) - 1;
  const index_t length = extents[last];
  const index_t stride = source.strides[last] * item;
  const index_t most_at_once = std::min(length, std::max<index_t>(1, 65'536 / item));
  std::vector<std::byte> gathered(static_cast<std::size_t>(most_at_once) * itemsize);
  index_vector rows = extents;
  rows[last] = 1;
  index_vector position(extents.size());
  do {
    const std::byte* const row = source.data + offset_of(position, source.strides) * item;
    for (index_t first = 0; first < length; first += most_at_once) {
      const index_t size = std::min(most_at_once, length - first);
      detail::copy_strided(gathered.data(), item, row + first * stride, stride, size, itemsize);
      sink(std::span(gathered).first(static_cast<std::size_t>(size) * itemsize));
    }
  } while (next_position(position, rows));
}

}  // namespace tessera
