// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/chunk_grid.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

chunk_grid::chunk_grid(index_vector shape, index_vector chunks)
    : shape_(std::move(shape)), chunks_(std::move(chunks)), num_chunks_(shape_.size()) {
  if (shape_.size() != chunks_.size()) {
    throw shape_error(fmt::format("chunks {} must have one length per axis of shape {}",
                                  format_shape(chunks_), format_shape(shape_)));
  }
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    if (shape_[axis] < 0) {
      throw shape_error(
          fmt::format("shape {}: every extent must be at least 0", format_shape(shape_)));
    }
    if (chunks_[axis] < 1) {
      throw shape_error(
          fmt::format("chunks {}: every chunk length must be at least 1, found {} "
                      "along axis {}",
                      format_shape(chunks_), chunks_[axis], axis));
    }
    num_chunks_[axis] = ceil_divide(shape_[axis], chunks_[axis]);
  }
}

region chunk_grid::chunk_region(std::span<const index_t> chunk) const {
  region box{index_vector(shape_.size()), index_vector(shape_.size())};
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    box.start[axis] = chunk[axis] * chunks_[axis];
    // This form cannot overflow for chunks near 2^63.
    box.stop[axis] = box.start[axis] + std::min(chunks_[axis], shape_[axis] - box.start[axis]);
  }
  return box;
}

index_vector chunk_grid::chunk_at(index_t position) const {
  index_vector chunk(shape_.size());
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    chunk[axis] = position % num_chunks_[axis];
    position /= num_chunks_[axis];
  }
  return chunk;
}

region chunk_grid::chunks_touching(const region& box) const {
  region touched{index_vector(shape_.size()), index_vector(shape_.size())};
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    touched.start[axis] = box.start[axis] / chunks_[axis];
    touched.stop[axis] = box.stop[axis] <= box.start[axis]
                             ? touched.start[axis]
                             : (box.stop[axis] - 1) / chunks_[axis] + 1;
  }
  return touched;
}

}  // namespace tessera
