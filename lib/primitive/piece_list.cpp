// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/piece_list.hpp"

#include "core/api/floor_quotient.hpp"
#include "core/api/wide_integer.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tessera {

namespace {

std::vector<index_t> sorted_starts(const std::vector<piece>& pieces, std::size_t axis) {
  std::vector<index_t> starts;
  for (const piece& part : pieces) starts.push_back(part.box.start[axis]);
  std::sort(starts.begin(), starts.end());
  return starts;
}

/// Returns the axis along which pieces have the most distinct starts.
std::size_t axis_of_most_starts(const std::vector<piece>& pieces) {
  std::size_t best_axis = 0;
  std::ptrdiff_t most = 0;
  for (std::size_t axis = 0; axis < pieces.front().box.rank(); ++axis) {
    std::vector<index_t> starts = sorted_starts(pieces, axis);
    const auto count = std::unique(starts.begin(), starts.end()) - starts.begin();
    if (count > most) {
      best_axis = axis;
      most = count;
    }
  }
  return best_axis;
}

/// Divides, and rounds down or up, for all signs.
index_t round_up(index_t a, index_t b) { return -detail::floor_quotient(-a, b); }

/// The most boxes of a preimage: with more, a copy is cheaper than so many pieces.
constexpr std::size_t most_boxes = 4096;

/// Finds the boxes of a domain that a map leads into a box of an array.
///
/// An affine map with one varying term per array axis is inverted directly: the domain's box is
/// clipped. With several terms (windows, i + k) the domain is cut along one axis into runs of
/// positions that are inside, outside or across a border; those across are cut further.
class preimage_search {
 public:
  preimage_search(const index_map& map, const region& box, axis_set reduced)
      : map_(map), box_(box), reduced_(reduced) {}

  [[nodiscard]] std::optional<std::vector<region>> find(const region& within) {
    add_preimage(within);
    if (has_too_many_boxes_) return std::nullopt;
    return std::move(boxes_);
  }

 private:
  enum class relation { inside, outside, across };

  /// Returns the relation of the image of `part` to the box, along axis `k` of the array.
  [[nodiscard]] relation relation_of_image(const region& part, std::size_t k) const {
    const region image = map_.image(part);
    if (box_.start[k] <= image.start[k] && image.stop[k] <= box_.stop[k]) return relation::inside;
    const bool is_disjoint = image.stop[k] <= box_.start[k] || box_.stop[k] <= image.start[k];
    return is_disjoint ? relation::outside : relation::across;
  }

  void add_preimage(const region& part) {
    if (has_too_many_boxes_ || part.empty()) return;
    std::optional<std::size_t> crossed_axis;
    for (std::size_t k = map_.array_rank(); k-- > 0;) {
      const relation relation_k = relation_of_image(part, k);
      if (relation_k == relation::outside) return;
      if (relation_k == relation::across) crossed_axis = k;
    }
    if (crossed_axis) return cut_at_border(part, *crossed_axis);
    boxes_.push_back(part);
    has_too_many_boxes_ = boxes_.size() > most_boxes;
  }

  /// Cuts `part`, whose image crosses a border of the box along axis `k`.
  void cut_at_border(region part, std::size_t k) {
    const std::vector<axis_term> terms = varying_terms(part, k);
    if (terms.size() == 1) {
      clip(part, k, terms.front());
      return add_preimage(part);
    }
    const std::size_t axis = choose_axis(part, terms);
    const index_t stop = part.stop[axis];
    for (index_t start = part.start[axis]; start < stop && !has_too_many_boxes_;
         start = part.stop[axis]) {
      part.start[axis] = start;
      part.stop[axis] = end_of_same_relation(part, k, axis, stop);
      add_preimage(part);
    }
  }

  /// Returns the terms of axis `k` whose value varies in `part`.
  [[nodiscard]] std::vector<axis_term> varying_terms(const region& part, std::size_t k) const {
    std::vector<axis_term> terms;
    for (const axis_term& term : map_[k].terms()) {
      if (part.stop[term.axis] - part.start[term.axis] > 1) terms.push_back(term);
    }
    return terms;
  }

  /// Returns the longest axis of `terms`, a kept axis if there is one.
  [[nodiscard]] std::size_t choose_axis(const region& part,
                                        const std::vector<axis_term>& terms) const {
    const auto rank = [&](const axis_term& term) {
      return std::pair(!reduced_[term.axis], part.stop[term.axis] - part.start[term.axis]);
    };
    return std::ranges::max_element(terms, {}, rank)->axis;
  }

  /// Returns the end of the run, from the beginning of `part` along `axis`, with one relation:
  /// inside or outside. A position across a border is a run of its own.
  [[nodiscard]] index_t end_of_same_relation(region part, std::size_t k, std::size_t axis,
                                             index_t stop) const {
    const index_t first = part.start[axis];
    const auto relation_of = [&](index_t begin, index_t end) {
      part.start[axis] = begin;
      part.stop[axis] = end;
      return relation_of_image(part, k);
    };
    const relation first_relation = relation_of(first, first + 1);
    if (first_relation == relation::across) return first + 1;
    // Positions of one relation are contiguous, so the end is found by bisection.
    index_t length = 1;
    for (index_t step = stop - first; step > 0; step /= 2) {
      while (first + length + step <= stop &&
             relation_of(first, first + length + step) == first_relation) {
        length += step;
      }
    }
    return first + length;
  }

  /// Clips `part` to the positions that `term`, the only varying one, leads into the box.
  void clip(region& part, std::size_t k, const axis_term& term) const {
    region origin = part;
    origin.start[term.axis] = 0;
    origin.stop[term.axis] = 1;
    const index_t offset = map_.image(origin).start[k];
    const index_t first = box_.start[k] - offset;
    const index_t last = box_.stop[k] - 1 - offset;
    const bool ascends = term.step > 0;
    index_t& start = part.start[term.axis];
    index_t& stop = part.stop[term.axis];
    start = std::max(start, round_up(ascends ? first : last, term.step));
    stop = std::min(stop, detail::floor_quotient(ascends ? last : first, term.step) + 1);
    stop = std::max(start, stop);
  }

  const index_map& map_;
  const region& box_;
  axis_set reduced_;
  std::vector<region> boxes_;
  bool has_too_many_boxes_ = false;
};

}  // namespace

piece_list::piece_list(std::vector<piece> pieces) : pieces_(std::move(pieces)) {
  // Pieces from a file may be invalid: `check` reports them later.
  const std::size_t rank = pieces_.empty() ? 0 : pieces_.front().box.rank();
  const bool are_boxes = std::all_of(pieces_.begin(), pieces_.end(), [rank](const piece& part) {
    return part.box.start.size() == rank && part.box.stop.size() == rank;
  });
  if (pieces_.size() < 2 || rank == 0 || !are_boxes) return;
  axis_ = axis_of_most_starts(pieces_);
  std::stable_sort(pieces_.begin(), pieces_.end(), [this](const piece& p, const piece& q) {
    const index_vector& a = p.box.start;
    const index_vector& b = q.box.start;
    if (a[axis_] != b[axis_]) return a[axis_] < b[axis_];
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  for (std::size_t i = 1; i < pieces_.size(); ++i) {
    if (pieces_[i].program == pieces_[i - 1].program) pieces_[i].program = pieces_[i - 1].program;
  }
  for (const piece& part : pieces_) {
    const index_t stop = part.box.stop[axis_];
    reach_.push_back(reach_.empty() ? stop : std::max(reach_.back(), stop));
  }
}

std::span<const piece> piece_list::near(const region& box) const {
  if (reach_.empty()) return pieces_;
  const auto first = std::upper_bound(reach_.begin(), reach_.end(), box.start[axis_]);
  const auto last = std::partition_point(pieces_.begin(), pieces_.end(), [&](const piece& part) {
    return part.box.start[axis_] < box.stop[axis_];
  });
  const auto begin = pieces_.begin() + (first - reach_.begin());
  return {begin, std::max(begin, last)};
}

std::size_t piece_list::most_met(const index_vector& extents) const {
  if (reach_.empty()) return pieces_.size();
  std::size_t most = 1;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    // A box that ends with the first element of piece i meets the most pieces before it.
    region box = pieces_[i].box;
    box.stop[axis_] = box.start[axis_] + 1;
    box.start[axis_] = box.stop[axis_] - extents[axis_];
    most = std::max(most, near(box).size());
  }
  return most;
}

std::optional<std::vector<region>> preimage(const index_map& map, const region& box,
                                            const region& within, axis_set reduced) {
  if (map.gather() != nullptr) return std::nullopt;
  return preimage_search(map, box, reduced).find(within);
}

bool fold_evenly(const piece_list& pieces, axis_set reduced) {
  if (pieces.size() < 2 || reduced.none()) return true;
  std::set<std::vector<index_t>> kept;
  wide_integer num_kept = 0;
  wide_integer num_in_domain = 1;
  const std::size_t rank = pieces.front().box.rank();
  index_vector lowest = pieces.front().box.start;
  index_vector highest = pieces.front().box.stop;
  for (const piece& part : pieces) {
    std::vector<index_t> bounds;
    wide_integer count = 1;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      lowest[axis] = std::min(lowest[axis], part.box.start[axis]);
      highest[axis] = std::max(highest[axis], part.box.stop[axis]);
      if (reduced[axis]) continue;
      bounds.push_back(part.box.start[axis]);
      bounds.push_back(part.box.stop[axis]);
      count *= part.box.stop[axis] - part.box.start[axis];
    }
    if (kept.insert(std::move(bounds)).second) num_kept += count;
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (!reduced[axis]) num_in_domain *= highest[axis] - lowest[axis];
  }
  // Pieces cover the domain, so distinct kept boxes that add up to more than it overlap.
  return num_kept == num_in_domain;
}

}  // namespace tessera
