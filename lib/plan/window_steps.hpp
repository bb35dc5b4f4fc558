// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The steps of a schedule as runs, and the hulls of the elements that views need in them.

#include "tessera/core/index.hpp"

#include "core/api/small_vector.hpp"
#include "plan/api/planned.hpp"
#include "plan/step_runs.hpp"
#include "plan/task_windows.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tessera {

/// The hull of the needed elements along one axis of an array in the first step of some runs, and
/// the distance by which it moves with each step along each axis of the domain.
struct moving_hull {
  index_t first = 0;
  index_t last = -1;
  index_vector distance;
  bool is_even = true;

  [[nodiscard]] bool empty() const { return last < first; }
};

/// The steps of a schedule through the window of some views.
class window_steps {
 public:
  /// By axis of the domain: a run of steps; null along axes that do not matter.
  using runs = small_vector<const step_run*>;

  /// `schedule` and `views`, at least one, must outlive this object.
  window_steps(const loop_schedule& schedule, const std::vector<window_view>& views);

  /// Returns the axes of the domain that axis `k` of the array depends on.
  [[nodiscard]] axis_set used(std::size_t k) const { return used_[k]; }
  /// Returns the runs of the steps along axis `a` of the domain, each `length` long.
  [[nodiscard]] std::vector<step_run> runs_of(std::size_t a, index_t length) const;
  /// Joins the steps of a block along axis `a` into one step.
  void join_along(std::size_t a) {
    set_steps(a, schedule_.block[a] + (schedule_.ordered[a] ? schedule_.overlap : 0));
  }

  /// Calls `f` with each choice of runs along `axes`.
  template <class F>
  void for_each_choice(axis_set axes, F f) const {
    runs chosen(schedule_.rank());
    for_each_choice(axes, f, 0, chosen);
  }

  /// Calls `f` with the numbers of each step of `chosen`; of the first and last along each axis
  /// alone if `only_ends`.
  template <class F>
  void for_each_step(axis_set axes, const runs& chosen, bool only_ends, F f) const {
    index_vector step(schedule_.rank());
    while (true) {
      f(std::as_const(step));
      std::size_t a = schedule_.rank();
      while (a-- > 0) {
        if (!axes[a]) continue;
        const index_t last = chosen[a]->count - 1;
        if (step[a] < last) {
          step[a] = only_ends ? last : step[a] + 1;
          break;
        }
        step[a] = 0;
      }
      if (a == static_cast<std::size_t>(-1)) return;
    }
  }

  /// Returns the hull along axis `k` of the array in step number `step` of each run of `chosen`
  /// along `axes`, clipped to [0, `extent`) if that is given.
  [[nodiscard]] moving_hull hull_of(std::size_t k, axis_set axes, const runs& chosen,
                                    const index_vector& step,
                                    std::optional<index_t> extent = {}) const;
  /// Tells whether the hull along axis `k` of the array never begins earlier than in the step
  /// before along axis `a` of the domain. Pieces at the end of the domain may need elements at the
  /// begin of the array.
  [[nodiscard]] bool moves_forwards(std::size_t k, std::size_t a) const;

  /// As `hull_of`, in the first step of each run.
  [[nodiscard]] moving_hull first_hull_of(std::size_t k, const runs& chosen) const {
    return hull_of(k, used_[k], chosen, index_vector(schedule_.rank()));
  }

 private:
  template <class F>
  void for_each_choice(axis_set axes, F f, std::size_t from, runs& chosen) const {
    while (from < schedule_.rank() && !axes[from]) ++from;
    if (from == schedule_.rank()) {
      f(std::as_const(chosen));
      return;
    }
    for (const step_run& run : steps_[from]) {
      chosen[from] = &run;
      for_each_choice(axes, f, from + 1, chosen);
    }
  }

  /// Tells whether two views need the same elements along axis `k` of the array in every step.
  [[nodiscard]] bool are_alike(std::size_t k, const window_view& a, const window_view& b) const;
  void find_distinct(std::size_t k);
  void set_steps(std::size_t a, index_t length);
  /// Returns the views that may need elements in a step of `chosen`, the runs along `axes`.
  [[nodiscard]] std::span<const std::size_t> present_views(axis_set axes, const runs& chosen) const;

  const loop_schedule& schedule_;
  const std::vector<window_view>& views_;
  small_vector<axis_set> used_;
  /// By axis of the array: whether a view differs along it from all earlier views. The many views
  /// of a stencil have few offsets along each axis.
  std::vector<std::vector<bool>> is_distinct_;
  std::vector<std::size_t> all_views_;
  /// By axis of the domain and run of steps: the views that begin before the end of the run, and
  /// end behind its begin. The many pieces of an assembly have one run each.
  small_vector<std::vector<std::vector<std::size_t>>> present_;
  /// By axis of the domain: the positions inside it where views begin or end, and its steps.
  small_vector<std::vector<index_t>> cuts_;
  small_vector<std::vector<step_run>> steps_;
};

}  // namespace tessera
