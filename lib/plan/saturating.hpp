// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arithmetic that saturates at the greatest index.

#include "tessera/core/index.hpp"

#include <limits>

namespace tessera {

[[nodiscard]] inline index_t saturating_multiply(index_t a, index_t b) {
  index_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<index_t>::max() : product;
}

[[nodiscard]] inline index_t saturating_add(index_t a, index_t b) {
  index_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<index_t>::max() : sum;
}

}  // namespace tessera
