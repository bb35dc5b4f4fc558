// SPDX-License-Identifier: Apache-2.0
#include "plan/copy_rules.hpp"

#include <algorithm>
#include <functional>

namespace tessera {

bool permutes_axes(const index_map& map) {
  if (map.gather() != nullptr) return false;
  axis_set axes_seen;
  for (const axis_map& m : map.axes()) {
    const axis_term* const term = m.only_term();
    if (term == nullptr || term->step < 1 || axes_seen[term->axis]) return false;
    axes_seen.set(term->axis);
  }
  return axes_seen.count() == map.domain_rank();
}

bool fits_into(const index_vector& extents, const index_vector& chunk) {
  return std::ranges::equal(extents, chunk, std::less_equal<>{});
}

bool makes_one_chunk(const operation& copy, const array_storage& to) {
  return copy.operands.front().is_identity() &&
         is_one_chunk(copy.outputs.front().block(copy.schedule), to);
}

bool depends_alone_on(const index_map& map, std::size_t axis) {
  return std::any_of(map.axes().begin(), map.axes().end(), [axis](const axis_map& m) {
    return m.only_term() != nullptr && m.depends_on(axis);
  });
}

}  // namespace tessera
