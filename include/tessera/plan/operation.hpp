// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations: a primitive over a domain, its inputs and its outputs.

#include "tessera/core/index_map.hpp"
#include "tessera/primitive/loop_schedule.hpp"
#include "tessera/primitive/primitive.hpp"

#include <string>
#include <vector>

namespace tessera {

/// Computes each block of the outputs from regions of the inputs.
struct operation {
  std::string name;
  loop_schedule schedule;
  /// One map from the domain to each input.
  std::vector<index_map> operands;
  /// The outputs of `primitive` under `schedule`.
  std::vector<output> outputs;
  primitive_handle primitive;
};

}  // namespace tessera
