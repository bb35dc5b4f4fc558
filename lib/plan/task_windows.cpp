// SPDX-License-Identifier: Apache-2.0
/// \file
/// Measures windows. Steps form runs (`step_runs.hpp`). In a run, the hull of the elements that the
/// views need moves by a constant distance d from step to step:
///     chunks read in step i = floor((last + i d) / c) - floor((first + i d) / c) + 1
/// with c the length of a chunk. The sum over a run has a closed form (`sum_of_floors`); sums along
/// independent axes multiply. Everything else is counted step by step, or estimated.

#include "plan/task_windows.hpp"

#include "core/api/gather_cursor.hpp"
#include "core/api/small_vector.hpp"
#include "core/api/wide_integer.hpp"
#include "plan/step_runs.hpp"
#include "plan/tuning.hpp"
#include "plan/window_steps.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace tessera {

namespace {

index_t saturate(wide_integer n) {
  return static_cast<index_t>(std::min<wide_integer>(n, std::numeric_limits<index_t>::max()));
}

class window_measure {
 public:
  window_measure(const loop_schedule& schedule, axis_set reduced,
                 const std::vector<window_view>& views, const array_storage& array)
      : schedule_(schedule),
        views_(views),
        array_(array),
        gather_(views.front().map->gather().get()),
        rank_(views.front().map->axes().size()),
        steps_(schedule, views) {
    reduced_ = reduced;
    size_.spacing = index_vector(rank_, 1);
    fastest_ = fastest_axis(schedule_, reduced_);
    if (gather_ != nullptr) return;
    find_spacing();
    find_overlap();
  }

  window_size run() && {
    size_.extents = index_vector(rank_, 1);
    for (std::size_t k = 0; k < rank_; ++k) find_extent(k);
    size_.is_whole_chunks = holds_whole_chunks();
    size_.is_spaced_in_chunk = is_spaced_in_chunk();
    // Elements that are kept from step to step are read once in each block.
    if (size_.overlap_axis != no_axis) steps_.join_along(fastest_);
    size_.chunk_reads = saturate(count_reads());
    size_.part_read = part_read();
    return std::move(size_);
  }

 private:
  void find_spacing() {
    small_vector<const index_map*> maps;
    for (const window_view& view : views_) maps.push_back(view.map);
    for (std::size_t k = 0; k < rank_; ++k) size_.spacing[k] = spacing_along(k, as_span(maps));
  }

  /// Finds the axis along which all views move forwards alone, and skip no chunk.
  void find_overlap() {
    const bool may_be_kept = std::all_of(views_.begin(), views_.end(),
                                         [](const window_view& view) { return view.may_be_kept; });
    if (fastest_ == no_axis || !may_be_kept) return;
    std::size_t axis = no_axis;
    for (std::size_t k = 0; k < rank_; ++k) {
      if (!steps_.used(k)[fastest_]) continue;
      if (axis != no_axis) return;
      axis = k;
    }
    if (axis == no_axis || size_.spacing[axis] > array_.chunks[axis]) return;
    const index_t step = (*views_.front().map)[axis].step_along(fastest_);
    const bool is_even = std::all_of(views_.begin(), views_.end(), [&](const window_view& view) {
      return (*view.map)[axis].step_along(fastest_) == step;
    });
    if (!is_even || step < 1 || step > array_.chunks[axis] || moves_by_chunks(axis)) return;
    if (size_.spacing[axis] > 1 && lies_in_one_chunk(axis)) return;
    if (steps_.moves_forwards(axis, fastest_)) size_.overlap_axis = axis;
  }

  // The extent of the hull is convex in the step: its maximum is at an end of a run.
  void find_extent(std::size_t k) {
    steps_.for_each_choice(steps_.used(k), [&](const window_steps::runs& chosen) {
      steps_.for_each_step(steps_.used(k), chosen, true, [&](const auto& step) {
        const moving_hull hull = steps_.hull_of(k, steps_.used(k), chosen, step);
        if (hull.empty()) return;
        const index_t last = size_.overlap_axis == k ? round_to_chunk(k, hull, chosen) : hull.last;
        size_.extents[k] = std::max(size_.extents[k], (last - hull.first) / size_.spacing[k] + 1);
      });
    });
  }

  /// Tells whether every step holds whole chunks, one along each axis but the slowest.
  [[nodiscard]] bool holds_whole_chunks() const {
    if (array_.medium != array_storage::kind::chunks || !array_.is_row_major) return false;
    if (gather_ != nullptr || size_.overlap_axis != no_axis) return false;
    bool is_slowest = true;
    for (std::size_t k = 0; k < rank_; ++k) {
      const index_t chunk = array_.chunks[k];
      if (size_.spacing[k] != 1 || array_.shape[k] % chunk != 0) return false;
      if (!is_slowest && size_.extents[k] != chunk) return false;
      if (!moves_by_chunks(k)) return false;
      is_slowest = is_slowest && chunk == 1;
    }
    return true;
  }

  [[nodiscard]] bool moves_by_chunks(std::size_t k) const {
    const index_t chunk = array_.chunks[k];
    bool is_aligned = true;
    steps_.for_each_choice(steps_.used(k), [&](const window_steps::runs& chosen) {
      const moving_hull hull = steps_.first_hull_of(k, chosen);
      if (hull.empty()) return;
      is_aligned = is_aligned && hull.first % chunk == 0 &&
                   ((hull.last + 1) % chunk == 0 || hull.last + 1 == array_.shape[k]);
      for (std::size_t a = 0; a < schedule_.rank(); ++a) {
        if (!steps_.used(k)[a] || chosen[a]->count == 1) continue;
        is_aligned = is_aligned && hull.is_even && hull.distance[a] % chunk == 0;
      }
    });
    return is_aligned;
  }

  /// Tells whether each step needs one chunk along axis `k`, always at the same position in it.
  [[nodiscard]] bool lies_in_one_chunk(std::size_t k) const {
    const index_t chunk = array_.chunks[k];
    bool is_inside = true;
    steps_.for_each_choice(steps_.used(k), [&](const window_steps::runs& chosen) {
      const moving_hull hull = steps_.first_hull_of(k, chosen);
      if (hull.empty()) return;
      is_inside = is_inside && hull.first >= 0 && hull.first / chunk == hull.last / chunk;
      for (std::size_t a = 0; a < schedule_.rank(); ++a) {
        if (!steps_.used(k)[a] || chosen[a]->count == 1) continue;
        is_inside = is_inside && hull.is_even && hull.distance[a] % chunk == 0;
      }
    });
    return is_inside;
  }

  /// Tells whether each step needs spaced layers of one chunk, with dense elements along the last
  /// axis.
  [[nodiscard]] bool is_spaced_in_chunk() const {
    if (array_.medium != array_storage::kind::chunks || !array_.is_row_major) return false;
    if (gather_ != nullptr || size_.overlap_axis != no_axis || rank_ == 0) return false;
    if (size_.spacing.back() != 1 || num_elements(size_.spacing) == 1) return false;
    for (std::size_t k = 0; k < rank_; ++k) {
      if (array_.shape[k] % array_.chunks[k] != 0 || !lies_in_one_chunk(k)) return false;
    }
    return true;
  }

  /// Returns the last index of the window of `hull`, rounded up to a chunk: the maximum over all
  /// steps.
  [[nodiscard]] index_t round_to_chunk(std::size_t k, const moving_hull& hull,
                                       const window_steps::runs& chosen) const {
    const index_t chunk = array_.chunks[k];
    const index_t stop = hull.last + 1;
    const index_t rest = (chunk - stop % chunk) % chunk;
    // From step to step, the rest changes by multiples of the greatest common divisor of the
    // distances and the chunk. Both ends of a run are measured.
    index_t common = chunk;
    bool has_inner_steps = false;
    for (std::size_t a = 0; a < schedule_.rank(); ++a) {
      if (!steps_.used(k)[a] || chosen[a]->count < 3) continue;
      has_inner_steps = true;
      common = hull.is_even ? std::gcd(hull.distance[a], common) : 1;
    }
    if (!has_inner_steps) return std::min(stop + rest, array_.shape[k]) - 1;
    const index_t most = chunk - common + rest % common;
    if (hull.is_even) return std::min(stop + most, array_.shape[k]) - 1;
    return std::min(stop + most, hull.first + array_.shape[k]) - 1;
  }

  /// Returns the number of chunks along axis `k` with elements in `hull`.
  [[nodiscard]] wide_integer chunks_in(std::size_t k, const moving_hull& hull) const {
    if (hull.empty()) return 0;
    const index_t chunk = array_.chunks[k];
    if (size_.spacing[k] >= chunk) return (hull.last - hull.first) / size_.spacing[k] + 1;
    return hull.last / chunk - hull.first / chunk + 1;
  }

  /// Tells whether a view reaches beyond the array along axis `k`. Pieces skip those indices.
  [[nodiscard]] bool leaves_array(std::size_t k) const {
    return std::any_of(views_.begin(), views_.end(), [&](const window_view& view) {
      if ((*view.map)[k].terms().size() < 2 || view.where.empty()) return false;
      const region image = view.map->image(view.where);
      return image.start[k] < 0 || image.stop[k] > array_.shape[k];
    });
  }

  /// Returns the number of chunks along axis `k`, summed over all steps of `chosen`.
  [[nodiscard]] wide_integer sum_of_chunks(std::size_t k, const window_steps::runs& chosen) const {
    wide_integer total = 1;
    std::size_t longest = no_axis;
    for (std::size_t a = 0; a < schedule_.rank(); ++a) {
      if (!steps_.used(k)[a]) continue;
      total *= chosen[a]->count;
      if (longest == no_axis || chosen[a]->count > chosen[longest]->count) longest = a;
    }
    const moving_hull begin = steps_.first_hull_of(k, chosen);
    if (begin.empty()) return 0;
    if (leaves_array(k)) return estimate_chunks(steps_.used(k), chosen, {k});
    if (total == 1 || size_.spacing[k] >= array_.chunks[k]) return total * chunks_in(k, begin);
    const wide_integer num_rows = total / chosen[longest]->count;
    if (!begin.is_even || num_rows > tuning.most_counted_steps)
      return estimate_chunks(steps_.used(k), chosen, {k});
    axis_set rest = steps_.used(k);
    rest.reset(longest);
    wide_integer sum = 0;
    steps_.for_each_step(rest, chosen, false, [&](const auto& step) {
      const moving_hull hull = steps_.hull_of(k, steps_.used(k), chosen, step);
      const index_t count = chosen[longest]->count;
      const index_t distance = hull.distance[longest];
      sum += sum_of_floors(count, hull.last, distance, array_.chunks[k]) -
             sum_of_floors(count, hull.first, distance, array_.chunks[k]) + count;
    });
    return sum;
  }

  /// Returns the number of chunks that a gather reads along the array axes `of`, summed over all
  /// steps of `chosen`; an estimate from evenly spread steps if there are too many.
  [[nodiscard]] wide_integer count_gathered_chunks(axis_set axes, const window_steps::runs& chosen,
                                                   const small_vector<std::size_t>& of) const {
    if (array_.medium != array_storage::kind::chunks || num_elements(gather_->domain()) == 0)
      return 0;
    wide_integer total = 1;
    wide_integer entries = 1;
    for (std::size_t a = 0; a < schedule_.rank(); ++a) {
      total *= axes[a] ? chosen[a]->count : 1;
      entries *= axes[a] ? chosen[a]->length : 1;
    }
    const wide_integer most = gather_->has_tables() ? tuning.most_gathered / saturate(entries)
                                                    : tuning.most_counted_steps;
    const wide_integer counted = std::min(total, std::max<wide_integer>(16, most));
    wide_integer sum = 0;
    for (wide_integer i = 0; i < counted; ++i) {
      wide_integer number = total * i / counted;
      index_vector step(schedule_.rank());
      for (std::size_t a = schedule_.rank(); a-- > 0;) {
        if (!axes[a]) continue;
        step[a] = static_cast<index_t>(number % chosen[a]->count);
        number /= chosen[a]->count;
      }
      region box{index_vector(rank_, 0), index_vector(rank_, 1)};
      for (const std::size_t k : of) {
        const moving_hull hull = steps_.hull_of(k, axes, chosen, step, gather_->domain()[k]);
        box.start[k] = hull.first;
        box.stop[k] = hull.last + 1;
      }
      sum += chunks_gathered(*gather_, array_.chunks, box);
    }
    return counted == total ? sum : (sum * total + counted - 1) / counted;
  }

  /// Returns the number of chunks along the array axes `of`, summed over all steps of `chosen`
  /// along `axes`, or estimated from the first and last steps if there are too many.
  [[nodiscard]] wide_integer estimate_chunks(axis_set axes, const window_steps::runs& chosen,
                                             const small_vector<std::size_t>& of) const {
    wide_integer total = 1;
    for (std::size_t a = 0; a < schedule_.rank(); ++a) total *= axes[a] ? chosen[a]->count : 1;
    const bool only_ends = total > tuning.most_counted_steps;
    wide_integer sum = 0;
    wide_integer counted = 0;
    steps_.for_each_step(axes, chosen, only_ends, [&](const auto& step) {
      wide_integer chunks = 1;
      for (const std::size_t k : of) {
        // Steps in the middle of a run leave the array less than its ends.
        const auto extent = only_ends ? std::nullopt : std::optional(array_.shape[k]);
        chunks *= chunks_in(k, steps_.hull_of(k, axes, chosen, step, extent));
      }
      sum += chunks;
      ++counted;
    });
    return only_ends ? (sum * total + counted - 1) / counted : sum;
  }

  [[nodiscard]] wide_integer count_reads() const {
    wide_integer reads = 1;
    axis_set counted;
    axis_set is_done;
    for (std::size_t k = 0; k < rank_; ++k) {
      if (is_done[k]) continue;
      const auto [axes, array_axes] = find_coupled_axes(k);
      for (const std::size_t b : array_axes) is_done.set(b);
      counted |= axes;
      wide_integer sum = 0;
      steps_.for_each_choice(
          axes, [&, &domain_axes = axes, &of = array_axes](const window_steps::runs& chosen) {
            sum += gather_ != nullptr ? count_gathered_chunks(domain_axes, chosen, of)
                   : of.size() == 1   ? sum_of_chunks(k, chosen)
                                      : estimate_chunks(domain_axes, chosen, of);
          });
      reads = saturate(reads * saturate(sum));
    }
    for (std::size_t a = 0; a < schedule_.rank(); ++a) {
      if (!counted[a]) reads = saturate(reads * visits_along(a, counted));
    }
    return reads;
  }

  /// Returns the average share of a chunk that is read: a range along its slowest axis.
  [[nodiscard]] double part_read() const {
    const bool has_ranges = array_.cost.has_ranges && array_.is_row_major && gather_ == nullptr &&
                            size_.overlap_axis == no_axis && !size_.is_whole_chunks;
    const auto slowest = std::find_if(array_.chunks.begin(), array_.chunks.end(),
                                      [](index_t length) { return length > 1; });
    if (!has_ranges || slowest == array_.chunks.end()) return 1;
    const auto k = static_cast<std::size_t>(slowest - array_.chunks.begin());
    if (leaves_array(k) || find_coupled_axes(k).second.size() > 1) return 1;
    bool is_even = true;
    wide_integer elements = 0;
    wide_integer chunks = 0;
    steps_.for_each_choice(steps_.used(k), [&](const window_steps::runs& chosen) {
      const moving_hull hull = steps_.first_hull_of(k, chosen);
      if (hull.empty()) return;
      wide_integer count = 1;
      for (std::size_t a = 0; a < schedule_.rank(); ++a) {
        if (steps_.used(k)[a]) count *= chosen[a]->count;
      }
      is_even = is_even && hull.is_even;
      const bool is_one_each = size_.spacing[k] >= *slowest;
      elements += is_one_each ? sum_of_chunks(k, chosen) : count * (hull.last - hull.first + 1);
      chunks += sum_of_chunks(k, chosen);
    });
    if (!is_even || chunks == 0) return 1;
    return std::min(1.0, static_cast<double>(elements) /
                             (static_cast<double>(chunks) * static_cast<double>(*slowest)));
  }

  /// Returns the axes of the domain and of the array that are coupled with axis `k` of the array.
  [[nodiscard]] std::pair<axis_set, small_vector<std::size_t>> find_coupled_axes(
      std::size_t k) const {
    axis_set axes = steps_.used(k);
    small_vector<std::size_t> array_axes{k};
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (std::size_t b = 0; b < rank_; ++b) {
        if (std::find(array_axes.begin(), array_axes.end(), b) != array_axes.end()) continue;
        const bool is_beside = gather_ != nullptr && gather_->is_beside(b, as_span(array_axes));
        if ((steps_.used(b) & axes).none() && !is_beside) continue;
        array_axes.push_back(b);
        axes |= steps_.used(b);
        has_grown = true;
      }
    }
    return {axes, array_axes};
  }

  /// Returns how often a window is read along an axis `a` that it does not depend on: once for each
  /// block, or once for each step if faster axes evict it.
  [[nodiscard]] index_t visits_along(std::size_t a, axis_set dependent) const {
    const auto is_faster = [&](std::size_t b) {
      if (schedule_.block[b] <= schedule_.step[b]) return false;
      return reduced_[b] == reduced_[a] ? b > a : reduced_[b];
    };
    bool is_kept = true;
    for (std::size_t b = 0; b < schedule_.rank(); ++b) {
      if (dependent[b] && is_faster(b)) is_kept = false;
    }
    const index_t length = is_kept ? schedule_.block[a] : schedule_.step[a];
    index_t visits = 0;
    for (const step_run& run : steps_.runs_of(a, length)) {
      const bool is_read = std::any_of(views_.begin(), views_.end(), [&](const window_view& view) {
        return run.start < view.where.stop[a] && view.where.start[a] < run.start + run.length;
      });
      visits += is_read ? run.count : 0;
    }
    return visits;
  }

  const loop_schedule& schedule_;
  const std::vector<window_view>& views_;
  const array_storage& array_;
  /// The gather between the views and the array, or null. Axes are then those of its front.
  const gather* gather_;
  std::size_t rank_;
  window_steps steps_;
  axis_set reduced_;
  std::size_t fastest_ = no_axis;
  window_size size_;
};

}  // namespace

window_size measure(const loop_schedule& schedule, axis_set reduced,
                    const std::vector<window_view>& views, const array_storage& array) {
  return window_measure(schedule, reduced, views, array).run();
}

}  // namespace tessera
