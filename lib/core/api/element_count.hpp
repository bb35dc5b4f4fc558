// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Numbers of elements that may be beyond the range of an index.

#include "tessera/core/index.hpp"

namespace tessera {

/// Returns the number of elements of a box of `extents`.
[[nodiscard]] inline double element_count(const index_vector& extents) {
  double count = 1;
  for (const index_t extent : extents) count *= static_cast<double>(extent);
  return count;
}

}  // namespace tessera
