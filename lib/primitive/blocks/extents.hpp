// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The extents and orders in which block kernels see axes.

#include "tessera/core/index.hpp"
#include "tessera/primitive/blocks.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Returns the extents that a kernel sees of an operand over a part of `extents` of the domain.
inline index_vector extents_seen(const std::vector<block_axis>& axes, const index_vector& extents) {
  index_vector seen;
  for (const block_axis& each : axes) {
    const index_t around = each.grown_by ? extents[*each.grown_by] - 1 : 0;
    seen.push_back(extents[each.axis] + around);
  }
  return seen;
}

/// Returns how many axes a result has before those that a kernel knows of: which part it is of what
/// is added up.
inline std::size_t num_part_axes(const block_walk& function, const walk& how) {
  return how.takes_all(function.streamed) ? 0 : function.streamed.count();
}

/// Returns `values`, behind the first `skipped`, in the order in which a kernel has their axes.
template <class Values>
Values in_order_of(const std::vector<std::size_t>& order, const Values& values,
                   std::size_t skipped = 0) {
  Values ordered;
  for (const std::size_t axis : order) ordered.push_back(values[skipped + axis]);
  return ordered;
}

}  // namespace tessera
