// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How many chunks blocks touch along an axis: what the cost of reading is made of.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"

namespace tessera {

/// Returns the number of chunks that blocks of `block` elements, one after the other along an axis
/// of `extent`, touch altogether where the axis is read from `offset` on in steps of `step`.
[[nodiscard]] index_t chunks_touched(index_t extent, index_t block, const axis_map& map,
                                     index_t chunk);

}  // namespace tessera
