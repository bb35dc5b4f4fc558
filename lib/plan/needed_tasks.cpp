// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/needed_tasks.hpp"

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/gather_walk.hpp"
#include "tessera/core/region.hpp"

#include <algorithm>
#include <optional>

namespace tessera {

namespace {

/// How many runs of numbers a box of a grid is told as, at most; where it has more, runs that
/// belong together are told as one, with what lies between them.
constexpr index_t most_runs = 64;

/// Calls `f` with each of the boxes, at most two for each axis, that have the numbers `range` in
/// the row-major order of a grid of `extents`.
template <class F>
void for_each_box(task_range range, const index_vector& extents, F f) {
  const index_vector strides = row_major_strides(extents);
  while (range.first < range.last) {
    region box{index_vector(extents.size()), index_vector(extents.size(), 1)};
    index_t rest = range.first;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      box.start[axis] = rest / strides[axis];
      box.stop[axis] = box.start[axis] + 1;
      rest %= strides[axis];
    }
    index_t count = 1;
    if (!extents.empty()) {
      std::size_t axis = extents.size() - 1;
      while (axis > 0 && box.start[axis] == 0 && range.first + strides[axis - 1] <= range.last) {
        box.stop[axis] = extents[axis];
        --axis;
      }
      count = std::min(extents[axis] - box.start[axis], (range.last - range.first) / strides[axis]);
      box.stop[axis] = box.start[axis] + count;
      count *= strides[axis];
    }
    f(box);
    range.first += count;
  }
}

/// Adds the numbers of the elements of `box` in the row-major order of a grid of `extents`.
void add_runs(const region& box, const index_vector& extents, std::vector<task_range>& runs) {
  const index_vector strides = row_major_strides(extents);
  // The axes in front, of which each index has a run of its own.
  std::size_t num_outer = 0;
  region outer;
  for (index_t count = 1; num_outer < extents.size(); ++num_outer) {
    count *= box.stop[num_outer] - box.start[num_outer];
    if (count > most_runs) break;
    outer.start.push_back(box.start[num_outer]);
    outer.stop.push_back(box.stop[num_outer]);
  }
  index_vector position(num_outer);
  do {
    task_range run{0, 1};
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const bool is_outer = axis < num_outer;
      const index_t first = is_outer ? outer.start[axis] + position[axis] : box.start[axis];
      run.first += first * strides[axis];
      run.last += (is_outer ? first : box.stop[axis] - 1) * strides[axis];
    }
    if (!runs.empty() && runs.back().last == run.first) {
      runs.back().last = run.last;
    } else {
      runs.push_back(run);
    }
  } while (next_position(position, outer.shape()));
}

/// Returns the box of the domain that the tasks in `box`, a box of the grid of tasks, walk.
region walked_by(const walk& how, const region& box) {
  region walked = box;
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    walked.start[axis] *= how.block[axis];
    walked.stop[axis] = std::min(walked.stop[axis] * how.block[axis], how.domain[axis]);
  }
  return walked;
}

/// Returns the part of `box` that lies in an array of `shape`.
region within(region box, const index_vector& shape) {
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    box.start[axis] = std::max<index_t>(box.start[axis], 0);
    box.stop[axis] = std::min(box.stop[axis], shape[axis]);
  }
  return box;
}

/// Returns the part of an array of `shape` that `map` reaches from `box`.
region reached_from(const region& box, const index_map& map, const index_vector& shape) {
  if (map.behind() == nullptr) return within(map.image(box), shape);
  const region seen = within(map.image(box), map.behind()->seen());
  if (seen.empty()) return seen;
  return within(gathered_hull(*map.behind(), seen), shape);
}

/// Returns the box of tasks, in the grid of tasks of `how`, that make elements of `part` of an
/// output.
region tasks_that_make(const walk& how, const output& made, const region& part) {
  region tasks = region::whole(how.tasks().num_chunks());
  for (std::size_t k = 0; k < made.axes.size(); ++k) {
    const output_axis& each = made.axes[k];
    if (each.how == output_axis::kind::own) continue;
    const bool is_along = each.how == output_axis::kind::along;
    const index_t skipped = is_along ? each.skipped : 0;
    const index_t step = is_along ? each.step : 1;
    const index_t block = is_along ? how.block[each.axis] : 1;
    index_t& start = tasks.start[each.axis];
    index_t& stop = tasks.stop[each.axis];
    start = std::max(start, (part.start[k] * step + skipped) / block);
    stop = std::min(stop, ((part.stop[k] - 1) * step + skipped) / block + 1);
  }
  return tasks;
}

/// Returns the operands that look at an array, in groups that read one box together: those of a
/// window.
std::vector<std::vector<std::size_t>> looks_at(const planned_operation& reader, std::size_t array) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < reader.inputs.size(); ++i) {
    if (reader.inputs[i].array != array) continue;
    const auto is_together = [&](const std::vector<std::size_t>& group) {
      const planned_operand& first = reader.inputs[group.front()];
      return first.access == operand_access::gathered &&
             reader.inputs[i].access == operand_access::gathered &&
             first.window == reader.inputs[i].window;
    };
    const auto found = std::find_if(groups.begin(), groups.end(), is_together);
    if (found == groups.end()) {
      groups.push_back({i});
    } else {
      found->push_back(i);
    }
  }
  return groups;
}

}  // namespace

void sort_and_join(std::vector<task_range>& runs) {
  std::sort(runs.begin(), runs.end(),
            [](const task_range& a, const task_range& b) { return a.first < b.first; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].first <= runs[last].last) {
      runs[last].last = std::max(runs[last].last, runs[i].last);
    } else {
      runs[++last] = runs[i];
    }
  }
  if (!runs.empty()) runs.resize(last + 1);
}

std::vector<task_range> needed_tasks(const planned_operation& reader, task_range tasks,
                                     const planned_operation& maker) {
  std::vector<task_range> needed;
  for (std::size_t k = 0; k < maker.outputs.size(); ++k) {
    const output& made = maker.what.outputs[k];
    const index_vector shape = made.shape(maker.what.how);
    const index_vector grid = maker.what.how.tasks().num_chunks();
    for (const std::vector<std::size_t>& operands : looks_at(reader, maker.outputs[k].array)) {
      for_each_box(tasks, reader.what.how.tasks().num_chunks(), [&](const region& box) {
        const region walked = walked_by(reader.what.how, box);
        std::optional<region> all;
        for (const std::size_t i : operands) {
          const region part = reached_from(walked, reader.what.operands[i], shape);
          if (!part.empty()) all = all ? hull(*all, part) : part;
        }
        if (!all) return;
        const region makers = tasks_that_make(maker.what.how, made, *all);
        if (!makers.empty()) add_runs(makers, grid, needed);
      });
    }
  }
  sort_and_join(needed);
  return needed;
}

}  // namespace tessera
