// SPDX-License-Identifier: Apache-2.0
/// \file
/// The choice of views of one array that share a window.
///
/// Operands of one operation often view the same array: a stencil views it at several offsets. In
/// one window, a chunk that several views need is read once, but the window holds the hull of the
/// views, and the hull of distant views has elements that none needs. Every set of views cannot be
/// tried, so that sets grow from parts: clusters of parallel views, rows of clusters, groups of
/// different clusters (`view_grouping` below). A set becomes one window if its reads, requests
/// counted as bytes, are at most the reads of its parts, and its memory is at most twice theirs and
/// a chunk.
///
/// Invariant: each view is in one group, and no group has more chunk reads than its parts.

#include "tessera/core/costs.hpp"

#include "core/api/wide_integer.hpp"
#include "plan/task_windows.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns the bytes that all tasks read through a window.
double bytes_read(const window_size& size, const array_storage& array) {
  return static_cast<double>(size.chunk_reads) * static_cast<double>(array.cost.decoded) *
         size.part_read;
}

/// Returns the bytes that are read in the time of one request, with default costs.
double bytes_of_request() {
  constexpr costs figures;
  return figures.wait(1).count() * static_cast<double>(figures.read_bandwidth.count());
}

/// Sums over windows: chunk reads, bytes held, bytes read.
struct window_sums {
  wide_integer reads = 0;
  std::size_t memory = 0;
  double bytes = 0;

  void add(const window_size& size, const array_storage& array) {
    reads += size.chunk_reads;
    memory += size.bytes(array.type.size());
    bytes += bytes_read(size, array);
  }

  /// Tells whether these windows read less than the windows of `best`, requests counted, or as much
  /// and hold less.
  [[nodiscard]] bool is_less_than(const window_sums& best) const {
    return std::pair(price(), memory) < std::pair(best.price(), best.memory);
  }

 private:
  /// Returns the bytes read, and the bytes that are read in the time of the requests.
  [[nodiscard]] double price() const {
    return bytes + static_cast<double>(reads) * bytes_of_request();
  }
};

/// Tells whether one window of `size` reads no more than separate windows, saved requests counted,
/// and holds little more.
bool is_better_together(const window_size& size, const window_sums& separate,
                        const array_storage& array) {
  const bool reads_less = size.chunk_reads < separate.reads;
  const std::size_t most_memory =
      reads_less ? 2 * separate.memory + array.cost.decoded : separate.memory;
  if (size.chunk_reads > separate.reads || size.bytes(array.type.size()) > most_memory)
    return false;
  // One window may read whole chunks instead of two ranges at their ends.
  const auto saved = static_cast<double>(separate.reads - size.chunk_reads);
  return bytes_read(size, array) <= separate.bytes + saved * bytes_of_request();
}

/// The hull of the offsets of a group's views: the first and the last offset along each axis of the
/// array.
struct offset_hull {
  index_vector first;
  index_vector last;

  explicit offset_hull(const std::vector<window_view>& views) {
    for (const axis_map& m : views.front().map->axes()) first.push_back(m.offset);
    last = first;
    for (const window_view& view : views) {
      for (std::size_t k = 0; k < first.size(); ++k) {
        const index_t offset = (*view.map)[k].offset;
        first[k] = std::min(first[k], offset);
        last[k] = std::max(last[k], offset);
      }
    }
  }

  /// Returns the offsets along all axes but `k`.
  [[nodiscard]] std::vector<index_t> across(std::size_t k) const {
    std::vector<index_t> offsets;
    for (std::size_t b = 0; b < first.size(); ++b) {
      if (b == k) continue;
      offsets.push_back(first[b]);
      offsets.push_back(last[b]);
    }
    return offsets;
  }
};

std::size_t first_operand(const view_group& group) { return group.views.front().operand; }

/// Returns the linear part of a map, as numbers: two maps are parallel if these are equal.
std::vector<index_t> linear_part(const index_map& map) {
  std::vector<index_t> part;
  for (const axis_map& m : map.axes()) {
    part.push_back(static_cast<index_t>(m.terms().size()));
    for (const axis_term& term : m.terms()) {
      part.push_back(static_cast<index_t>(term.axis));
      part.push_back(term.step);
    }
  }
  return part;
}

/// Groups the affine views of one array.
///
/// A stencil that is applied k times has O(k^d) offsets, and pieces of rolled or padded arrays add
/// views on far parts of the array. Sets of views whose hulls are measured:
/// - Views with one linear part are parallel. Sorted by offset along one axis, they are cut where
///   the gap exceeds a step's extent and a chunk. The products of these intervals along all axes
///   are clusters, 3^d for arrays that are rolled.
/// - Rows of a cluster: along one axis after the other, groups with equal hulls across it join.
///       . x .      x: the views of a star. The hull of all five reads the corners,
///       x x x      its two rows do not.
///       . x .
///   The order of the axes counts; each axis is the first one once.
/// - The hull of a whole cluster.
/// - Groups of different clusters, each with the latest 16. Pieces at opposite borders, which no
///   step reads together, share a window, and so do an array and its transpose.
/// A set becomes one window if that is better than its parts in separate windows. So n views in d
/// dimensions take O(d^2 n) measurements.
class view_grouping {
 public:
  view_grouping(const loop_schedule& schedule, axis_set reduced, const array_storage& array)
      : schedule_(schedule), reduced_(reduced), array_(array) {}

  [[nodiscard]] std::vector<view_group> run(std::vector<window_view> views) const {
    std::map<std::vector<index_t>, std::vector<window_view>> parallel;
    for (window_view& view : views) parallel[linear_part(*view.map)].push_back(std::move(view));
    std::vector<view_group> of_clusters;
    for (auto& [part, bucket] : parallel) {
      for (std::vector<window_view>& cluster : clusters(std::move(bucket))) {
        std::ranges::move(best_groups(std::move(cluster)), std::back_inserter(of_clusters));
      }
    }
    std::ranges::sort(of_clusters, {}, first_operand);
    std::vector<view_group> groups;
    for (view_group& group : of_clusters) add(groups, std::move(group));
    return groups;
  }

 private:
  /// Joins `group` to the first of the latest groups with which it is better joined, or appends it.
  void add(std::vector<view_group>& groups, view_group group) const {
    for (std::size_t i = groups.size() - std::min(groups.size(), tuning.most_compared_groups);
         i < groups.size(); ++i) {
      std::vector<view_group> joined = joined_if_better({groups[i], group});
      if (joined.size() > 1) continue;
      groups[i] = std::move(joined.front());
      return;
    }
    groups.push_back(std::move(group));
  }

  [[nodiscard]] view_group measure_group(std::vector<window_view> views) const {
    std::ranges::sort(views, {}, &window_view::operand);
    view_group group{std::move(views), {}};
    group.size = measure(schedule_, reduced_, group.views, array_);
    return group;
  }

  /// Returns one group of all views, if that is better than `groups`; else `groups`.
  [[nodiscard]] std::vector<view_group> joined_if_better(std::vector<view_group> groups) const {
    if (groups.size() < 2) return groups;
    const window_sums separate = sums_of(groups);
    std::vector<window_view> views;
    for (const view_group& group : groups) {
      views.insert(views.end(), group.views.begin(), group.views.end());
    }
    view_group joint = measure_group(std::move(views));
    if (!is_better_together(joint.size, separate, array_)) return groups;
    return {std::move(joint)};
  }

  /// Returns the length of a chunk, or of the whole axis of an array in memory.
  [[nodiscard]] index_t chunk_along(std::size_t k) const {
    return array_.medium == array_storage::kind::chunks ? array_.chunks[k] : array_.shape[k];
  }

  /// Returns the extent along an axis of the array that one step covers.
  [[nodiscard]] index_t extent_of_step(const axis_map& m) const {
    index_t extent = 1;
    for (const axis_term& term : m.terms()) {
      const index_t length = std::min(schedule_.step[term.axis], schedule_.domain[term.axis]);
      extent += std::abs(term.step) * (std::max<index_t>(length, 1) - 1);
    }
    return extent;
  }

  /// Splits parallel views at gaps between neighbouring offsets along axis `k` that are longer than
  /// the extent of a step and than a chunk.
  [[nodiscard]] std::vector<std::vector<window_view>> split_along(
      std::size_t k, std::vector<window_view> views) const {
    const auto offset = [k](const window_view& view) { return (*view.map)[k].offset; };
    std::ranges::stable_sort(views, {}, offset);
    const index_t near = std::max(extent_of_step((*views.front().map)[k]), chunk_along(k));
    std::vector<std::vector<window_view>> runs;
    for (window_view& view : views) {
      const bool is_near = !runs.empty() && offset(view) - offset(runs.back().back()) <= near;
      if (!is_near) runs.emplace_back();
      runs.back().push_back(std::move(view));
    }
    return runs;
  }

  /// Returns the clusters of parallel views: their offsets are near each other along every axis.
  [[nodiscard]] std::vector<std::vector<window_view>> clusters(
      std::vector<window_view> parallel) const {
    const std::size_t rank = parallel.front().map->axes().size();
    std::vector<std::vector<window_view>> parts{std::move(parallel)};
    for (std::size_t k = 0; k < rank; ++k) {
      std::vector<std::vector<window_view>> split;
      for (std::vector<window_view>& part : parts) {
        std::ranges::move(split_along(k, std::move(part)), std::back_inserter(split));
      }
      parts = std::move(split);
    }
    return parts;
  }

  /// Returns the views of a cluster in the best groups: their hull, or rows along the axes.
  [[nodiscard]] std::vector<view_group> best_groups(std::vector<window_view> cluster) const {
    if (cluster.size() == 1) return {measure_group(std::move(cluster))};
    view_group hull = measure_group(cluster);
    std::vector<view_group> singles;
    window_sums separate;
    for (window_view& view : cluster) {
      singles.push_back(measure_group({std::move(view)}));
      separate.add(singles.back().size, array_);
      // Two windows would read as much, whichever views they have.
      const wide_integer reads_of_two = 2 * wide_integer{singles.front().size.chunk_reads};
      if (hull.size.chunk_reads > reads_of_two) continue;
      if (is_better_together(hull.size, separate, array_)) return {std::move(hull)};
    }
    std::vector<view_group> best;
    for (std::size_t axis = 0; axis < hull.views.front().map->axes().size(); ++axis) {
      std::vector<view_group> groups = rows(singles, axis);
      if (best.empty() || sums_of(groups).is_less_than(sums_of(best))) best = std::move(groups);
    }
    if (is_better_together(hull.size, sums_of(best), array_)) return {std::move(hull)};
    return best;
  }

  [[nodiscard]] window_sums sums_of(const std::vector<view_group>& groups) const {
    window_sums sums;
    for (const view_group& group : groups) sums.add(group.size, array_);
    return sums;
  }

  /// Joins groups with equal hulls across an axis along it, if that is better: axis by axis, from
  /// axis `first` on.
  [[nodiscard]] std::vector<view_group> rows(std::vector<view_group> groups,
                                             std::size_t first) const {
    const std::size_t rank = groups.front().views.front().map->axes().size();
    for (std::size_t i = 0; i < rank; ++i) {
      const std::size_t k = (first + i) % rank;
      std::map<std::vector<index_t>, std::vector<view_group>> by_hull;
      for (view_group& group : groups) {
        by_hull[offset_hull(group.views).across(k)].push_back(std::move(group));
      }
      groups.clear();
      for (auto& [across, row] : by_hull) {
        std::ranges::stable_sort(
            row, {}, [k](const view_group& group) { return offset_hull(group.views).first[k]; });
        std::ranges::move(joined_in_parts(k, std::move(row)), std::back_inserter(groups));
      }
    }
    return groups;
  }

  /// Joins a row of groups along axis `k`; if that is not better, the two parts of the row on both
  /// sides of the longest gap, each for itself.
  [[nodiscard]] std::vector<view_group> joined_in_parts(std::size_t k,
                                                        std::vector<view_group> row) const {
    row = joined_if_better(std::move(row));
    if (row.size() < 3) return row;
    const auto offset = [&](std::size_t i) { return (*row[i].views.front().map)[k].offset; };
    std::size_t cut = 1;
    for (std::size_t i = 2; i < row.size(); ++i) {
      if (offset(i) - offset(i - 1) > offset(cut) - offset(cut - 1)) cut = i;
    }
    const auto middle = row.begin() + static_cast<std::ptrdiff_t>(cut);
    std::vector<view_group> behind(std::make_move_iterator(middle),
                                   std::make_move_iterator(row.end()));
    row.erase(middle, row.end());
    row = joined_in_parts(k, std::move(row));
    std::ranges::move(joined_in_parts(k, std::move(behind)), std::back_inserter(row));
    return row;
  }

  const loop_schedule& schedule_;
  axis_set reduced_;
  const array_storage& array_;
};

}  // namespace

std::vector<view_group> grouped(const loop_schedule& schedule, axis_set reduced,
                                const std::vector<window_view>& views,
                                const std::vector<array_storage>& inputs) {
  std::map<vertex, std::vector<window_view>> by_array;
  std::vector<view_group> groups;
  for (const window_view& view : views) {
    const array_storage& array = inputs[view.operand];
    if (array.array != vertex{} && view.map->gather() == nullptr) {
      by_array[array.array].push_back(view);
    } else {
      groups.push_back({{view}, measure(schedule, reduced, {view}, array)});
    }
  }
  for (auto& [array, views_of_array] : by_array) {
    const array_storage& storage = inputs[views_of_array.front().operand];
    std::ranges::move(view_grouping(schedule, reduced, storage).run(std::move(views_of_array)),
                      std::back_inserter(groups));
  }
  std::ranges::sort(groups, {}, first_operand);
  return groups;
}

std::size_t fastest_axis(const loop_schedule& schedule, axis_set reduced) {
  std::size_t fastest = no_axis;
  for (const axis_set& axes : {schedule.ordered, reduced}) {
    for (std::size_t a = 0; a < schedule.rank(); ++a) {
      if (axes[a] && std::min(schedule.block[a], schedule.domain[a]) > schedule.step[a])
        fastest = a;
    }
  }
  return fastest;
}

}  // namespace tessera
