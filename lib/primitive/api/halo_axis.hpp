// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An axis of a stage with a halo.

#include "tessera/core/index.hpp"

#include <cstddef>

namespace tessera {

/// An axis of a stage whose positions are sums: `i` along an axis of the operation, `w` along its
/// axis `by`, and `offset`. A block of the operation has the surroundings of its own part. Sums
/// outside [0, `extent`) are left out.
struct halo_axis {
  std::size_t axis = 0;
  std::size_t by = 0;
  index_t offset = 0;
  index_t extent = 0;

  [[nodiscard]] bool operator==(const halo_axis&) const = default;
};

}  // namespace tessera
