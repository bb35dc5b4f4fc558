// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/bounded_plan.hpp"

#include "tessera/core/error.hpp"
#include "tessera/plan/planned.hpp"

#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/lifetimes.hpp"
#include "plan/words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <variant>

namespace tessera {

namespace {

/// Returns the largest buffers of an operation, for an error: "u: chunk 200 MB, scratch 49 kB".
std::string largest_buffers(const planned_operation& planned) {
  constexpr std::size_t most = 6;
  std::vector<scheduled_buffer> buffers = planned.buffers.buffers();
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const auto& a, const auto& b) { return a.size > b.size; });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, buffers.size()); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", buffers[i].name,
                        format_short(bytes{buffers[i].size}));
  }
  if (buffers.size() > most) text += fmt::format(" and {} smaller ones", buffers.size() - most);
  return text;
}

/// Returns what to do where a task of an operation needs too much memory.
std::string remedy(const planned_operation& planned) {
  if (!planned.what.body->may_shrink()) return "take smaller chunks or";
  return fmt::format(
      "it takes {} elements at once, and cannot take fewer; shorten these axes, or take",
      format_shape(planned.what.how.stream));
}

/// Returns the operation whose tasks need the most memory; null for a plan without any.
const planned_operation* worst(const bounded_plan::implementation& plan) {
  const auto found = std::max_element(
      plan.operations.begin(), plan.operations.end(),
      [](const auto& a, const auto& b) { return a.buffers.peak_bytes() < b.buffers.peak_bytes(); });
  return found == plan.operations.end() ? nullptr : &*found;
}

/// Tells whether all is in memory that a pass has put between operations for that.
bool holds_all_for_memory(const bounded_plan::implementation& plan) {
  return std::none_of(plan.arrays.begin(), plan.arrays.end(), [](const planned_array& array) {
    return array.is_for_memory && !std::holds_alternative<memory_place>(array.place);
  });
}

/// Returns a plan before anybody has asked whether it keeps to the memory. Passes keep tasks to
/// `allowed`.
bounded_plan::implementation make(const std::vector<plan_output>& outputs, const spec& limits,
                                  const pass_switches& passes, const plan_workers& workers,
                                  bytes allowed) {
  const auto made_with = [&](const plan_workers* in_memory, bool may_keep) {
    std::shared_ptr<plan_graph> graph = collect(outputs);
    graph->may_keep = may_keep;
    spec for_passes = limits;
    for_passes.allowed_memory = allowed;
    run_passes(*graph, for_passes, passes, nullptr, in_memory);
    graph->origin = plan_origin{outputs, passes, in_memory != nullptr, allowed};
    return place(std::move(graph), limits, workers, passes.memory_tier);
  };
  if (!passes.memory_tier) return made_with(nullptr, false);
  bounded_plan::implementation plan = made_with(&workers, true);
  // Where there was less room than a pass took there to be, none is counted on; at first not for
  // what is stored anyway.
  if (!holds_all_for_memory(plan) && !plan.graph->kept.empty()) plan = made_with(&workers, false);
  return holds_all_for_memory(plan) ? plan : made_with(nullptr, false);
}

/// Returns a plan whose tasks are no larger than results leave room for on the host, where there is
/// one.
bounded_plan::implementation make(const std::vector<plan_output>& outputs, const spec& limits,
                                  const pass_switches& passes, const plan_workers& workers) {
  bytes allowed = limits.allowed_memory;
  bounded_plan::implementation plan = make(outputs, limits, passes, workers, allowed);
  if (!passes.bound_memory) return plan;
  // What libraries take beside a task is not known before there is one.
  constexpr int most_attempts = 3;
  memory_bound bound = bound_of(plan);
  allowed = std::min(allowed, limits.reserved_memory + bound.task);
  for (int attempt = 0; attempt < most_attempts && bound.least() > bound.limit; ++attempt) {
    const bytes excess = bound.least() - bound.limit;
    if (excess >= allowed) break;
    allowed = allowed - excess;
    bounded_plan::implementation smaller = make(outputs, limits, passes, workers, allowed);
    bound = bound_of(smaller);
    if (bound.least() <= bound.limit) return smaller;
  }
  return plan;
}

/// Throws where the outputs stand in each other's way.
void check_destinations(const std::vector<plan_output>& outputs) {
  std::vector<array_destination::named> named;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].destination == nullptr) continue;
    named.emplace_back(outputs[i].destination.get(),
                       fmt::format("result {}, '{}',", i + 1, outputs[i].array->name));
  }
  check_together(named);
}

}  // namespace

bounded_plan::bounded_plan(std::vector<plan_output> outputs, tessera::spec limits,
                           pass_switches passes, const plan_workers& workers) {
  check_costs(limits.costs);
  check_destinations(outputs);
  implementation_ = std::make_shared<const implementation>(make(outputs, limits, passes, workers));
  if (passes.bound_memory) check_memory();
}

std::size_t bounded_plan::num_operations() const { return implementation_->operations.size(); }

index_t bounded_plan::num_tasks() const {
  index_t total = 0;
  for (const planned_operation& planned : implementation_->operations) total += planned.num_tasks;
  return total;
}

bytes bounded_plan::projected_memory() const {
  const planned_operation* largest = worst(*implementation_);
  return largest == nullptr ? spec().reserved_memory : task_memory(*largest, spec());
}

bytes bounded_plan::resident_memory() const {
  bytes most;
  for (const held_memory& held : memory_held(*implementation_)) {
    most = std::max(most, held.intermediates + held.results);
  }
  return most;
}

memory_bound bounded_plan::bound() const { return bound_of(*implementation_); }

bytes bounded_plan::bytes_read() const {
  bytes total;
  for (const planned_operation& planned : implementation_->operations) total += planned.bytes_read;
  return total;
}

bytes bounded_plan::bytes_written() const {
  bytes total;
  for (const planned_operation& planned : implementation_->operations) {
    total += planned.bytes_written;
  }
  return total;
}

plan_cost bounded_plan::cost() const {
  return cost(std::max<std::size_t>(1, implementation_->workers.count));
}

plan_cost bounded_plan::cost(std::size_t num_workers) const {
  plan_cost_sum sum(spec().costs, num_workers);
  for (const planned_operation& planned : implementation_->operations) {
    sum.add(planned, planned.after);
  }
  return sum.total();
}

const spec& bounded_plan::spec() const { return implementation_->spec; }

void bounded_plan::check_memory() const {
  const planned_operation* largest = worst(*implementation_);
  if (largest == nullptr) return;
  const bytes needed = task_memory(*largest, spec());
  if (needed > spec().allowed_memory) {
    throw memory_error(fmt::format(
        "{}: a task of '{}' needs {}, but the allowed memory is {}; its buffers are {}{}; {} an "
        "allowed memory of at least {}",
        largest->what.name, largest->label, format(needed), format(spec().allowed_memory),
        largest_buffers(*largest),
        spec().reserved_memory.count() == 0
            ? std::string()
            : fmt::format(", and {} are reserved", format_short(spec().reserved_memory)),
        remedy(*largest), format(needed)));
  }
  const memory_bound whole = bound();
  if (whole.least() > whole.limit) {
    throw memory_error(fmt::format(
        "the results take {} in memory{}, with a task of {} together more than the host memory of "
        "{}; store the results instead of computing them into memory, or take a host memory of at "
        "least {}",
        format(whole.results),
        whole.reading > bytes{0} ? fmt::format(" and {} to read them", format(whole.reading))
                                 : std::string(),
        format(whole.task), format(whole.limit), format(whole.least())));
  }
}

}  // namespace tessera
