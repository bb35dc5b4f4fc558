// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Redistributes the elements of an array among the ranks.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <memory>
#include <mpi.h>
#include <vector>

namespace tessera::mpi {

/// The part of an array that is in a rank's memory.
struct part_in_memory {
  const std::byte* data = nullptr;
  /// In elements.
  index_vector strides;
};

/// Returns the elements of this rank's box of `after`, contiguous in row-major order. `part` holds
/// the elements of its box of `before`.
///
/// Collective: `before` and `after` have one box for each rank, and the boxes of either cover the
/// array without overlaps.
///
/// Throws: value_error <- an extent is above 2^31 - 1, which MPI cannot count.
[[nodiscard]] std::shared_ptr<std::byte[]> redistribute(MPI_Comm comm, std::size_t itemsize,
                                                        const part_in_memory& part,
                                                        const std::vector<region>& before,
                                                        const std::vector<region>& after);

}  // namespace tessera::mpi
