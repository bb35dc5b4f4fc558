// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An axis of a stage with a halo.

#include <cstddef>

namespace tessera {

/// An axis of a stage that is longer than the axis of the operation along which it lies, by the
/// extent of axis `by` of the operation less one: the surroundings of a block.
struct halo_axis {
  std::size_t axis = 0;
  std::size_t by = 0;

  [[nodiscard]] bool operator==(const halo_axis&) const = default;
};

}  // namespace tessera
