// SPDX-License-Identifier: Apache-2.0
/// \file
/// The end of a run: results are committed and returned, the run's directory is removed.

#include "tessera/core/error.hpp"

#include "core/api/call_at_once.hpp"
#include "core/api/overwriting.hpp"
#include "store/api/finished_runs.hpp"
#include "task/plan_workload.hpp"
#include "task/resumption.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

namespace tessera {

namespace {

/// Returns the elements of an array, contiguous in row-major order.
std::shared_ptr<std::byte[]> read_whole(const array_source& array) {
  const region whole = region::whole(array.shape());
  const std::size_t size =
      static_cast<std::size_t>(num_elements(array.shape())) * array.type().size();
  std::shared_ptr<std::byte[]> elements = allocate_pages(size);
  const chunk_cost cost = array.read_cost();
  std::vector<std::byte> decoded(cost.decoded);
  std::vector<std::byte> encoded(cost.encoded);
  array.read_region(whole, {elements.get(), size}, decoded, encoded);
  return elements;
}

/// Returns the number of tasks in some ranges of each operation.
index_t count_tasks(const std::vector<std::vector<task_range>>& ranges) {
  index_t count = 0;
  for (const std::vector<task_range>& tasks : ranges) {
    for (const task_range& range : tasks) count += range.last - range.first;
  }
  return count;
}

/// Tells whether `task` is in `ranges`, which are in order.
bool is_in(const std::vector<task_range>& ranges, index_t task) {
  const auto after = std::ranges::upper_bound(ranges, task, {}, &task_range::first);
  return after != ranges.begin() && task < std::prev(after)->last;
}

/// Tells whether each stored result is a whole array.
bool replaces_arrays(const bounded_plan::implementation& plan) {
  return std::ranges::all_of(plan.arrays, [](const planned_array& array) {
    const auto* location = std::get_if<stored_placement>(&array.placement);
    if (location == nullptr || location->is_intermediate) return true;
    const auto* to = dynamic_cast<const overwriting_destination*>(location->to.get());
    return to != nullptr && to->replaces_array();
  });
}

}  // namespace

std::optional<std::string> plan_workload::known_state() const {
  return identity_.empty() ? std::nullopt : state_of_results(plan_, arrays_);
}

void plan_workload::commit() {
  if (!run_directory_) return;
  const auto confirm = [this] {
    for (const auto& claim : claims_) {
      if (claim != nullptr) claim->confirm();
    }
  };
  if (!has_far_result(plan_) || !replaces_arrays(plan_)) {
    confirm();
  } else {
    // A commit changes nothing of whole arrays.
    detail::call_at_once(confirm, [this] { state_of_results_ = known_state(); });
  }
  for (const live_array& array : arrays_) {
    const auto* location = std::get_if<stored_placement>(&array.planned->placement);
    if (location != nullptr && array.sink != nullptr) array.sink->commit();
  }
}

std::vector<computed_output> plan_workload::results() {
  arenas_.set_limit(0);  // the bound of the results does not include idle arenas
  std::vector<computed_output> outputs;
  for (const std::size_t output : plan_.outputs) {
    live_array& array = arrays_[output];
    attach(array);
    const auto* location = std::get_if<stored_placement>(&array.planned->placement);
    if (location != nullptr && location->is_intermediate) {
      outputs.push_back({read_whole(*array.source)});
    } else {
      outputs.push_back({memory_.hand_out(output, array.elements), array.sink});
    }
  }
  return outputs;
}

// The record of the finished run is written first: from then on a kill at any time loses nothing.
void plan_workload::finish() {
  if (!run_directory_) return;
  if (!identity_.empty()) {
    const auto results = state_of_results_ ? state_of_results_ : known_state();
    // Without stored results a later run has nothing to recall.
    const bool has_results = results && !results->empty();
    if (has_results) remember_finished(plan_.spec.work_dir, identity_, *results);
  }
  for (live_array& array : arrays_) {
    const auto* location = std::get_if<stored_placement>(&array.planned->placement);
    if (location == nullptr || array.sink == nullptr) continue;
    if (!location->is_intermediate && !identity_.empty()) array.sink->unmark();
    set_sink(array, nullptr);
  }
  remove_notes();
  claims_.clear();
  run_directory_->remove();
  run_directory_.reset();
}

// Without an identity no later run finds the directory; without stored arrays it holds nothing.
plan_workload::~plan_workload() {
  if (run_directory_ && (identity_.empty() || !is_stored_)) run_directory_->remove();
}

std::string plan_workload::how_to_continue() {
  if (!is_stored_) return {};
  identity_ = identity();
  if (identity_.empty()) return {};
  return fmt::format(
      "; what is finished is kept in '{}': run the same program again to continue, or with "
      "--tessera-resume=never to begin anew",
      plan_.spec.work_dir);
}

void plan_workload::tell_continuation_to(const std::vector<std::shared_ptr<observer>>& observers) {
  listeners_ = observers;
}

void plan_workload::tell_continuation() const {
  index_t num_tasks = 0;
  for (const workload_operation& operation : operations_) num_tasks += operation.num_tasks;
  for (const std::shared_ptr<observer>& watcher : listeners_) {
    auto* const listener = dynamic_cast<continuation_listener*>(watcher.get());
    if (listener != nullptr)
      listener->on_continuation(num_tasks - count_tasks(*tasks_left_), num_tasks);
  }
}

std::string plan_workload::loss_of(const ended_tasks& ended) const {
  const bool keeps_work = is_stored_ && !identity_.empty() && !is_serving_;
  const bool loses_work = std::ranges::any_of(
      plan_.arrays, [](const planned_array& array) { return array.is_in_memory(); });
  if (!keeps_work || !loses_work) return {};
  index_t num_tasks = 0;
  for (const workload_operation& operation : operations_) num_tasks += operation.num_tasks;
  const auto has_ended = [&](std::size_t operation, index_t task) {
    const bool was_there = tasks_left_ && !is_in((*tasks_left_)[operation], task);
    return was_there || ended.has(operation, task);
  };
  const index_t num_there = tasks_left_ ? num_tasks - count_tasks(*tasks_left_) : 0;
  const index_t num_done = num_there + ended.size();
  const index_t num_kept = num_tasks - count_tasks(tasks_of_later_run(plan_, arrays_, has_ended));
  if (num_kept >= num_done) return {};
  return fmt::format("; {} of the {} tasks left their outputs in memory, and run again",
                     num_done - num_kept, num_done);
}

}  // namespace tessera
