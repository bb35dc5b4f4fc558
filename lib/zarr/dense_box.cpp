// SPDX-License-Identifier: Apache-2.0
#include "zarr/dense_box.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::detail {

namespace {

/// Returns the count of multiples of `step` in [0, n). Most steps are 1, and a division takes
/// longer than the rest of an axis.
index_t count_steps(index_t n, index_t step) { return step == 1 ? n : ceil_divide(n, step); }

}  // namespace

dense_box::dense_box(const zarr_array_state& array, const chunk_grid& grid,
                     const index_vector& chunk_strides, const region& box,
                     std::span<const index_t> steps, std::size_t num_bytes,
                     std::span<const index_t> strides)
    : array_(array),
      grid_(grid),
      chunk_strides_(chunk_strides),
      box_(box),
      steps_(box.rank(), 1),
      shape_(box.rank()) {
  if (!steps.empty()) steps_ = index_vector(steps);
  validate();
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    shape_[axis] = count_steps(box.stop[axis] - box.start[axis], steps_[axis]);
  }
  is_empty_ = num_elements(shape_) == 0;
  strides_ = strides.empty() ? row_major_strides(shape_) : index_vector(strides);
  const auto size = static_cast<std::size_t>(reach()) * array.itemsize;
  if (strides.empty() ? num_bytes != size : num_bytes < size) {
    throw shape_error(fmt::format("{}: {} elements of {} B are {} B, found a buffer of {} B",
                                  array.name(), format_shape(shape_), array.itemsize, size,
                                  num_bytes));
  }
}

bool dense_box::lies_alike(const overlap& part) const {
  index_t num_elements = 1;  // of a chunk in memory, at most
  for (std::size_t axis = 0; axis < part.extents.size(); ++axis) {
    if (part.extents[axis] > 1 && part.strides[axis] != strides_[axis]) return false;
    num_elements *= part.extents[axis];
  }
  return part.span() == num_elements;
}

index_t dense_box::reach() const {
  if (is_empty()) return 0;
  index_t last = 0;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    last += (shape_[axis] - 1) * strides_[axis];
  }
  return last + 1;
}

void dense_box::validate() const {
  const auto whole = region::whole(array_.metadata.shape);
  bool fits = box_.rank() == whole.rank() && box_.stop.size() == whole.rank() &&
              steps_.size() == whole.rank();
  for (std::size_t axis = 0; fits && axis < whole.rank(); ++axis) {
    fits = box_.start[axis] >= 0 && box_.start[axis] <= box_.stop[axis] &&
           box_.stop[axis] <= whole.stop[axis] && steps_[axis] > 0;
  }
  if (!fits) {
    throw shape_error(fmt::format(
        "{}: region {} by steps {} must lie in an array of shape {}, "
        "every step at least 1",
        array_.name(), format_region(box_), format_shape(steps_), format_shape(whole.stop)));
  }
}

overlap dense_box::overlap_with(const index_vector& chunk) const {
  const std::size_t rank = chunk.size();
  overlap part{index_vector(rank), index_vector(rank)};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const index_t step = steps_[axis];
    const index_t extent = grid_.chunks()[axis];
    const index_t start = chunk[axis] * extent;
    const index_t lower = std::max<index_t>(start - box_.start[axis], 0);
    // The box ends in the array, before an overhang of its last chunks. This form cannot overflow
    // for chunks near 2^63.
    const index_t upper = start + std::min(extent, box_.stop[axis] - start) - box_.start[axis];
    // The elements kept along the axis are the multiples of step in [lower, upper).
    const index_t first = count_steps(lower, step);
    part.extents[axis] = count_steps(upper, step) - first;
    part.is_empty = part.is_empty || part.extents[axis] <= 0;
    part.strides[axis] = chunk_strides_[axis] * step;
    part.from += (box_.start[axis] + first * step - start) * chunk_strides_[axis];
    part.to += first * strides_[axis];
  }
  return part;
}

}  // namespace tessera::detail
