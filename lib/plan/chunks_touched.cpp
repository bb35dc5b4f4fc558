// SPDX-License-Identifier: Apache-2.0
#include "plan/chunks_touched.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tessera {

index_t chunks_touched(index_t extent, index_t block, const axis_map& map, index_t chunk) {
  if (extent <= 0) return 0;
  const index_t step = std::max<index_t>(1, std::abs(map.step));
  const index_t num_blocks = ceil_divide(extent, block);
  if (step >= chunk) return extent;
  const index_t span = (extent - 1) * step + 1;
  const index_t num_chunks = ceil_divide(span + map.offset % chunk, chunk);
  // A boundary between blocks cuts a chunk in two, unless it is a boundary of chunks as well: every
  // lcm(block, chunk) elements where both begin together.
  const bool begin_together = map.step == 1 && map.offset % chunk == 0;
  const index_t period = chunk / std::gcd(block, chunk);
  const index_t num_common = begin_together ? (num_blocks - 1) / period : 0;
  return num_chunks + num_blocks - 1 - num_common;
}

}  // namespace tessera
