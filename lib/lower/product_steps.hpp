// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The steps of a matrix product along its inner axes, and the factors that it reads from copies.

#include "tessera/core/index.hpp"

#include <array>

namespace tessera {

/// A factor of a product.
struct product_side {
  /// The elements of a block across the inner axes.
  double across = 1;
  /// The chunks along the inner axes.
  index_vector inner_chunks;
  /// The elements of a chunk.
  double chunk_elements = 1;
};

struct product_steps {
  index_vector extents;
  /// Whether a factor is copied to chunks of one step.
  std::array<bool, 2> is_copied = {false, false};
};

/// Returns the steps of a product whose automatic chunks have at most `most_elements` elements.
[[nodiscard]] product_steps choose_steps(const std::array<product_side, 2>& sides,
                                         double most_elements);

}  // namespace tessera
