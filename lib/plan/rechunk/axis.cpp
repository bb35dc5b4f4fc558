// SPDX-License-Identifier: Apache-2.0
#include "plan/rechunk/axis.hpp"

#include "plan/tuning.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::rechunking {

index_t common_multiple(index_t extent, index_t a, index_t b) {
  index_t multiple = 0;
  const bool overflows = __builtin_mul_overflow(a / std::gcd(a, b), b, &multiple);
  return overflows ? extent : std::min(extent, multiple);
}

index_t touched(index_t extent, index_t block, index_t chunk) {
  // Borders that both share are counted once.
  const index_t multiple = common_multiple(extent, block, chunk);
  return ceil_divide(extent, block) + ceil_divide(extent, chunk) - 1 - (extent - 1) / multiple;
}

index_t meet(index_t extent, index_t written, index_t read, double tolerance) {
  if (read >= extent) return std::min(written, extent);
  // Any length divides the whole axis.
  if (written >= extent) return std::min(read, extent);
  const index_t common = std::gcd(written, read);
  const double most = tolerance * static_cast<double>(extent);
  for (index_t parts = 1; parts <= tuning.most_parts_of_block && written / parts > common;
       ++parts) {
    if (written % parts != 0) continue;
    const index_t chunk = written / parts;
    const auto all_read = static_cast<double>(touched(extent, read, chunk) * chunk);
    if (all_read <= most) return chunk;
  }
  return common;
}

std::vector<index_t> ladder(index_t extent, std::initializer_list<index_t> units) {
  std::vector<index_t> lengths{extent};
  for (const index_t unit : units) {
    for (index_t length = unit; length < extent; length *= 2) {
      lengths.push_back(length);
      const index_t between = length / unit * 3 / 2 * unit;
      if (length > unit && between < extent) lengths.push_back(between);
    }
  }
  std::ranges::sort(lengths);
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

}  // namespace tessera::rechunking
