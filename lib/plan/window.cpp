// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chunks are counted without going through them: in a run of steps that lie alike, what is read
/// moves on evenly.

#include "plan/window.hpp"

#include "tessera/core/few.hpp"
#include "tessera/core/gather_walk.hpp"
#include "tessera/core/wide_integer.hpp"

#include "plan/step_runs.hpp"
#include "plan/window_steps.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace tessera {

namespace {

index_t clamped(wide_integer n) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  return n > most ? most : static_cast<index_t>(n);
}

class window_measure {
 public:
  window_measure(const walk& how, axis_set reduced, const std::vector<window_view>& views,
                 const array_storage& array)
      : how_(how),
        views_(views),
        array_(array),
        gather_(views.front().map->behind().get()),
        rank_(views.front().map->axes().size()),
        steps_(how, views) {
    reduced_ = reduced;
    made_.spacing = index_vector(rank_, 1);
    fastest_ = fastest_axis(how_, reduced_);
    if (gather_ != nullptr) return;
    find_spacing();
    find_walked();
  }

  window_size run() && {
    made_.extents = index_vector(rank_, 1);
    for (std::size_t k = 0; k < rank_; ++k) find_extent(k);
    made_.is_whole_chunks = holds_whole_chunks();
    made_.is_spaced_in_chunk = is_spaced_in_chunk();
    // What is kept from step to step is read once in each block.
    if (made_.walked != no_axis) steps_.join_along(fastest_);
    made_.chunk_reads = clamped(count_reads());
    made_.part_read = part_read();
    return std::move(made_);
  }

 private:
  void find_spacing() {
    few<const index_map*> maps;
    for (const window_view& view : views_) maps.push_back(view.map);
    for (std::size_t k = 0; k < rank_; ++k) made_.spacing[k] = spacing_along(k, span_of(maps));
  }

  /// Steps overlap along one axis of the array where all views move on along it alone, forwards,
  /// and leave no chunk out.
  void find_walked() {
    const bool may_be_kept = std::all_of(views_.begin(), views_.end(),
                                         [](const window_view& view) { return view.may_be_kept; });
    if (fastest_ == no_axis || !may_be_kept) return;
    std::size_t found = no_axis;
    for (std::size_t k = 0; k < rank_; ++k) {
      if (!steps_.used(k)[fastest_]) continue;
      if (found != no_axis) return;
      found = k;
    }
    if (found == no_axis || made_.spacing[found] > array_.chunks[found]) return;
    const index_t step = (*views_.front().map)[found].step_along(fastest_);
    const bool is_even = std::all_of(views_.begin(), views_.end(), [&](const window_view& view) {
      return (*view.map)[found].step_along(fastest_) == step;
    });
    if (!is_even || step < 1 || step > array_.chunks[found] || moves_by_chunks(found)) return;
    if (made_.spacing[found] > 1 && lies_in_one_chunk(found)) return;
    made_.walked = found;
  }

  // How far views lie apart is convex in the step, so that it is greatest at an end of a run.
  void find_extent(std::size_t k) {
    steps_.for_each_choice(steps_.used(k), [&](const window_steps::runs& chosen) {
      steps_.for_each_step(steps_.used(k), chosen, true, [&](const auto& step) {
        const moving_hull hull = steps_.hull_of(k, steps_.used(k), chosen, step);
        if (hull.empty()) return;
        const index_t last = made_.walked == k ? rounded(k, hull, chosen) : hull.last;
        made_.extents[k] = std::max(made_.extents[k], (last - hull.first) / made_.spacing[k] + 1);
      });
    });
  }

  /// Tells whether every step begins and ends with chunks, of which there is one along each axis
  /// but the slowest.
  [[nodiscard]] bool holds_whole_chunks() const {
    if (array_.how != array_storage::kind::chunks || !array_.is_row_major) return false;
    if (gather_ != nullptr || made_.walked != no_axis) return false;
    bool is_slowest = true;
    for (std::size_t k = 0; k < rank_; ++k) {
      const index_t chunk = array_.chunks[k];
      if (made_.spacing[k] != 1 || array_.shape[k] % chunk != 0) return false;
      if (!is_slowest && made_.extents[k] != chunk) return false;
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
      for (std::size_t a = 0; a < how_.rank(); ++a) {
        if (!steps_.used(k)[a] || chosen[a]->count == 1) continue;
        is_aligned = is_aligned && hull.is_even && hull.distance[a] % chunk == 0;
      }
    });
    return is_aligned;
  }

  /// Tells whether a step sees one chunk along axis `k`, and another one lies in its own alike.
  [[nodiscard]] bool lies_in_one_chunk(std::size_t k) const {
    const index_t chunk = array_.chunks[k];
    bool is_inside = true;
    steps_.for_each_choice(steps_.used(k), [&](const window_steps::runs& chosen) {
      const moving_hull hull = steps_.first_hull_of(k, chosen);
      if (hull.empty()) return;
      is_inside = is_inside && hull.first >= 0 && hull.first / chunk == hull.last / chunk;
      for (std::size_t a = 0; a < how_.rank(); ++a) {
        if (!steps_.used(k)[a] || chosen[a]->count == 1) continue;
        is_inside = is_inside && hull.is_even && hull.distance[a] % chunk == 0;
      }
    });
    return is_inside;
  }

  /// Elements that are neighbours in memory are read as such: there is none to leave out.
  [[nodiscard]] bool is_spaced_in_chunk() const {
    if (array_.how != array_storage::kind::chunks || !array_.is_row_major) return false;
    if (gather_ != nullptr || made_.walked != no_axis || rank_ == 0) return false;
    if (made_.spacing.back() != 1 || num_elements(made_.spacing) == 1) return false;
    for (std::size_t k = 0; k < rank_; ++k) {
      if (array_.shape[k] % array_.chunks[k] != 0 || !lies_in_one_chunk(k)) return false;
    }
    return true;
  }

  /// Returns the last index that is read where `hull` begins, up to the end of a chunk: in the step
  /// of these runs in which that is farthest from the first one.
  [[nodiscard]] index_t rounded(std::size_t k, const moving_hull& hull,
                                const window_steps::runs& chosen) const {
    const index_t chunk = array_.chunks[k];
    const index_t stop = hull.last + 1;
    const index_t rest = (chunk - stop % chunk) % chunk;
    // From step to step, the rest changes by multiples of the greatest common divisor of the
    // distances and the chunk. Both ends of a run are measured.
    index_t common = chunk;
    bool has_inner_steps = false;
    for (std::size_t a = 0; a < how_.rank(); ++a) {
      if (!steps_.used(k)[a] || chosen[a]->count < 3) continue;
      has_inner_steps = true;
      common = hull.is_even ? std::gcd(hull.distance[a], common) : 1;
    }
    if (!has_inner_steps) return std::min(stop + rest, array_.shape[k]) - 1;
    const index_t most = chunk - common + rest % common;
    if (hull.is_even) return std::min(stop + most, array_.shape[k]) - 1;
    return std::min(stop + most, hull.first + array_.shape[k]) - 1;
  }

  /// Returns how many chunks axis `k` has elements held in.
  [[nodiscard]] wide_integer chunks_in(std::size_t k, const moving_hull& hull) const {
    if (hull.empty()) return 0;
    const index_t chunk = array_.chunks[k];
    if (made_.spacing[k] >= chunk) return (hull.last - hull.first) / made_.spacing[k] + 1;
    return hull.last / chunk - hull.first / chunk + 1;
  }

  /// Tells whether the box of a view holds indices that lead beyond axis `k`: pieces that read it
  /// leave them out.
  [[nodiscard]] bool leaves_array(std::size_t k) const {
    return std::any_of(views_.begin(), views_.end(), [&](const window_view& view) {
      if ((*view.map)[k].terms().size() < 2 || view.where.empty()) return false;
      const region seen = view.map->image(view.where);
      return seen.start[k] < 0 || seen.stop[k] > array_.shape[k];
    });
  }

  /// Returns the chunks along axis `k`, added up over all steps of `chosen`.
  [[nodiscard]] wide_integer sum_of_chunks(std::size_t k, const window_steps::runs& chosen) const {
    wide_integer all = 1;
    std::size_t longest = no_axis;
    for (std::size_t a = 0; a < how_.rank(); ++a) {
      if (!steps_.used(k)[a]) continue;
      all *= chosen[a]->count;
      if (longest == no_axis || chosen[a]->count > chosen[longest]->count) longest = a;
    }
    const moving_hull begin = steps_.first_hull_of(k, chosen);
    if (begin.empty()) return 0;
    if (leaves_array(k)) return averaged(steps_.used(k), chosen, {k});
    if (all == 1 || made_.spacing[k] >= array_.chunks[k]) return all * chunks_in(k, begin);
    const wide_integer others = all / chosen[longest]->count;
    if (!begin.is_even || others > most_counted) return averaged(steps_.used(k), chosen, {k});
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

  /// Returns the chunks of which a gather shows something along the axes `of`, and along others
  /// that its parts do not share with these, added up over all steps of `chosen`; where these, or
  /// entries of tables, are too many, over some that are spread evenly.
  [[nodiscard]] wide_integer gathered(axis_set axes, const window_steps::runs& chosen,
                                      const few<std::size_t>& of) const {
    if (array_.how != array_storage::kind::chunks || num_elements(gather_->seen()) == 0) return 0;
    wide_integer all = 1;
    wide_integer entries = 1;
    for (std::size_t a = 0; a < how_.rank(); ++a) {
      all *= axes[a] ? chosen[a]->count : 1;
      entries *= axes[a] ? chosen[a]->length : 1;
    }
    const wide_integer most =
        gather_->has_tables() ? most_gathered / clamped(entries) : most_counted;
    const wide_integer counted = std::min(all, std::max<wide_integer>(16, most));
    wide_integer sum = 0;
    for (wide_integer i = 0; i < counted; ++i) {
      wide_integer number = all * i / counted;
      index_vector step(how_.rank());
      for (std::size_t a = how_.rank(); a-- > 0;) {
        if (!axes[a]) continue;
        step[a] = static_cast<index_t>(number % chosen[a]->count);
        number /= chosen[a]->count;
      }
      region box{index_vector(rank_, 0), index_vector(rank_, 1)};
      for (const std::size_t k : of) {
        const moving_hull hull = steps_.hull_of(k, axes, chosen, step, gather_->seen()[k]);
        box.start[k] = hull.first;
        box.stop[k] = hull.last + 1;
      }
      sum += chunks_gathered(*gather_, array_.chunks, box);
    }
    return counted == all ? sum : (sum * all + counted - 1) / counted;
  }

  /// Returns the chunks along the axes `of` of the array, multiplied, and added up over all steps
  /// of `chosen` along `axes`; where these are too many, of their ends.
  [[nodiscard]] wide_integer averaged(axis_set axes, const window_steps::runs& chosen,
                                      const few<std::size_t>& of) const {
    wide_integer all = 1;
    for (std::size_t a = 0; a < how_.rank(); ++a) all *= axes[a] ? chosen[a]->count : 1;
    const bool only_ends = all > most_counted;
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
    return only_ends ? (sum * all + counted - 1) / counted : sum;
  }

  [[nodiscard]] wide_integer count_reads() const {
    wide_integer reads = 1;
    axis_set counted;
    axis_set is_done;
    for (std::size_t k = 0; k < rank_; ++k) {
      if (is_done[k]) continue;
      const auto [axes, together] = belonging_to(k);
      for (const std::size_t other : together) is_done.set(other);
      counted |= axes;
      wide_integer sum = 0;
      steps_.for_each_choice(axes,
                             [&, &all = axes, &of = together](const window_steps::runs& chosen) {
                               sum += gather_ != nullptr ? gathered(all, chosen, of)
                                      : of.size() == 1   ? sum_of_chunks(k, chosen)
                                                         : averaged(all, chosen, of);
                             });
      reads = clamped(reads * clamped(sum));
    }
    for (std::size_t a = 0; a < how_.rank(); ++a) {
      if (!counted[a]) reads = clamped(reads * visits_along(a, counted));
    }
    return reads;
  }

  /// Along the slowest axis on which chunks have several elements, what is wanted of a chunk is a
  /// range of it.
  [[nodiscard]] double part_read() const {
    const bool has_ranges = array_.cost.has_ranges && array_.is_row_major && gather_ == nullptr &&
                            made_.walked == no_axis && !made_.is_whole_chunks;
    const auto slowest = std::find_if(array_.chunks.begin(), array_.chunks.end(),
                                      [](index_t length) { return length > 1; });
    if (!has_ranges || slowest == array_.chunks.end()) return 1;
    const auto k = static_cast<std::size_t>(slowest - array_.chunks.begin());
    if (leaves_array(k) || belonging_to(k).second.size() > 1) return 1;
    bool is_even = true;
    wide_integer elements = 0;
    wide_integer chunks = 0;
    steps_.for_each_choice(steps_.used(k), [&](const window_steps::runs& chosen) {
      const moving_hull hull = steps_.first_hull_of(k, chosen);
      if (hull.empty()) return;
      wide_integer count = 1;
      for (std::size_t a = 0; a < how_.rank(); ++a) {
        if (steps_.used(k)[a]) count *= chosen[a]->count;
      }
      is_even = is_even && hull.is_even;
      const bool is_one_each = made_.spacing[k] >= *slowest;
      elements += is_one_each ? sum_of_chunks(k, chosen) : count * (hull.last - hull.first + 1);
      chunks += sum_of_chunks(k, chosen);
    });
    if (!is_even || chunks == 0) return 1;
    return std::min(1.0, static_cast<double>(elements) /
                             (static_cast<double>(chunks) * static_cast<double>(*slowest)));
  }

  /// Returns the axes of the array that share axes of the domain, or a part of the gather, with
  /// `k`, and those.
  [[nodiscard]] std::pair<axis_set, few<std::size_t>> belonging_to(std::size_t k) const {
    axis_set axes = steps_.used(k);
    few<std::size_t> together{k};
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (std::size_t other = 0; other < rank_; ++other) {
        if (std::find(together.begin(), together.end(), other) != together.end()) continue;
        const bool is_beside = gather_ != nullptr && gather_->is_beside(other, span_of(together));
        if ((steps_.used(other) & axes).none() && !is_beside) continue;
        together.push_back(other);
        axes |= steps_.used(other);
        has_grown = true;
      }
    }
    return {axes, together};
  }

  /// Returns how often what does not depend on axis `a` is read along it: in each block, or, where
  /// something else is read in between, in each step.
  [[nodiscard]] index_t visits_along(std::size_t a, axis_set dependent) const {
    const auto is_faster = [&](std::size_t other) {
      if (how_.block[other] <= how_.stream[other]) return false;
      return reduced_[other] == reduced_[a] ? other > a : reduced_[other];
    };
    bool is_kept = true;
    for (std::size_t other = 0; other < how_.rank(); ++other) {
      if (dependent[other] && is_faster(other)) is_kept = false;
    }
    const index_t length = is_kept ? how_.block[a] : how_.stream[a];
    index_t visits = 0;
    for (const step_run& run : steps_.runs_of(a, length)) {
      const bool is_read = std::any_of(views_.begin(), views_.end(), [&](const window_view& view) {
        return run.start < view.where.stop[a] && view.where.start[a] < run.start + run.length;
      });
      visits += is_read ? run.count : 0;
    }
    return visits;
  }

  const walk& how_;
  const std::vector<window_view>& views_;
  const array_storage& array_;
  /// What leads on to the array; axes are those of what it shows then.
  const gather* gather_;
  std::size_t rank_;
  window_steps steps_;
  axis_set reduced_;
  std::size_t fastest_ = no_axis;
  window_size made_;
};

}  // namespace

window_size measure(const walk& how, axis_set reduced, const std::vector<window_view>& views,
                    const array_storage& array) {
  return window_measure(how, reduced, views, array).run();
}

}  // namespace tessera
