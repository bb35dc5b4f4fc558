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

/// More boxes are not worth to be told apart.
constexpr std::size_t most_boxes = 4096;

/// Cuts boxes of a domain into what a map leads into a box of an array.
class box_cut {
 public:
  box_cut(const index_map& map, const region& box, axis_set reduced)
      : map_(map), box_(box), reduced_(reduced) {}

  [[nodiscard]] std::optional<std::vector<region>> of(const region& within) {
    cut(within);
    if (is_cut_too_often_) return std::nullopt;
    return std::move(found_);
  }

 private:
  enum class place { inside, outside, across };

  /// Tells where `map_` leads the domain's box `from` along axis `k` of the array.
  [[nodiscard]] place of_image(const region& from, std::size_t k) const {
    const region seen = map_.image(from);
    if (box_.start[k] <= seen.start[k] && seen.stop[k] <= box_.stop[k]) return place::inside;
    const bool is_apart = seen.stop[k] <= box_.start[k] || box_.stop[k] <= seen.start[k];
    return is_apart ? place::outside : place::across;
  }

  void cut(const region& from) {
    if (is_cut_too_often_ || from.empty()) return;
    std::optional<std::size_t> crossed;
    for (std::size_t k = map_.array_rank(); k-- > 0;) {
      const place where = of_image(from, k);
      if (where == place::outside) return;
      if (where == place::across) crossed = k;
    }
    if (crossed) return cut_along(from, *crossed);
    found_.push_back(from);
    is_cut_too_often_ = found_.size() > most_boxes;
  }

  /// Cuts `from`, which is led across a border of the box along axis `k`.
  void cut_along(region from, std::size_t k) {
    const std::vector<axis_term> terms = terms_that_vary(from, k);
    if (terms.size() == 1) {
      clip(from, k, terms.front());
      return cut(from);
    }
    const std::size_t axis = axis_to_cut(from, terms);
    const index_t stop = from.stop[axis];
    for (index_t at = from.start[axis]; at < stop && !is_cut_too_often_; at = from.stop[axis]) {
      from.start[axis] = at;
      from.stop[axis] = end_of_run(from, k, axis, stop);
      cut(from);
    }
  }

  /// Returns the terms of axis `k` that are not the same in all of `from`.
  [[nodiscard]] std::vector<axis_term> terms_that_vary(const region& from, std::size_t k) const {
    std::vector<axis_term> terms;
    for (const axis_term& term : map_[k].terms()) {
      if (from.stop[term.axis] - from.start[term.axis] > 1) terms.push_back(term);
    }
    return terms;
  }

  /// Returns the longest axis of some terms, of those that are kept where there is one.
  [[nodiscard]] std::size_t axis_to_cut(const region& from,
                                        const std::vector<axis_term>& terms) const {
    const auto rank = [&](const axis_term& term) {
      return std::pair(!reduced_[term.axis], from.stop[term.axis] - from.start[term.axis]);
    };
    return std::ranges::max_element(terms, {}, rank)->axis;
  }

  /// Returns how far from the beginning of `from` along `axis` all positions are inside, or all are
  /// outside; of those that are across a border, the first alone.
  [[nodiscard]] index_t end_of_run(region from, std::size_t k, std::size_t axis,
                                   index_t stop) const {
    const index_t first = from.start[axis];
    const auto place_of = [&](index_t begin, index_t end) {
      from.start[axis] = begin;
      from.stop[axis] = end;
      return of_image(from, k);
    };
    const place where = place_of(first, first + 1);
    if (where == place::across) return first + 1;
    // Positions of one place lie side by side.
    index_t length = 1;
    for (index_t step = stop - first; step > 0; step /= 2) {
      while (first + length + step <= stop && place_of(first, first + length + step) == where) {
        length += step;
      }
    }
    return first + length;
  }

  /// Cuts off what the only `term` that varies leads out of the box.
  void clip(region& from, std::size_t k, const axis_term& term) const {
    region rest = from;
    rest.start[term.axis] = 0;
    rest.stop[term.axis] = 1;
    const index_t offset = map_.image(rest).start[k];
    const index_t first = box_.start[k] - offset;
    const index_t last = box_.stop[k] - 1 - offset;
    const bool ascends = term.step > 0;
    index_t& start = from.start[term.axis];
    index_t& stop = from.stop[term.axis];
    start = std::max(start, round_up(ascends ? first : last, term.step));
    stop = std::min(stop, detail::floor_quotient(ascends ? last : first, term.step) + 1);
    stop = std::max(start, stop);
  }

  const index_map& map_;
  const region& box_;
  axis_set reduced_;
  std::vector<region> found_;
  bool is_cut_too_often_ = false;
};

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

std::optional<std::vector<region>> preimage(const index_map& map, const region& box,
                                            const region& within, axis_set reduced) {
  if (map.behind() != nullptr) return std::nullopt;
  return box_cut(map, box, reduced).of(within);
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
