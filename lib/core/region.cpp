// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/region.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

region region::whole(std::span<const index_t> extents) {
  return {index_vector(extents.size(), 0), index_vector(extents.begin(), extents.end())};
}

index_vector region::shape() const {
  index_vector extents(start.size());
  for (std::size_t axis = 0; axis < start.size(); ++axis) {
    extents[axis] = std::max<index_t>(0, stop[axis] - start[axis]);
  }
  return extents;
}

index_t region::num_elements() const { return tessera::num_elements(shape()); }

bool region::empty() const {
  for (std::size_t axis = 0; axis < start.size(); ++axis) {
    if (stop[axis] <= start[axis]) return true;
  }
  return false;
}

bool region::contains(const region& box) const {
  if (box.empty()) return true;
  for (std::size_t axis = 0; axis < start.size(); ++axis) {
    if (box.start[axis] < start[axis] || box.stop[axis] > stop[axis]) return false;
  }
  return true;
}

bool region::operator==(const region& box) const { return start == box.start && stop == box.stop; }

region intersect(const region& a, const region& b) {
  region common{a.start, a.stop};
  for (std::size_t axis = 0; axis < a.start.size(); ++axis) {
    common.start[axis] = std::max(a.start[axis], b.start[axis]);
    common.stop[axis] = std::max(common.start[axis], std::min(a.stop[axis], b.stop[axis]));
  }
  return common;
}

void extend(region& box, const region& added) {
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    box.start[axis] = std::min(box.start[axis], added.start[axis]);
    box.stop[axis] = std::max(box.stop[axis], added.stop[axis]);
  }
}

void extend(std::optional<region>& box, const region& added) {
  if (box) {
    extend(*box, added);
  } else {
    box = added;
  }
}

std::string format_region(const region& box) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < box.start.size(); ++axis) {
    text += fmt::format("{}{}:{}", axis == 0 ? "" : ", ", box.start[axis], box.stop[axis]);
  }
  return text + "]";
}

}  // namespace tessera
