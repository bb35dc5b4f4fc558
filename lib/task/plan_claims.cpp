// SPDX-License-Identifier: Apache-2.0
/// \file
/// The claims of a run on its results, and its refusals, before the first byte is written.
///
/// Requests that do not depend on each other are in flight at once if a result is far away:
///
///     identity of the run, locations of results  |  conditional writes of the server
///     claims
///     files that results would replace           |  notes in the sources

#include "core/api/call_at_once.hpp"
#include "plan/api/overwriting.hpp"
#include "plan/api/rings.hpp"
#include "task/api/control_requests.hpp"
#include "task/plan_workload.hpp"
#include "task/resumption.hpp"

#include <algorithm>
#include <future>
#include <system_error>
#include <variant>
#include <vector>

namespace tessera {

bool has_far_result(const bounded_plan::implementation& plan) {
  return std::ranges::any_of(plan.arrays, [](const planned_array& array) {
    const auto* location = std::get_if<stored_placement>(&array.placement);
    return location != nullptr && !location->is_intermediate && requests_of(array).has_value();
  });
}

namespace {

/// Returns the destinations of the stored results of a plan.
std::vector<const array_destination*> stored_results(const bounded_plan::implementation& plan) {
  std::vector<const array_destination*> results;
  for (const planned_array& array : plan.arrays) {
    const auto* location = std::get_if<stored_placement>(&array.placement);
    if (location != nullptr && !location->is_intermediate) results.push_back(location->to.get());
  }
  return results;
}

// Of an object store; s3_run_requests_test counts them.

/// The test of a server's conditional writes, once in a process. It takes longer than the state of
/// the sources, for the identity, and the documents and names at the results.
constexpr int trips_of_conditions = 3;
/// The turn, the other claims, the claim, and whether it is held.
constexpr int trips_of_claim = 4;
/// The documents and names at a result.
constexpr int trips_of_check = 1;
/// The attributes and the metadata of a new array, the consolidated metadata above it, and the mark
/// of the run.
constexpr int trips_of_creation = 4;
/// Whether the claim is held, and the state of the results; the removal of the mark; the end of the
/// claim.
constexpr int trips_of_end = 3;

/// Calls two functions, at once if a stored result of `plan` is far away.
template <class First, class Second>
void call_both(const bounded_plan::implementation& plan, First first, Second second) {
  if (has_far_result(plan)) return detail::call_at_once(first, second);
  first();
  second();
}

}  // namespace

control_round_trips control_round_trips_of(const bounded_plan& plan) {
  if (!has_far_result(plan.inside())) return {};
  return {trips_of_conditions + trips_of_claim + trips_of_check + trips_of_creation, trips_of_end};
}

// Without a thread, or after a failure, the first claim asks.
void plan_workload::prepare_claims() {
  if (preparation_.valid() || !has_far_result(plan_)) return;
  const auto ask = [this] {
    for (const array_destination* result : stored_results(plan_)) result->prepare_claim();
  };
  try {
    preparation_ = std::async(std::launch::async, ask);
  } catch (const std::system_error&) {
    return;
  }
}

/// Refuses results that cannot be stored, and finds the identity.
void plan_workload::examine_results() {
  prepare_claims();
  call_both(
      plan_, [this] { check_room(stored_results(plan_), plan_.spec.work_dir); },
      [this] {
        if (identity_.empty()) identity_ = identity();
      });
}

/// Claims all results before the first byte is written. The run holds all claims or none, so two
/// runs never wait for each other.
void plan_workload::claim_results() {
  claims_.clear();
  for (const array_destination* result : stored_results(plan_)) {
    claims_.push_back(result->claim(identity_));
  }
}

/// Throws if a result would replace a kept array, before anything is computed. Results that were
/// adopted from an earlier run are exempt.
void plan_workload::refuse_kept_arrays() {
  for (const live_array& array : arrays_) {
    const auto* location = std::get_if<stored_placement>(&array.planned->placement);
    if (location == nullptr || location->is_intermediate || array.sink != nullptr) continue;
    try {
      location->to->require_replaceable();
      refuse_unfinished(*location);
    } catch (...) {
      if (!is_resumed_) run_directory_->remove();
      throw;
    }
  }
}

/// Throws if a result would replace a kept array, or a source is being overwritten.
void plan_workload::refuse_results_and_sources() {
  call_both(
      plan_, [this] { refuse_kept_arrays(); }, [this] { refuse_unfinished_sources(); });
}

}  // namespace tessera
