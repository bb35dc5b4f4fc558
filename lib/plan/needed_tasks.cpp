// SPDX-License-Identifier: Apache-2.0
/// \file
/// The tasks of a producer that a range of tasks of its reader depends on.
///
/// Both operations number their blocks in row-major order of a grid. For a range of reader tasks:
///     numbers of blocks -> boxes of blocks -> boxes of the domain
///             -> boxes of the array (through the views)
///             -> boxes of producer blocks -> runs of numbers -> tasks
/// A range of n numbers is at most two boxes for each axis, so that the work does not depend on n.
/// A box with more than `tuning.most_runs_of_box` runs is told as fewer, longer runs: a superset is
/// safe, as it only delays a task.

#include "plan/api/needed_tasks.hpp"

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/region.hpp"

#include "core/api/gather_cursor.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <optional>

namespace tessera {

namespace {

/// Calls `f` with the boxes, at most two for each axis, that cover the numbers `range` in the
/// row-major order of a grid of `extents`.
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
  // Along the outer axes, each index has a run of its own.
  std::size_t num_outer = 0;
  region outer;
  for (index_t count = 1; num_outer < extents.size(); ++num_outer) {
    count *= box.stop[num_outer] - box.start[num_outer];
    if (count > tuning.most_runs_of_box) break;
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

/// Returns the box of the domain that `box` of the grid of blocks covers.
region domain_box_of(const loop_schedule& schedule, const region& box) {
  region domain_box = box;
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    domain_box.start[axis] *= schedule.block[axis];
    const index_t shared = schedule.ordered[axis] ? schedule.overlap : 0;
    domain_box.stop[axis] =
        std::min(domain_box.stop[axis] * schedule.block[axis] + shared, schedule.domain[axis]);
  }
  return domain_box;
}

/// Returns the part of `box` inside an array of `shape`.
region clip_to(region box, const index_vector& shape) {
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    box.start[axis] = std::max<index_t>(box.start[axis], 0);
    box.stop[axis] = std::min(box.stop[axis], shape[axis]);
  }
  return box;
}

/// Returns the part of an array of `shape` that `box` of the domain reads through `map`.
region image_in_array(const region& box, const index_map& map, const index_vector& shape) {
  if (map.gather() == nullptr) return clip_to(map.image(box), shape);
  const region front_box = clip_to(map.image(box), map.gather()->domain());
  if (front_box.empty()) return front_box;
  return clip_to(gathered_hull(*map.gather(), front_box), shape);
}

/// Returns the box, in the grid of blocks of `schedule`, of all blocks with elements of `part` of
/// an output.
region find_producer_blocks(const loop_schedule& schedule, const output& output,
                            const region& part) {
  region blocks = region::whole(schedule.blocks().num_chunks());
  for (std::size_t k = 0; k < output.axes.size(); ++k) {
    const output_axis& axis = output.axes[k];
    if (axis.origin == output_axis::kind::extra) continue;
    const bool is_along = axis.origin == output_axis::kind::along;
    // Blocks that overlap begin with the elements before their outputs.
    const index_t skipped = is_along && schedule.overlap == 0 ? axis.skipped : 0;
    const index_t step = is_along ? axis.step : 1;
    const index_t block = is_along ? schedule.block[axis.axis] : 1;
    index_t& start = blocks.start[axis.axis];
    index_t& stop = blocks.stop[axis.axis];
    start = std::max(start, (part.start[k] * step + skipped) / block);
    stop = std::min(stop, ((part.stop[k] - 1) * step + skipped) / block + 1);
  }
  return blocks;
}

/// Replaces the numbers of blocks by the numbers of the tasks that take them.
void to_tasks(std::vector<task_range>& runs, index_t blocks_per_task) {
  for (task_range& run : runs) {
    run = {run.first / blocks_per_task, ceil_divide(run.last, blocks_per_task)};
  }
}

/// Returns the operands that read an array, grouped by window: a group reads one common box.
std::vector<std::vector<std::size_t>> group_operands(const planned_operation& reader,
                                                     std::size_t array) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < reader.inputs.size(); ++i) {
    if (reader.inputs[i].array != array) continue;
    const auto is_together = [&](const std::vector<std::size_t>& group) {
      const planned_operand& first = reader.inputs[group.front()];
      return first.access == operand_access::gathered &&
             reader.inputs[i].access == operand_access::gathered &&
             first.window == reader.inputs[i].window;
    };
    const auto group = std::find_if(groups.begin(), groups.end(), is_together);
    if (group == groups.end()) {
      groups.push_back({i});
    } else {
      group->push_back(i);
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
                                     const planned_operation& producer) {
  std::vector<task_range> needed;
  const task_range blocks = reader.op.schedule.blocks_of(tasks);
  for (std::size_t k = 0; k < producer.outputs.size(); ++k) {
    const output& output = producer.op.outputs[k];
    const index_vector shape = output.shape(producer.op.schedule);
    const index_vector grid = producer.op.schedule.blocks().num_chunks();
    for (const std::vector<std::size_t>& operands :
         group_operands(reader, producer.outputs[k].array)) {
      for_each_box(blocks, reader.op.schedule.blocks().num_chunks(), [&](const region& box) {
        const region domain_box = domain_box_of(reader.op.schedule, box);
        std::optional<region> needed_box;
        for (const std::size_t i : operands) {
          const region part = image_in_array(domain_box, reader.op.operands[i], shape);
          if (!part.empty()) extend(needed_box, part);
        }
        if (!needed_box) return;
        const region producer_blocks =
            find_producer_blocks(producer.op.schedule, output, *needed_box);
        if (!producer_blocks.empty()) add_runs(producer_blocks, grid, needed);
      });
    }
  }
  to_tasks(needed, producer.op.schedule.blocks_per_task);
  sort_and_join(needed);
  return needed;
}

}  // namespace tessera
