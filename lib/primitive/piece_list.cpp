// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/piece_list.hpp"

#include "tessera/core/floor_quotient.hpp"
#include "tessera/core/wide_integer.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tessera {

namespace {

std::vector<index_t> starts_along(const std::vector<piece>& pieces, std::size_t axis) {
  std::vector<index_t> starts;
  for (const piece& part : pieces) starts.push_back(part.where.start[axis]);
  std::sort(starts.begin(), starts.end());
  return starts;
}

/// Returns the axis along which pieces begin at most places.
std::size_t axis_of_most(const std::vector<piece>& pieces) {
  std::size_t chosen = 0;
  std::ptrdiff_t most = 0;
  for (std::size_t axis = 0; axis < pieces.front().where.rank(); ++axis) {
    std::vector<index_t> starts = starts_along(pieces, axis);
    const auto count = std::unique(starts.begin(), starts.end()) - starts.begin();
    if (count > most) {
      chosen = axis;
      most = count;
    }
  }
  return chosen;
}

/// Divides, and rounds down or up, whatever the signs.
index_t round_up(index_t a, index_t b) { return -detail::floor_quotient(-a, b); }

}  // namespace

piece_list::piece_list(std::vector<piece> pieces) : pieces_(std::move(pieces)) {
  // Nobody vouches for pieces that were read from a file.
  const std::size_t rank = pieces_.empty() ? 0 : pieces_.front().where.rank();
  const bool are_boxes = std::all_of(pieces_.begin(), pieces_.end(), [rank](const piece& part) {
    return part.where.start.size() == rank && part.where.stop.size() == rank;
  });
  if (pieces_.size() < 2 || rank == 0 || !are_boxes) return;
  axis_ = axis_of_most(pieces_);
  std::stable_sort(pieces_.begin(), pieces_.end(), [this](const piece& p, const piece& q) {
    const index_vector& a = p.where.start;
    const index_vector& b = q.where.start;
    if (a[axis_] != b[axis_]) return a[axis_] < b[axis_];
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  for (const piece& part : pieces_) {
    const index_t stop = part.where.stop[axis_];
    reach_.push_back(reach_.empty() ? stop : std::max(reach_.back(), stop));
  }
}

std::span<const piece> piece_list::near(const region& box) const {
  if (reach_.empty()) return pieces_;
  const auto first = std::upper_bound(reach_.begin(), reach_.end(), box.start[axis_]);
  const auto last = std::partition_point(pieces_.begin(), pieces_.end(), [&](const piece& part) {
    return part.where.start[axis_] < box.stop[axis_];
  });
  const auto begin = pieces_.begin() + (first - reach_.begin());
  return {begin, std::max(begin, last)};
}

std::size_t piece_list::most_met(const index_vector& extents) const {
  if (reach_.empty()) return pieces_.size();
  std::size_t most = 1;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    // A box that ends in piece i begins that far before it at the least.
    region box = pieces_[i].where;
    box.stop[axis_] = box.start[axis_] + 1;
    box.start[axis_] = box.stop[axis_] - extents[axis_];
    most = std::max(most, near(box).size());
  }
  return most;
}

std::optional<region> preimage(const index_map& map, const region& box, const region& within) {
  if (map.behind() != nullptr) return std::nullopt;
  region found = within;
  const region seen = map.image(within);
  for (std::size_t k = 0; k < map.array_rank(); ++k) {
    if (box.start[k] <= seen.start[k] && seen.stop[k] <= box.stop[k]) continue;
    if (seen.stop[k] <= box.start[k] || box.stop[k] <= seen.start[k]) {
      found.stop = found.start;
      return found;
    }
    const axis_term* const term = map[k].only_term();
    if (term == nullptr) return std::nullopt;
    const index_t first = box.start[k] - map[k].offset;
    const index_t last = box.stop[k] - 1 - map[k].offset;
    const bool ascends = term->step > 0;
    index_t& start = found.start[term->axis];
    index_t& stop = found.stop[term->axis];
    start = std::max(start, round_up(ascends ? first : last, term->step));
    stop = std::min(stop, detail::floor_quotient(ascends ? last : first, term->step) + 1);
    stop = std::max(start, stop);
  }
  return found;
}

bool fold_evenly(const piece_list& pieces, axis_set reduced) {
  if (pieces.size() < 2) return true;
  std::set<std::vector<index_t>> kept;
  wide_integer num_kept = 0;
  wide_integer num_in_domain = 1;
  const std::size_t rank = pieces.front().where.rank();
  index_vector least = pieces.front().where.start;
  index_vector most = pieces.front().where.stop;
  for (const piece& part : pieces) {
    std::vector<index_t> bounds;
    wide_integer count = 1;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      least[axis] = std::min(least[axis], part.where.start[axis]);
      most[axis] = std::max(most[axis], part.where.stop[axis]);
      if (reduced[axis]) continue;
      bounds.push_back(part.where.start[axis]);
      bounds.push_back(part.where.stop[axis]);
      count *= part.where.stop[axis] - part.where.start[axis];
    }
    if (kept.insert(std::move(bounds)).second) num_kept += count;
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (!reduced[axis]) num_in_domain *= most[axis] - least[axis];
  }
  // Pieces cover the domain: boxes that differ overlap where they add up to more.
  return num_kept == num_in_domain;
}

}  // namespace tessera
