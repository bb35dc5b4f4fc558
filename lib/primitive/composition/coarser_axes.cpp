// SPDX-License-Identifier: Apache-2.0
#include "core/api/wide_integer.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

std::optional<std::vector<coarser_axis>> coarser_axes(const pyramid_level& level) {
  const bool is_function = level.op->as_elementwise() != nullptr || !level.op->in_stages().empty();
  const std::size_t rank = level.domain.size();
  if (!is_function || level.maps.empty()) return std::nullopt;
  const axis_set reduced = level.op->reduced();
  std::vector<coarser_axis> axes(level.maps.front().axes().size(), {rank, 0});
  for (const index_map& map : level.maps) {
    if (map.gather() != nullptr || map.domain_rank() != rank || map.axes().size() != axes.size()) {
      return std::nullopt;
    }
    for (std::size_t k = 0; k < axes.size(); ++k) {
      // The range of elements that one element reads, relative to the first one of its box.
      wide_integer least = map[k].offset;
      wide_integer greatest = map[k].offset;
      bool has_kept_term = false;
      for (const axis_term& term : map[k].terms()) {
        if (reduced[term.axis]) {
          const wide_integer last =
              static_cast<wide_integer>(term.step) * (level.domain[term.axis] - 1);
          (last < 0 ? least : greatest) += last;
          continue;
        }
        const bool is_first = axes[k].step == 0;
        if (is_first) axes[k] = {term.axis, term.step};
        if (has_kept_term || axes[k].axis != term.axis || axes[k].step != term.step) {
          return std::nullopt;
        }
        has_kept_term = true;
      }
      if (!has_kept_term || least < 0 || greatest >= axes[k].step) return std::nullopt;
    }
  }
  // Each kept axis goes along exactly one axis of the operand.
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto count = std::ranges::count(axes, axis, &coarser_axis::axis);
    if (count != (reduced[axis] ? 0 : 1)) return std::nullopt;
  }
  return axes;
}

}  // namespace tessera
