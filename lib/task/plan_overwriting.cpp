// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs that overwrite arrays which they read (core/api/overwriting.hpp).

#include "tessera/core/error.hpp"

#include "core/api/overwriting.hpp"
#include "store/api/finished_runs.hpp"
#include "store/api/stopped_run.hpp"
#include "task/plan_workload.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// Returns the run that overwrites the array of a source, or nullopt if there is none.
std::optional<std::string> unfinished_run_of(const planned_array& array) {
  const auto* stored = std::get_if<stored_source>(&array.placement);
  if (stored == nullptr) return std::nullopt;
  const auto* source = dynamic_cast<const overwritable_source*>(stored->array.get());
  // Elements of a border keep their values.
  if (source == nullptr || !source->location()) return std::nullopt;
  return source->unfinished_run();
}

/// Returns the destination as one of an array that may be a source as well, or nullptr.
const overwriting_destination* overwriting(const stored_placement& location) {
  return location.is_intermediate ? nullptr
                                  : dynamic_cast<const overwriting_destination*>(location.to.get());
}

}  // namespace

/// Throws value_error if a result would overwrite an array that the plan reads, and no copy behind
/// all readers does it.
void plan_workload::refuse_overwriting() const {
  std::vector<const array_destination*> results;
  for (std::size_t i = 0; i < plan_.operations.size(); ++i) {
    if (are_overwriting_[i]) continue;
    for (const planned_result& output : plan_.operations[i].outputs) {
      const auto* location = std::get_if<stored_placement>(&plan_.arrays[output.array].placement);
      if (location != nullptr && !location->is_intermediate) results.push_back(location->to.get());
    }
  }
  std::vector<const array_source*> sources;
  for (const planned_array& array : plan_.arrays) {
    const auto* stored = std::get_if<stored_source>(&array.placement);
    if (stored != nullptr) sources.push_back(stored->array.get());
  }
  tessera::refuse_overwriting(results, sources);
}

bool plan_workload::has_unfinished_source() const {
  return std::ranges::any_of(plan_.arrays, [](const planned_array& array) {
    return unfinished_run_of(array).has_value();
  });
}

/// Returns the destinations that the plan overwrites behind all readers.
std::vector<const overwriting_destination*> plan_workload::overwritten() const {
  std::vector<const overwriting_destination*> destinations;
  for (std::size_t i = 0; i < are_overwriting_.size(); ++i) {
    if (!are_overwriting_[i]) continue;
    for (const planned_result& output : plan_.operations[i].outputs) {
      const auto* location = std::get_if<stored_placement>(&plan_.arrays[output.array].placement);
      const auto* to = location == nullptr ? nullptr : overwriting(*location);
      if (to != nullptr) destinations.push_back(to);
    }
  }
  return destinations;
}

/// Tells whether an array that the plan overwrites outlives this process.
bool plan_workload::overwrites_files() const {
  return std::ranges::any_of(overwritten(), [](const auto* to) { return to->outlives_process(); });
}

/// Throws if a remaining task reads an array that a run overwrites, this run or another one: some
/// of its elements are new, and some are old.
void plan_workload::refuse_unfinished_sources() {
  if (std::exchange(are_sources_checked_, true)) return;
  if (identity_.empty() && overwrites_files()) {
    throw value_error(
        "store: the plan reads an array that it writes, and could not be continued if it stopped: "
        "it calls a function object whose state has no bytes, or reads an array that other "
        "processes "
        "cannot open; store elsewhere");
  }
  for (std::size_t i = 0; i < plan_.operations.size(); ++i) {
    if (tasks_left_ && (*tasks_left_)[i].empty()) continue;
    for (const planned_operand& input : plan_.operations[i].inputs) {
      const planned_array& array = plan_.arrays[input.array];
      const std::optional<std::string> run = unfinished_run_of(array);
      if (!run) continue;
      const std::string name = std::get<stored_source>(array.placement).array->name();
      if (run_directory_ && !is_resumed_ && *run != identity_) run_directory_->remove();
      const std::string reason =
          *run == identity_
              ? "this run has overwritten some of it, and --tessera-resume=never is given, or the "
                "work directory has lost new elements; give it back, or store the array anew"
              : reason_of_note(*run);
      throw zarr_error(
          fmt::format("{}: cannot read '{}': {}", plan_.operations[i].op.name, name, reason));
    }
  }
}

void plan_workload::refuse_unfinished(const stored_placement& location) const {
  if (const auto* to = overwriting(location)) to->refuse_unfinished(identity_);
}

void plan_workload::create(live_array& array, const stored_placement& location,
                           bool is_overwriting) {
  const overwriting_destination* const to = overwriting(location);
  if (is_overwriting) leave_notes();
  if (to != nullptr) remove_stopped_appends(*to);
  const bool is_anew = to != nullptr && !is_overwriting && to->replaces_array();
  const std::string identity = location.is_intermediate || is_anew ? std::string() : identity_;
  set_sink(array, destination_of(array, location)->create(identity));
  if (!is_anew) return;
  // The note of a run that was stopped is void, as nothing of the array is left. It goes before the
  // mark: a continued run does not come here.
  to->remove_note();
  if (!identity_.empty()) array.sink->mark(identity_);
}

/// Removes the directories of the appends that the run to `to` makes impossible to continue: their
/// marks go with `create`.
void plan_workload::remove_stopped_appends(const overwriting_destination& to) const {
  for (const std::string& run : to.stopped_appends()) {
    if (!run.empty() && run != identity_) remove_stopped_run(plan_.spec.work_dir, run);
  }
}

/// Leaves the notes of all arrays that the plan overwrites, before the first change of any of them.
void plan_workload::leave_notes() const {
  forget_finished(plan_.spec.work_dir, record_of_whole_arrays(identity_));
  for (const overwriting_destination* to : overwritten()) {
    to->leave_note(identity_, plan_.spec.work_dir);
  }
}

/// Removes the notes. If there are several, a record makes all of them void before: a kill between
/// two of them would leave an array that no run could continue.
void plan_workload::remove_notes() const {
  const std::vector<const overwriting_destination*> destinations = overwritten();
  const std::string record = record_of_whole_arrays(identity_);
  const bool is_recorded = destinations.size() > 1 && !identity_.empty();
  if (is_recorded) remember_finished(plan_.spec.work_dir, record, {});
  for (const overwriting_destination* to : destinations) to->remove_note();
  if (is_recorded) forget_finished(plan_.spec.work_dir, record);
}

}  // namespace tessera
