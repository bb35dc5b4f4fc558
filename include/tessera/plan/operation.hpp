// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations: how each block of some arrays is made from regions of others.

#include "tessera/core/index_map.hpp"
#include "tessera/primitive/primitive.hpp"
#include "tessera/primitive/walk.hpp"

#include <string>
#include <vector>

namespace tessera {

/// How each block of the outputs is made from regions of the inputs: `body` walks like `how`.
struct operation {
  std::string name;
  walk how;
  /// One map from the domain to each input.
  std::vector<index_map> operands;
  /// What `body` makes of the walk.
  std::vector<output> outputs;
  primitive_handle body;
};

}  // namespace tessera
