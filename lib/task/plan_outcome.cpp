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

}  // namespace tessera
