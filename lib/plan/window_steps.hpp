// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The steps of a walk, and what views hold of an array in them: runs of steps stand for all.

#include "tessera/core/few.hpp"
#include "tessera/core/index.hpp"
#include "tessera/plan/planned.hpp"

#include "plan/step_runs.hpp"
#include "plan/window.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

/// What is held along one axis of the array in the first step of some runs, and by how much that
/// moves on with each step along each axis.
struct moving_hull {
  index_t first = 0;
  index_t last = -1;
  index_vector distance;
  bool is_even = true;

  [[nodiscard]] bool empty() const { return last < first; }
};

/// The steps of a walk through a window of some views.
class window_steps {
 public:
  /// One run of steps along each axis of the domain; none along those that do not matter.
  using runs = few<const step_run*>;

  /// `how` and `views`, of which there is at least one, must live longer.
  window_steps(const walk& how, const std::vector<window_view>& views);

  /// Returns the axes of the domain that axis `k` of the array depends on.
  [[nodiscard]] axis_set used(std::size_t k) const { return used_[k]; }
  /// Returns the runs of the steps along axis `a` of the domain, each `length` long.
  [[nodiscard]] std::vector<step_run> runs_of(std::size_t a, index_t length) const;
  /// Takes the steps of a block along axis `a` for one.
  void join_along(std::size_t a) { steps_[a] = runs_of(a, how_.block[a]); }

  /// Calls `f` with each choice of runs along `axes`.
  template <class F>
  void for_each_choice(axis_set axes, F f) const {
    runs chosen(how_.rank());
    for_each_choice(axes, f, 0, chosen);
  }

  /// Calls `f` with the numbers of each step of `chosen`, in which the first and last alone are met
  /// where `only_ends`.
  template <class F>
  void for_each_step(axis_set axes, const runs& chosen, bool only_ends, F f) const {
    index_vector step(how_.rank());
    while (true) {
      f(std::as_const(step));
      std::size_t a = how_.rank();
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

  /// Returns what is held along axis `k` in step number `step` of each of `chosen` along `axes`;
  /// of the array's first `extent` elements along it alone, where there is one.
  [[nodiscard]] moving_hull hull_of(std::size_t k, axis_set axes, const runs& chosen,
                                    const index_vector& step,
                                    std::optional<index_t> extent = {}) const;
  /// As above, in the first step of each.
  [[nodiscard]] moving_hull first_hull_of(std::size_t k, const runs& chosen) const {
    return hull_of(k, used_[k], chosen, index_vector(how_.rank()));
  }

 private:
  template <class F>
  void for_each_choice(axis_set axes, F f, std::size_t from, runs& chosen) const {
    while (from < how_.rank() && !axes[from]) ++from;
    if (from == how_.rank()) {
      f(std::as_const(chosen));
      return;
    }
    for (const step_run& run : steps_[from]) {
      chosen[from] = &run;
      for_each_choice(axes, f, from + 1, chosen);
    }
  }

  /// Tells whether two views hold the same along axis `k` of the array in every step.
  [[nodiscard]] bool are_alike(std::size_t k, const window_view& a, const window_view& b) const;
  void find_distinct(std::size_t k);

  const walk& how_;
  const std::vector<window_view>& views_;
  few<axis_set> used_;
  /// For each axis of the array, the numbers of views that differ along it. Many views of a stencil
  /// have few offsets along each axis.
  std::vector<std::vector<std::size_t>> distinct_;
  /// For each axis of the domain where views begin and end inside, and its steps.
  few<std::vector<index_t>> cuts_;
  few<std::vector<step_run>> steps_;
};

}  // namespace tessera
