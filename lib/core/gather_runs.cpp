// SPDX-License-Identifier: Apache-2.0
#include "core/gather_runs.hpp"

#include "tessera/core/strided_copy.hpp"

#include <cstring>
#include <type_traits>

namespace tessera::detail {

box_rows::box_rows(const index_vector& extents, const region& box,
                   std::span<const index_t> strides) {
  bool is_row = true;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    const index_t extent = extents[axis];
    if (extent == 1) continue;
    const index_t stride = strides.empty() ? 0 : strides[axis];
    const bool is_first = length_ == 1;
    const bool is_whole = first_ == 0 && last_ == length_;
    is_row = is_row && is_whole && (is_first || strides.empty() || stride == stride_ * length_);
    if (!is_row) {
      extents_.push_back(extent);
      from_.push_back(box.start[axis]);
      to_.push_back(box.stop[axis]);
      strides_.push_back(stride);
      continue;
    }
    if (is_first) stride_ = stride;
    first_ = box.start[axis] * length_;
    last_ = box.stop[axis] * length_;
    length_ *= extent;
  }
  for (index_vector* axes : {&extents_, &from_, &to_, &strides_}) {
    std::reverse(axes->begin(), axes->end());
  }
}

bool box_rows::start_at(index_t row) {
  at_ = extents_;
  for (std::size_t axis = at_.size(); axis-- > 0;) {
    at_[axis] = row % extents_[axis];
    row /= extents_[axis];
  }
  if (row > 0) return false;
  for (std::size_t axis = 0; axis < at_.size(); ++axis) {
    if (from_[axis] <= at_[axis] && at_[axis] < to_[axis]) continue;
    const bool is_before = at_[axis] < from_[axis];
    std::copy(from_.begin() + axis, from_.end(), at_.begin() + axis);
    if (is_before) return true;
    while (axis-- > 0) {
      if (++at_[axis] < to_[axis]) return true;
      at_[axis] = from_[axis];
    }
    return false;
  }
  return true;
}

bool box_rows::next() {
  for (std::size_t axis = at_.size(); axis-- > 0;) {
    if (++at_[axis] < to_[axis]) return true;
    at_[axis] = from_[axis];
  }
  return false;
}

index_t box_rows::number() const {
  index_t number = 0;
  for (std::size_t axis = 0; axis < at_.size(); ++axis)
    number = number * extents_[axis] + at_[axis];
  return number;
}

namespace {

/// Copies an element of a constant size for each pair of offsets.
template <class Size>
void copy_items(std::byte* to, std::span<const index_t> to_offsets, const std::byte* from,
                std::span<const index_t> from_offsets, Size itemsize) {
  for (std::size_t n = 0; n < to_offsets.size(); ++n) {
    std::memcpy(to + to_offsets[n], from + from_offsets[n], itemsize);
  }
}

void copy_items(std::byte* to, std::span<const index_t> to_offsets, const std::byte* from,
                std::span<const index_t> from_offsets, std::size_t itemsize) {
  const auto copy = [&]<std::size_t Size>(std::integral_constant<std::size_t, Size> size) {
    copy_items<std::integral_constant<std::size_t, Size>>(to, to_offsets, from, from_offsets, size);
  };
  switch (itemsize) {
    case 1:
      return copy(std::integral_constant<std::size_t, 1>{});
    case 2:
      return copy(std::integral_constant<std::size_t, 2>{});
    case 4:
      return copy(std::integral_constant<std::size_t, 4>{});
    case 8:
      return copy(std::integral_constant<std::size_t, 8>{});
    default:
      copy_items<std::size_t>(to, to_offsets, from, from_offsets, itemsize);
  }
}

/// The least length of a run along the last axis. Boxes with shorter runs are copied element by
/// element: an element for all pairs of offsets, then the next element.
constexpr index_t least_run_bytes = 64;

}  // namespace

void copied_box::add(index_t extent, index_t to_stride, index_t from_stride) {
  extents_.push_back(extent);
  to_.push_back(to_stride / static_cast<index_t>(itemsize));
  from_.push_back(from_stride);
}

void copied_box::drop() {
  for (index_vector* axes : {&extents_, &to_, &from_}) {
    *axes = index_vector(axes->begin(), axes->end() - 1);
  }
}

void copied_box::copy(std::byte* to, const std::byte* from) const {
  const auto item = static_cast<index_t>(itemsize);
  if (extents_.size() == 1) {
    return copy_strided(to, to_[0] * item, from, from_[0], extents_[0], itemsize);
  }
  strided_gather(to, to_, from, from_, extents_, itemsize);
}

void copied_box::copy_each(std::byte* to, std::span<const index_t> to_offsets,
                           const std::byte* from, std::span<const index_t> from_offsets) const {
  const auto item = static_cast<index_t>(itemsize);
  // A run along the last axis of extent above 1, dense on both sides.
  std::size_t last = extents_.size();
  while (last > 0 && extents_[last - 1] == 1) --last;
  const bool has_runs = last > 0 && to_[last - 1] == 1 && from_[last - 1] == item &&
                        extents_[last - 1] * item >= least_run_bytes;
  if (has_runs) {
    for (std::size_t n = 0; n < to_offsets.size(); ++n) {
      copy(to + to_offsets[n], from + from_offsets[n]);
    }
    return;
  }
  index_vector position(extents_.size());
  do {
    copy_items(to + offset_of(position, to_) * item, to_offsets, from + offset_of(position, from_),
               from_offsets, itemsize);
  } while (next_position(position, extents_));
}

}  // namespace tessera::detail
