// SPDX-License-Identifier: Apache-2.0
#include "task/resumption.hpp"

#include "tessera/core/error.hpp"
#include "tessera/plan/needed_tasks.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tessera {

namespace {

/// Calls `visit` with each chunk that `box` touches.
template <class Visit>
void for_each_chunk(const array_sink& array, const region& box, Visit visit) {
  const region touched = array.write_grid().chunks_touching(box);
  const chunk_grid chunks(touched.shape(), index_vector(touched.shape().size(), 1));
  for (index_t i = 0; i < chunks.size(); ++i) {
    index_vector chunk = chunks.chunk_at(i);
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) chunk[axis] += touched.start[axis];
    visit(chunk);
  }
}

bool has_all_chunks(const array_sink& array, const region& box) {
  bool has_all = true;
  for_each_chunk(array, box,
                 [&](const index_vector& chunk) { has_all = has_all && array.has_chunk(chunk); });
  return has_all;
}

/// Says which arrays somebody still wants.
class demand {
 public:
  explicit demand(const bounded_plan::implementation& plan)
      : is_wanted_(plan.arrays.size(), false) {
    for (const std::size_t output : plan.outputs) is_wanted_[output] = true;
  }
  void want_inputs_of(const planned_operation& reader) {
    for (const planned_operand& input : reader.inputs) is_wanted_[input.array] = true;
  }
  [[nodiscard]] bool wants(std::size_t array) const { return is_wanted_[array]; }

 private:
  std::vector<bool> is_wanted_;
};

/// Calls `visit` with each of the tasks in `ranges`.
template <class Visit>
void for_each_task(const std::vector<task_range>& ranges, Visit visit) {
  for (const task_range& range : ranges) {
    for (index_t task = range.first; task < range.last; ++task) visit(task);
  }
}

/// Returns those of the tasks `needed` that have yet to be run.
std::vector<task_range> tasks_left_of(const planned_operation& planned,
                                      const std::vector<task_range>& needed, const demand& wanted,
                                      std::span<const live_array> arrays) {
  std::vector<std::pair<const array_sink*, std::size_t>> outputs;
  for (std::size_t i = 0; i < planned.outputs.size(); ++i) {
    const std::size_t array = planned.outputs[i].array;
    if (!wanted.wants(array)) continue;
    const array_sink* const stored = arrays[array].sink.get();
    // What was in memory is gone.
    if (stored == nullptr) return needed;
    outputs.emplace_back(stored, i);
  }
  std::vector<task_range> left;
  for_each_task(needed, [&](index_t task) {
    const region box = planned.what.how.task_box(task);
    const auto is_there = [&](const auto& output) {
      const auto& [array, i] = output;
      return has_all_chunks(*array, planned.what.outputs[i].box(planned.what.how, box));
    };
    if (std::all_of(outputs.begin(), outputs.end(), is_there)) return;
    if (!left.empty() && left.back().last == task) {
      ++left.back().last;
    } else {
      left.push_back({task, task + 1});
    }
  });
  return left;
}

}  // namespace

std::optional<region> box_left(const planned_operation& planned, std::span<const live_array> arrays,
                               index_t task) {
  const region box = planned.what.how.task_box(task);
  const planned_result& made = planned.outputs.front();
  const bool is_cut =
      made.access == output_access::many_chunks || made.access == output_access::handed_on;
  // A leg needs what those before it have left.
  const bool is_ordered = planned.what.how.ordered.any();
  if (planned.outputs.size() != 1 || !is_cut || is_ordered) return box;
  const array_sink& output = *arrays[made.array].sink;
  std::optional<region> left;
  for_each_chunk(output, planned.what.outputs.front().box(planned.what.how, box),
                 [&](const index_vector& chunk) {
                   if (output.has_chunk(chunk)) return;
                   const region missing = planned.what.outputs.front().domain_of(
                       box, output.write_grid().chunk_region(chunk));
                   left = left ? hull(*left, missing) : missing;
                 });
  return left;
}

std::optional<std::string> state_of_results(const bounded_plan::implementation& plan) {
  std::string state;
  try {
    for (const planned_array& array : plan.arrays) {
      const auto* place = std::get_if<stored_place>(&array.place);
      if (place == nullptr || place->is_intermediate) continue;
      state += place->to->open()->state();
    }
  } catch (const error&) {
    return std::nullopt;
  }
  return state;
}

// Operations stand before those that read them, so that demand is known from the last to the first.
std::vector<std::vector<task_range>> tasks_left(const bounded_plan::implementation& plan,
                                                std::span<const live_array> arrays) {
  const demand asked_for(plan);
  demand wanted = asked_for;
  std::vector<std::vector<task_range>> left(plan.operations.size());
  std::vector<std::vector<task_range>> needed(plan.operations.size());
  for (std::size_t i = plan.operations.size(); i-- > 0;) {
    const planned_operation& planned = plan.operations[i];
    if (planned.num_tasks == 0) continue;
    const bool is_asked_for =
        std::any_of(planned.outputs.begin(), planned.outputs.end(),
                    [&](const planned_result& output) { return asked_for.wants(output.array); });
    if (is_asked_for) needed[i] = {{0, planned.num_tasks}};
    sort_and_join(needed[i]);
    left[i] = tasks_left_of(planned, needed[i], wanted, arrays);
    if (left[i].empty()) continue;
    wanted.want_inputs_of(planned);
    for (const std::size_t maker : planned.after) {
      for (const task_range& tasks : left[i]) {
        const std::vector<task_range> made = needed_tasks(planned, tasks, plan.operations[maker]);
        needed[maker].insert(needed[maker].end(), made.begin(), made.end());
      }
    }
  }
  return left;
}

}  // namespace tessera
