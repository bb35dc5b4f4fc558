// SPDX-License-Identifier: Apache-2.0
#include "primitive/composition/halo.hpp"

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/error.hpp"

#include "core/api/wide_integer.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

/// Returns the axis of the operation along which axis `axis` of `part` lies.
std::size_t axis_along(const stage& part, std::size_t axis) { return (*part.frame)[axis].axis; }

}  // namespace

void add_halo(const stage& part, const index_vector& whole, loop_schedule& schedule) {
  for (const halo_axis& halo : part.halo) {
    schedule.domain[halo.axis] = halo.extent;
    schedule.block[halo.axis] += std::max<index_t>(1, whole[halo.by]) - 1;
  }
}

void add_halo(const stage& part, const region& whole, region& box) {
  for (const halo_axis& halo : part.halo) {
    const index_t start = box.start[halo.axis] + whole.start[halo.by] + halo.offset;
    const index_t stop = box.stop[halo.axis] + whole.stop[halo.by] - 1 + halo.offset;
    box.start[halo.axis] = std::clamp<index_t>(start, 0, halo.extent);
    box.stop[halo.axis] = std::clamp(stop, box.start[halo.axis], halo.extent);
  }
}

double overlap_of_halos(const stage& part, const index_vector& domain,
                        const index_vector& extents) {
  double times = 1;
  for (const halo_axis& halo : part.halo) {
    const std::size_t axis = axis_along(part, halo.axis);
    const auto beyond = static_cast<double>(std::max<index_t>(1, domain[halo.by]) - 1);
    const auto blocks = static_cast<double>(ceil_divide(domain[axis], extents[axis]));
    times *= 1 + (blocks - 1) * beyond / static_cast<double>(halo.extent);
  }
  return times;
}

region hull_of(const stage& part, const region& box, const region& whole) {
  region result = output{{}, *part.frame}.domain_of(whole, box);
  for (const halo_axis& halo : part.halo) {
    const std::size_t axis = axis_along(part, halo.axis);
    const index_t first = box.start[halo.axis] - halo.offset;
    const index_t stop = box.stop[halo.axis] - halo.offset;
    result.start[axis] = std::max(whole.start[axis], first - (whole.stop[halo.by] - 1));
    result.stop[axis] = std::min(whole.stop[axis], stop - whole.start[halo.by]);
    result.start[halo.by] = std::max(whole.start[halo.by], first - (whole.stop[axis] - 1));
    result.stop[halo.by] = std::min(whole.stop[halo.by], stop - whole.start[axis]);
  }
  return result;
}

// Of all pairs (i, w) with the wanted sums, take the least i for which w is inside the box.
region cover_of(const stage& part, const region& box, const region& whole) {
  region result = output{{}, *part.frame}.domain_of(whole, box);
  for (const halo_axis& halo : part.halo) {
    const std::size_t axis = axis_along(part, halo.axis);
    const index_t first = box.start[halo.axis] - halo.offset;
    const index_t length = box.stop[halo.axis] - box.start[halo.axis];
    const index_t begin = std::min(first - whole.start[axis], whole.stop[halo.by] - 1);
    const index_t num_windows = std::min(length, whole.stop[halo.by] - begin);
    result.start[halo.by] = begin;
    result.stop[halo.by] = begin + num_windows;
    result.start[axis] = first - begin;
    result.stop[axis] = result.start[axis] + length - num_windows + 1;
  }
  return result;
}

index_map seen_from(const stage& part, const index_map& map) {
  if (part.halo.empty()) return from_output(map, {{}, *part.frame});
  std::vector<axis_map> axes;
  for (const axis_map& along : map.axes()) {
    axes.emplace_back(along.offset);
    for (const axis_term& term : along.terms()) {
      const auto is_window = [&](const halo_axis& halo) { return halo.by == term.axis; };
      if (std::ranges::none_of(part.halo, is_window)) axes.back().add(term);
    }
    for (const halo_axis& halo : part.halo) {
      const index_t step = along.step_along(halo.by);
      if (along.step_along(axis_along(part, halo.axis)) != step) {
        throw value_error("an operand has other steps along an axis than along its window");
      }
      const wide_integer offset =
          axes.back().offset - static_cast<wide_integer>(step) * halo.offset;
      if (offset <= -greatest_index || offset >= greatest_index) {
        throw value_error("an operand is seen at an index that no array has");
      }
      axes.back().offset = static_cast<index_t>(offset);
    }
  }
  return from_output({map.domain_rank(), std::move(axes), map.gather()}, {{}, *part.frame});
}

}  // namespace tessera::detail
