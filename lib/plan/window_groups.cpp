// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/costs.hpp"
#include "tessera/core/wide_integer.hpp"

#include "plan/window.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
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

/// Views of one array, measured in one window and in separate windows.
struct measured_views {
  view_group group;
  /// Sums over the separate windows: chunk reads, bytes held, bytes read.
  wide_integer reads = 0;
  std::size_t separate_held = 0;
  double bytes = 0;

  void add_separate(const window_size& part, const array_storage& array) {
    reads += part.chunk_reads;
    separate_held += part.bytes(array.type.size());
    bytes += bytes_read(part, array);
  }

  /// Tells whether one window reads no more than separate windows, saved requests counted, and
  /// holds little more.
  [[nodiscard]] bool is_better_together(const array_storage& array) const {
    const window_size& size = group.size;
    const bool reads_less = size.chunk_reads < reads;
    const std::size_t most_held =
        reads_less ? 2 * separate_held + array.cost.decoded : separate_held;
    if (size.chunk_reads > reads || size.bytes(array.type.size()) > most_held) return false;
    // One window may read whole chunks instead of two ranges at their ends.
    const auto saved = static_cast<double>(reads - size.chunk_reads);
    return bytes_read(size, array) <= bytes + saved * bytes_of_request();
  }
};

/// Groups views by pairs, and many views of one array by the unions of their offsets first.
///
/// Pairs of n views are n^2 measurements of up to n views each. A stencil that is applied k times
/// has O(k^d) offsets. Views whose maps differ in offsets alone are therefore sorted by offset
/// along each axis: neighbours join while the gap is at most the extent of a step, as their hull
/// has no hole then. The products of these runs along all axes are the candidates, 3^d for arrays
/// that are padded or rolled.
class view_grouping {
 public:
  view_grouping(const walk& schedule, axis_set reduced, const std::vector<array_storage>& inputs)
      : schedule_(schedule), reduced_(reduced), inputs_(inputs) {}

  [[nodiscard]] std::vector<view_group> run(const std::vector<window_view>& views) && {
    std::map<vertex, std::vector<window_view>> by_array;
    for (const window_view& view : views) by_array[array_of(view).array].push_back(view);
    std::set<vertex> clustered;
    for (const window_view& view : views) {
      const vertex array = array_of(view).array;
      if (array == vertex{} || by_array[array].size() <= most_pairs) {
        add(measure_group({view}));
      } else if (clustered.insert(array).second) {
        for (std::vector<window_view>& cluster : clusters(by_array[array])) {
          add_cluster(std::move(cluster));
        }
      }
    }
    return std::move(groups_);
  }

 private:
  /// The most views of an array, and the most groups, that are compared by pairs.
  static constexpr std::size_t most_pairs = 16;

  [[nodiscard]] const array_storage& array_of(const window_view& view) const {
    return inputs_[view.operand];
  }

  [[nodiscard]] view_group measure_group(std::vector<window_view> views) const {
    view_group group{std::move(views), {}};
    group.size = measure(schedule_, reduced_, group.views, array_of(group.views.front()));
    return group;
  }

  /// Adds a union of views as one group if that is better than separate views. The sums over views
  /// only grow, so that the first few views mostly decide.
  void add_cluster(std::vector<window_view> cluster) {
    const array_storage& array = array_of(cluster.front());
    measured_views joint;
    joint.group = measure_group(cluster);
    std::vector<view_group> separate;
    for (const window_view& view : cluster) {
      separate.push_back(measure_group({view}));
      joint.add_separate(separate.back().size, array);
      if (!joint.is_better_together(array)) continue;
      groups_.push_back(std::move(joint.group));
      return;
    }
    for (view_group& single : separate) add(std::move(single));
  }

  /// Joins `group` to the first group that is better joined, or adds it.
  void add(view_group group) {
    std::size_t compared = 0;
    for (view_group& into : groups_) {
      if (!are_of_one_array(into, group)) continue;
      if (++compared > most_pairs) break;
      if (joins(into, group)) return;
    }
    groups_.push_back(std::move(group));
  }

  [[nodiscard]] bool are_of_one_array(const view_group& a, const view_group& b) const {
    const array_storage& array = array_of(a.views.front());
    return array.array != vertex{} && array.array == array_of(b.views.front()).array &&
           a.views.front().map->behind() == nullptr && b.views.front().map->behind() == nullptr;
  }

  [[nodiscard]] bool joins(view_group& into, const view_group& group) const {
    const array_storage& array = array_of(group.views.front());
    measured_views joint;
    joint.add_separate(into.size, array);
    joint.add_separate(group.size, array);
    std::vector<window_view> views = into.views;
    views.insert(views.end(), group.views.begin(), group.views.end());
    joint.group = measure_group(std::move(views));
    if (!joint.is_better_together(array)) return false;
    into = std::move(joint.group);
    return true;
  }

  /// Tells whether two maps differ in their offsets alone.
  [[nodiscard]] static bool are_parallel(const index_map& a, const index_map& b) {
    return a.behind() == nullptr && b.behind() == nullptr &&
           std::equal(a.axes().begin(), a.axes().end(), b.axes().begin(), b.axes().end(),
                      [](const axis_map& m, const axis_map& n) {
                        return std::ranges::equal(m.terms(), n.terms());
                      });
  }

  /// Returns the length of a chunk, or of the whole axis of an array in memory.
  [[nodiscard]] index_t chunk_along(const window_view& view, std::size_t k) const {
    const array_storage& array = array_of(view);
    return array.medium == array_storage::kind::chunks ? array.chunks[k] : array.shape[k];
  }

  /// Returns the extent along an axis of the array that one step covers.
  [[nodiscard]] index_t extent_of_step(const axis_map& m) const {
    index_t extent = 1;
    for (const axis_term& term : m.terms()) {
      const index_t length = std::min(schedule_.stream[term.axis], schedule_.domain[term.axis]);
      extent += std::abs(term.step) * (std::max<index_t>(length, 1) - 1);
    }
    return extent;
  }

  /// Splits parallel views at gaps between neighbouring offsets along axis `k` that are longer than
  /// the extent of a step and than a chunk.
  [[nodiscard]] std::vector<std::vector<window_view>> split_along(
      std::size_t k, std::vector<window_view> views) const {
    const auto offset = [k](const window_view& view) { return (*view.map)[k].offset; };
    std::stable_sort(views.begin(), views.end(), [&](const window_view& a, const window_view& b) {
      return offset(a) < offset(b);
    });
    std::vector<std::vector<window_view>> runs;
    for (window_view& view : views) {
      const index_t near = std::max(extent_of_step((*view.map)[k]), chunk_along(view, k));
      const bool is_near = !runs.empty() && offset(view) - offset(runs.back().back()) <= near;
      if (!is_near) runs.emplace_back();
      runs.back().push_back(std::move(view));
    }
    return runs;
  }

  /// Returns the unions of views of one array whose offsets are near each other along every axis.
  [[nodiscard]] std::vector<std::vector<window_view>> clusters(
      std::vector<window_view> views) const {
    std::vector<std::vector<window_view>> parallel;
    for (window_view& view : views) {
      const auto like = std::find_if(parallel.begin(), parallel.end(), [&](const auto& bucket) {
        return are_parallel(*bucket.front().map, *view.map);
      });
      if (like == parallel.end()) {
        parallel.push_back({std::move(view)});
      } else {
        like->push_back(std::move(view));
      }
    }
    std::vector<std::vector<window_view>> near;
    for (std::vector<window_view>& bucket : parallel) {
      const bool is_affine = bucket.front().map->behind() == nullptr;
      const std::size_t rank = is_affine ? bucket.front().map->axes().size() : 0;
      std::vector<std::vector<window_view>> parts{std::move(bucket)};
      for (std::size_t k = 0; k < rank; ++k) {
        std::vector<std::vector<window_view>> split;
        for (std::vector<window_view>& part : parts) {
          std::ranges::move(split_along(k, std::move(part)), std::back_inserter(split));
        }
        parts = std::move(split);
      }
      std::ranges::move(parts, std::back_inserter(near));
    }
    return near;
  }

  const walk& schedule_;
  axis_set reduced_;
  const std::vector<array_storage>& inputs_;
  std::vector<view_group> groups_;
};

}  // namespace

std::vector<view_group> grouped(const walk& schedule, axis_set reduced,
                                const std::vector<window_view>& views,
                                const std::vector<array_storage>& inputs) {
  return view_grouping(schedule, reduced, inputs).run(views);
}

std::size_t fastest_axis(const walk& schedule, axis_set reduced) {
  std::size_t fastest = no_axis;
  for (const axis_set& axes : {schedule.ordered, reduced}) {
    for (std::size_t a = 0; a < schedule.rank(); ++a) {
      if (axes[a] && std::min(schedule.block[a], schedule.domain[a]) > schedule.stream[a])
        fastest = a;
    }
  }
  return fastest;
}

}  // namespace tessera
