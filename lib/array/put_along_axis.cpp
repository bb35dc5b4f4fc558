// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/put_along_axis.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::detail {
namespace {

/// Returns the strides, in elements, of an array of `shape` that is broadcast to `over`.
///
/// Throws: shape_error <- it is not broadcast to that.
index_vector strides_over(const index_vector& shape, const index_vector& over) {
  const index_vector dense = row_major_strides(shape);
  index_vector strides(over.size());
  const std::size_t missing = over.size() < shape.size() ? 0 : over.size() - shape.size();
  bool fits = shape.size() <= over.size();
  for (std::size_t k = 0; fits && k < shape.size(); ++k) {
    fits = shape[k] == over[missing + k] || shape[k] == 1;
    strides[missing + k] = shape[k] == 1 ? 0 : dense[k];
  }
  if (fits) return strides;
  throw shape_error(fmt::format(
      "put_along_axis: values of shape {} are put at indices that stand for shape {}; each extent "
      "must be that one or 1",
      format_shape(shape), format_shape(over)));
}

/// Returns the shape of the values: the shape of the array but for the axis.
index_vector shape_of_put(const index_vector& shape, std::size_t axis,
                          const index_vector& of_list) {
  index_vector put = shape;
  put[axis] = of_list[axis];
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (of_list[k] == put[k] || of_list[k] == 1) continue;
    throw shape_error(
        fmt::format("put_along_axis: indices of shape {} along axis {} of an array of shape {}; "
                    "along other axes their extents must be those of the array, or 1",
                    format_shape(of_list), axis, format_shape(shape)));
  }
  return put;
}

}  // namespace

std::vector<put_target> put_targets(const index_vector& shape, std::size_t axis,
                                    const std::vector<index_t>& list, const index_vector& of_list,
                                    const index_vector& of_values) {
  const index_vector put = shape_of_put(shape, axis, of_list);
  const index_vector of_index = strides_over(of_list, put);
  const index_vector of_value = strides_over(of_values, put);
  const index_vector of_array = row_major_strides(shape);
  std::vector<put_target> positions;
  if (num_elements(put) == 0) return positions;
  positions.reserve(static_cast<std::size_t>(num_elements(put)));
  index_vector position(put.size());
  do {
    const index_t given = list[static_cast<std::size_t>(offset_of(position, of_index))];
    const index_t index = given < 0 ? given + shape[axis] : given;
    if (index < 0 || index >= shape[axis]) {
      throw shape_error(fmt::format(
          "put_along_axis: index {} is out of range along axis {} of an array of shape {}, which "
          "has {} elements there",
          given, axis, format_shape(shape), shape[axis]));
    }
    index_vector at = position;
    at[axis] = index;
    positions.push_back({offset_of(at, of_array), offset_of(position, of_value)});
  } while (next_position(position, put));
  std::stable_sort(positions.begin(), positions.end(),
                   [](const put_target& a, const put_target& b) { return a.number < b.number; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const bool is_last =
        i + 1 == positions.size() || positions[i + 1].number != positions[i].number;
    if (is_last) positions[kept++] = positions[i];
  }
  positions.resize(kept);
  return positions;
}

}  // namespace tessera::detail
