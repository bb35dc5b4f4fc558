// SPDX-License-Identifier: Apache-2.0
#include "plan/task_windows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace tessera {

void window_size::hold(const index_vector& chunk) {
  spacing = index_vector(chunk.size(), 1);
  extents = chunk;
  is_whole_chunks = true;
  part_read = 1;
}

std::size_t window_size::bytes(std::size_t itemsize) const {
  index_t count = 1;
  for (const index_t extent : extents) count = checked_multiply(count, extent);
  return static_cast<std::size_t>(count) * itemsize;
}

index_t spacing_along(std::size_t k, std::span<const index_map* const> maps) {
  index_t divisor = 0;
  for (const index_map* map : maps) {
    divisor = std::gcd(divisor, (*map)[k].offset - (*maps.front())[k].offset);
    for (const axis_term& term : (*map)[k].terms()) divisor = std::gcd(divisor, term.step);
  }
  return std::max<index_t>(divisor, 1);
}

bytes window_size::read_of(tessera::bytes chunk_bytes) const {
  const double part = std::ceil(static_cast<double>(chunk_bytes.count()) * part_read);
  return part_read < 1 ? tessera::bytes{static_cast<std::uint64_t>(part)} : chunk_bytes;
}

}  // namespace tessera
