// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Division that rounds down, below zero too.

#include "tessera/core/index.hpp"

namespace tessera::detail {

/// Returns the greatest integer that is at most `a / b`. Requires: `b` is not 0.
[[nodiscard]] constexpr index_t floor_quotient(index_t a, index_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

}  // namespace tessera::detail
