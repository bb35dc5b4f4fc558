// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sets of axes as the bits of a number.

#include "tessera/meta/axes.hpp"

#include <cstddef>

namespace tessera {

/// Tells whether `axis` is in the set `mask`.
[[nodiscard]] constexpr bool has_axis(axis_mask mask, std::size_t axis) {
  return ((mask >> axis) & 1U) != 0;
}

}  // namespace tessera
