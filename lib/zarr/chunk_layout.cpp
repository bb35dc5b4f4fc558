// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

namespace {

/// Returns the axes of a layout by its name.
index_vector named_axes(char name, std::size_t rank) {
  index_vector axes(rank);
  for (std::size_t k = 0; k < rank; ++k) {
    axes[k] = static_cast<index_t>(name == 'F' ? rank - 1 - k : k);
  }
  return axes;
}

bool is_permutation(const index_vector& axes) {
  const index_vector sorted = named_axes('C', axes.size());
  return std::is_permutation(axes.begin(), axes.end(), sorted.begin());
}

}  // namespace

chunk_layout::chunk_layout(const index_vector& axes) : name_('\0') {
  if (!is_permutation(axes)) {
    throw zarr_error(
        fmt::format("a layout must be a permutation of the axes, found {}", format_shape(axes)));
  }
  for (const char name : {'F', 'C'}) {
    if (named_axes(name, axes.size()) == axes) name_ = name;
  }
  if (name_ == '\0') axes_ = axes;
}

bool chunk_layout::fits(std::size_t rank) const {
  return name_ == 'C' || name_ == 'F' || (name_ == '\0' && axes_.size() == rank);
}

index_vector chunk_layout::axes(std::size_t rank) const {
  return name_ == '\0' ? axes_ : named_axes(name_, rank);
}

index_vector chunk_layout::strides(const index_vector& extents) const {
  const index_vector slowest_first = axes(extents.size());
  index_vector strides(extents.size());
  index_t stride = 1;
  for (std::size_t k = extents.size(); k-- > 0;) {
    const auto axis = static_cast<std::size_t>(slowest_first[k]);
    strides[axis] = stride;
    if (extents[axis] > 0 && k > 0) stride = checked_multiply(stride, extents[axis]);
  }
  return strides;
}

}  // namespace tessera
