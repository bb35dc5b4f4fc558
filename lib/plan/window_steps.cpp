// SPDX-License-Identifier: Apache-2.0
#include "plan/window_steps.hpp"

#include "plan/tuning.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {

window_steps::window_steps(const loop_schedule& schedule, const std::vector<window_view>& views)
    : schedule_(schedule), views_(views), all_views_(views.size()) {
  std::iota(all_views_.begin(), all_views_.end(), std::size_t{0});
  present_.resize(schedule.rank());
  steps_.resize(schedule.rank());
  for (std::size_t k = 0; k < views.front().map->axes().size(); ++k) {
    axis_set axes;
    for (const window_view& view : views) {
      for (const axis_term& term : (*view.map)[k].terms()) axes.set(term.axis);
    }
    used_.push_back(axes);
    find_distinct(k);
  }
  for (std::size_t a = 0; a < schedule.rank(); ++a) {
    std::vector<index_t>& cuts = cuts_.emplace_back();
    for (const window_view& view : views) {
      for (const index_t cut : {view.where.start[a], view.where.stop[a]}) {
        if (cut > 0 && cut < schedule.domain[a]) cuts.push_back(cut);
      }
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    set_steps(a, schedule.step[a]);
  }
}

bool window_steps::are_alike(std::size_t k, const window_view& a, const window_view& b) const {
  if ((*a.map)[k] != (*b.map)[k]) return false;
  for (std::size_t axis = 0; axis < schedule_.rank(); ++axis) {
    if (!used_[k][axis]) continue;
    if (a.where.start[axis] != b.where.start[axis] || a.where.stop[axis] != b.where.stop[axis] ||
        a.at_start[axis] != b.at_start[axis]) {
      return false;
    }
  }
  return true;
}

void window_steps::find_distinct(std::size_t k) {
  std::vector<std::size_t> distinct;
  std::vector<bool>& is_distinct = is_distinct_.emplace_back(views_.size(), false);
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const auto is_like_i = [&](std::size_t earlier) {
      return are_alike(k, views_[earlier], views_[i]);
    };
    is_distinct[i] = std::none_of(distinct.begin(), distinct.end(), is_like_i);
    if (is_distinct[i]) distinct.push_back(i);
  }
}

void window_steps::set_steps(std::size_t a, index_t length) {
  steps_[a] = runs_of(a, length);
  if (views_.size() <= tuning.few_views) return;
  present_[a].assign(steps_[a].size(), {});
  const auto end_of = [](const step_run& run) { return run.start + run.count * run.length; };
  // Runs of blocks that overlap are not in order.
  const bool are_in_order = schedule_.overlap == 0;
  for (const std::size_t i : all_views_) {
    const auto [start, stop] = std::pair(views_[i].where.start[a], views_[i].where.stop[a]);
    auto run =
        are_in_order ? std::ranges::upper_bound(steps_[a], start, {}, end_of) : steps_[a].begin();
    for (; run != steps_[a].end() && !(are_in_order && run->start >= stop); ++run) {
      if (run->start >= stop || end_of(*run) <= start) continue;
      present_[a][static_cast<std::size_t>(run - steps_[a].begin())].push_back(i);
    }
  }
}

std::span<const std::size_t> window_steps::present_views(axis_set axes, const runs& chosen) const {
  std::span<const std::size_t> fewest = all_views_;
  if (views_.size() <= tuning.few_views) return fewest;
  for (std::size_t a = 0; a < schedule_.rank(); ++a) {
    if (!axes[a]) continue;
    const auto run = static_cast<std::size_t>(chosen[a] - steps_[a].data());
    if (present_[a][run].size() < fewest.size()) fewest = present_[a][run];
  }
  return fewest;
}

std::vector<step_run> window_steps::runs_of(std::size_t a, index_t length) const {
  const index_t overlap = schedule_.ordered[a] ? schedule_.overlap : 0;
  return runs_along(schedule_.domain[a], schedule_.block[a], length, cuts_[a], overlap);
}

bool window_steps::moves_forwards(std::size_t k, std::size_t a) const {
  axis_set across = used_[k];
  across.reset(a);
  bool is_forwards = true;
  for_each_choice(across, [&](runs chosen) {
    index_t block = -1;
    index_t stop = 0;
    index_t first = 0;
    for (const step_run& run : steps_[a]) {
      chosen[a] = &run;
      const moving_hull hull = first_hull_of(k, chosen);
      if (hull.empty()) continue;
      // A block that overlaps the one before begins inside it.
      const bool begins_block =
          schedule_.overlap > 0 ? run.start < stop : run.start / schedule_.block[a] != block;
      is_forwards = is_forwards && (begins_block || hull.first >= first);
      block = (run.start + (run.count - 1) * run.length) / schedule_.block[a];
      stop = run.start + run.count * run.length;
      first = hull.first + (run.count - 1) * hull.distance[a];
    }
  });
  return is_forwards;
}

moving_hull window_steps::hull_of(std::size_t k, axis_set axes, const runs& chosen,
                                  const index_vector& step, std::optional<index_t> extent) const {
  moving_hull hull;
  const bool is_along_k = axes == used_[k];
  for (const std::size_t i : present_views(axes, chosen)) {
    if (is_along_k && !is_distinct_[k][i]) continue;
    const window_view& view = views_[i];
    const axis_map& m = (*view.map)[k];
    index_t first = m.offset;
    index_t last = m.offset;
    index_vector distance(schedule_.rank());
    bool is_read = true;
    for (std::size_t a = 0; a < schedule_.rank() && is_read; ++a) {
      if (!axes[a]) continue;
      const index_t at = chosen[a]->start + step[a] * chosen[a]->length;
      const index_t start = std::max(at, view.where.start[a]);
      const index_t length = view.at_start[a] ? 1 : chosen[a]->length;
      const index_t stop = std::min(at + length, view.where.stop[a]);
      is_read = start < stop;
      const index_t stride = m.step_along(a);
      first += stride * (stride < 0 ? stop - 1 : start);
      last += stride * (stride < 0 ? start : stop - 1);
      distance[a] = stride * chosen[a]->length;
    }
    if (extent) {
      first = std::max<index_t>(first, 0);
      last = std::min(last, *extent - 1);
    }
    if (!is_read || last < first) continue;
    hull.is_even = hull.is_even && (hull.empty() || distance == hull.distance);
    hull.first = hull.empty() ? first : std::min(hull.first, first);
    hull.last = std::max(hull.last, last);
    hull.distance = distance;
  }
  return hull;
}

}  // namespace tessera
