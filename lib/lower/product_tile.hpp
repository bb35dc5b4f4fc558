// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tile of a matrix product: the extents that fix its bits.

#include "tessera/core/index.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// The role of an axis in a product.
enum class product_axis { batch, row, column, inner };

/// A product of matrices, as a program states it: no figure of the host.
struct product_domain {
  index_vector extents;
  /// The chunks of the result, and the steps along inner axes.
  index_vector chunks;
  std::vector<product_axis> roles;
  /// The bytes of an element.
  std::size_t itemsize = 8;
  /// Whether sums are exact, as sums of integers are: then the bits depend on no extent.
  bool is_exact = false;
};

/// Returns `block_schedule::tile` of a product.
///
/// A tile along rows and columns has an extent that divides the chunk, unless one chunk covers the
/// axis: so the grids of all chunks are one grid. Along inner axes it is the whole axis, unless
/// partial sums give the product enough tasks.
[[nodiscard]] index_vector choose_tile(const product_domain& product);

}  // namespace tessera
