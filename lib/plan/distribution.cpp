// SPDX-License-Identifier: Apache-2.0
#include "plan/api/distribution.hpp"

namespace tessera {

std::size_t distribution::holder_of(const index_vector& index) const {
  index_t chunk = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    chunk = chunk * grid.num_chunks()[axis] + index[axis] / grid.chunks()[axis];
  }
  return holders.at(static_cast<std::size_t>(chunk));
}

bool lie_alike(const distribution& a, const distribution& b) {
  return a.grid == b.grid && a.holders == b.holders && a.num_workers == b.num_workers;
}

}  // namespace tessera
