// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The extents and the axis orders that block kernels see.

#include "tessera/core/index.hpp"

#include "primitive/api/block_function.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Returns the extents, with halo, of an operand over a part of the domain of `extents`.
inline index_vector kernel_extents(const std::vector<block_axis>& axes,
                                   const index_vector& extents) {
  index_vector result;
  for (const block_axis& axis : axes) {
    const index_t halo = axis.grown_by ? extents[*axis.grown_by] - 1 : 0;
    result.push_back(extents[axis.axis] + halo);
  }
  return result;
}

/// Returns the number of axes in front of a result's axes: one for each streamed axis that blocks
/// cut, which numbers the partial results to be added up.
inline std::size_t num_part_axes(const block_schedule& blocks, const loop_schedule& schedule) {
  return schedule.takes_all(blocks.streamed) ? 0 : blocks.streamed.count();
}

/// Returns `values` without the first `skipped`, permuted to the kernel's axis order.
template <class Values>
Values permute_to_kernel(const std::vector<std::size_t>& order, const Values& values,
                         std::size_t skipped = 0) {
  Values result;
  for (const std::size_t k : order) result.push_back(values[skipped + k]);
  return result;
}

}  // namespace tessera
