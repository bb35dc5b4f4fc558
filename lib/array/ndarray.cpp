// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/detail/print.hpp"
#include "tessera/array/ndarray_view.hpp"
#include "tessera/core/error.hpp"

#include <algorithm>
#include <string>

namespace tessera::detail {

void check_num_values(std::span<const index_t> shape, std::size_t num_values) {
  const index_t expected = num_elements(shape);
  if (static_cast<std::size_t>(expected) == num_values) return;
  throw shape_error("ndarray: " + std::to_string(num_values) + " values were given for shape " +
                    format_shape(shape) + ", which has " + std::to_string(expected) +
                    " elements; give as many values as there are elements");
}

void check_assigned_shape(std::span<const index_t> to, std::span<const index_t> from) {
  if (std::equal(to.begin(), to.end(), from.begin(), from.end())) return;
  throw shape_error("ndarray: an array of shape " + format_shape(from) +
                    " is assigned to a part of shape " + format_shape(to) +
                    "; shapes must be equal");
}

void check_index(std::span<const index_t> shape, std::span<const index_t> indices) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (indices[axis] >= 0 && indices[axis] < shape[axis]) continue;
    throw shape_error("ndarray::at: index " + format_shape(indices) + " is outside of shape " +
                      format_shape(shape) + " along axis " + std::to_string(axis) +
                      "; each index must be in [0, extent)");
  }
}

}  // namespace tessera::detail
