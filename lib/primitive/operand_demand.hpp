// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The demand of a task for an operand that several of its stages read.

#include "tessera/primitive/primitive.hpp"

#include <algorithm>

namespace tessera {

/// Extends `demand`, of one operand, by `added`.
inline void add_demand(operand_demand& demand, const operand_demand& added) {
  if (!demand.is_used) {
    demand = added;
    return;
  }
  demand.used = {std::min(demand.used.first, added.used.first),
                 std::max(demand.used.last, added.used.last)};
  demand.read = {std::min(demand.read.first, added.read.first),
                 std::max(demand.read.last, added.read.last)};
  demand.is_whole = demand.is_whole || added.is_whole;
  demand.at_start &= added.at_start;
  if (demand.domain && added.domain) {
    extend(*demand.domain, *added.domain);
  } else {
    demand.domain.reset();
  }
}

}  // namespace tessera
