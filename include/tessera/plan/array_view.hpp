// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays before they are planned, as expressions hold them; `node.hpp` has their nodes.

#include "tessera/core/index_map.hpp"

#include <memory>

namespace tessera {

struct array_node;
using array_handle = std::shared_ptr<const array_node>;

/// An array seen through a map: a slice, a permutation, a broadcast.
struct array_view {
  array_handle array;
  index_map map;  ///< from the view's indices to the array's
};

}  // namespace tessera
