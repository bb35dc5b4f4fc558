// SPDX-License-Identifier: Apache-2.0
#include "array/mpi/tiling.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tessera::mpi {

namespace {

/// Returns the end along `axis` of the part that begins at `offset`.
index_t end_along(std::size_t axis, index_t offset, index_t extent,
                  const std::vector<stated_part>& parts) {
  index_t end = extent;
  for (const stated_part& part : parts) {
    const bool is_empty = part.extents && num_elements(*part.extents) == 0;
    if (!is_empty && part.offset[axis] > offset) end = std::min(end, part.offset[axis]);
  }
  return std::max(end, offset);
}

std::vector<std::size_t> in_order_of_start(const std::vector<region>& boxes) {
  std::vector<std::size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&boxes](std::size_t a, std::size_t b) {
    return boxes[a].rank() > 0 && boxes[a].start[0] < boxes[b].start[0];
  });
  return order;
}

/// Returns the ranks of a pair of boxes that overlap, or an empty text. A box can only meet boxes
/// that begin before its end along the first axis.
std::string overlap_of(const std::vector<region>& boxes) {
  const std::vector<std::size_t> order = in_order_of_start(boxes);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const region& lower = boxes[order[i]];
    if (lower.empty()) continue;
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const region& upper = boxes[order[j]];
      if (lower.rank() > 0 && upper.start[0] >= lower.stop[0]) break;
      const region common = intersect(lower, upper);
      if (common.empty()) continue;
      return fmt::format("ranks {} and {} both hold {}", std::min(order[i], order[j]),
                         std::max(order[i], order[j]), format_region(common));
    }
  }
  return {};
}

}  // namespace

std::vector<region> boxes_of(const index_vector& shape, const std::vector<stated_part>& parts) {
  std::vector<region> boxes;
  for (const stated_part& part : parts) {
    region box{part.offset, part.offset};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      box.stop[axis] = part.extents ? part.offset[axis] + (*part.extents)[axis]
                                    : end_along(axis, part.offset[axis], shape[axis], parts);
    }
    boxes.push_back(std::move(box));
  }
  return boxes;
}

std::string problem_of(const index_vector& shape, const std::vector<region>& boxes) {
  index_t covered = 0;
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    if (boxes[rank].empty()) continue;
    if (!region::whole(shape).contains(boxes[rank])) {
      return fmt::format("rank {} holds {}, which reaches beyond the array", rank,
                         format_region(boxes[rank]));
    }
    covered += boxes[rank].num_elements();
  }
  if (std::string overlap = overlap_of(boxes); !overlap.empty()) return overlap;
  if (covered == num_elements(shape)) return {};
  return fmt::format("the parts hold {} of its {} elements", covered, num_elements(shape));
}

std::optional<rank_grid> regular_grid(const index_vector& shape, const std::vector<region>& boxes) {
  const auto is_first = [](const region& box) {
    const auto is_zero = [](index_t start) { return start == 0; };
    return !box.empty() && std::all_of(box.start.begin(), box.start.end(), is_zero);
  };
  const auto first = std::find_if(boxes.begin(), boxes.end(), is_first);
  if (first == boxes.end()) return std::nullopt;
  rank_grid by_rank{chunk_grid(shape, first->shape()), {}};
  by_rank.holders.resize(static_cast<std::size_t>(by_rank.grid.size()));
  std::size_t num_matched = 0;
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    if (boxes[rank].empty()) continue;
    index_vector chunk = boxes[rank].start;
    index_t number = 0;
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
      chunk[axis] /= by_rank.grid.chunks()[axis];
      number = number * by_rank.grid.num_chunks()[axis] + chunk[axis];
    }
    if (by_rank.grid.chunk_region(chunk) != boxes[rank]) return std::nullopt;
    by_rank.holders[static_cast<std::size_t>(number)] = rank;
    ++num_matched;
  }
  return num_matched == by_rank.holders.size() ? std::optional(std::move(by_rank)) : std::nullopt;
}

rank_grid even_grid(const index_vector& shape, const std::vector<int>& divisions) {
  index_vector chunks;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    chunks.push_back(std::max<index_t>(1, ceil_divide(shape[axis], divisions[axis])));
  }
  rank_grid by_rank{chunk_grid(shape, std::move(chunks)), {}};
  by_rank.holders.resize(static_cast<std::size_t>(by_rank.grid.size()));
  std::iota(by_rank.holders.begin(), by_rank.holders.end(), std::size_t{0});
  return by_rank;
}

}  // namespace tessera::mpi
