// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An axis of a stage with a halo.

#include "tessera/core/index.hpp"

#include <cstddef>

namespace tessera {

/// An axis of a stage with a halo. Its positions are sums of `i`, along an axis of the operation,
/// of `w`, along axis `by` of the operation, and of `offset`: a block has the surroundings of its
/// part. Sums outside [0, `extent`) are left out.
struct halo_axis {
  std::size_t axis = 0;
  std::size_t by = 0;
  index_t offset = 0;
  index_t extent = 0;

  [[nodiscard]] bool operator==(const halo_axis&) const = default;
};

}  // namespace tessera
