// SPDX-License-Identifier: Apache-2.0
#include "primitive/api/block_function.hpp"
#include "primitive/api/build.hpp"
#include "primitive/composition/composition.hpp"

#include <cstddef>
#include <numeric>

namespace tessera {

namespace {

/// Lengthens `tile`, of an operation, to whole tiles of `part`.
void include_stage(index_vector& tile, const stage& part) {
  const std::size_t rank = part.frame ? part.frame->size() : tile.size();
  const index_vector of_stage = tile_of(*part.op, rank);
  for (std::size_t k = 0; k < rank; ++k) {
    const output_axis along = part.frame ? (*part.frame)[k] : output_axis{.axis = k};
    if (along.origin != output_axis::kind::along || of_stage[k] == 0) continue;
    index_t& extent = tile[along.axis];
    extent = std::lcm(extent == 0 ? 1 : extent, of_stage[k] * along.step);
  }
}

}  // namespace

index_vector tile_of(const primitive& op, std::size_t rank) {
  index_vector tile(rank);
  if (const auto* const function = dynamic_cast<const block_function*>(&op)) {
    if (!function->tile().empty()) tile = function->tile();
  } else if (const auto* const stages = dynamic_cast<const composition*>(&op)) {
    for (const stage& part : stages->stages()) include_stage(tile, part);
  }
  return tile;
}

}  // namespace tessera
