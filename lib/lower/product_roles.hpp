// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The axes of a matrix product by their roles.

#include "primitive/api/block_function.hpp"

#include <string>

namespace tessera {

/// The letters of a product of two terms, by their role. Domains have them in this order.
struct letter_roles {
  std::string batch, rows, columns, inner;
};

/// Returns the blocks of matmul over the domain `domain`: outer letters, then the inner letters.
[[nodiscard]] block_schedule blocks_of_product(const letter_roles& roles,
                                               const std::string& domain);

}  // namespace tessera
