// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/bounded_plan.hpp"

#include "tessera/core/error.hpp"
#include "tessera/plan/planned.hpp"

#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/check_operation.hpp"
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

/// Returns the remedy for a task that needs too much memory.
std::string remedy(const planned_operation& planned) {
  if (!planned.what.body->may_shrink()) return "take smaller chunks or";
  return fmt::format(
      "it takes {} elements at once, and cannot take fewer; shorten these axes, or take",
      format_shape(planned.what.how.stream));
}

/// Returns why a plan exceeds the host memory, and the remedy.
std::string too_much_for_host(const memory_bound& bound_of_plan) {
  std::string parts;
  const auto add = [&parts](bytes part, const char* text) {
    if (part > bytes{0}) parts += fmt::format(", {} {}", format_short(part), text);
  };
  add(bound_of_plan.intermediates, "of arrays between tasks");
  const std::size_t num_others = std::max<std::size_t>(bound_of_plan.workers.count, 1) - 1;
  add(bound_of_plan.libraries * num_others, "that codecs and libraries keep on other workers");
  add(bound_of_plan.reserved, "that the processes hold themselves");
  const std::string limits =
      fmt::format("a task of {}{} together more than the host memory of {}",
                  format(bound_of_plan.task), parts, format(bound_of_plan.limit));
  if (bound_of_plan.results == bytes{0}) {
    return fmt::format(
        "the plan needs {}; take smaller chunks, fewer workers, or a host memory of "
        "at least {}",
        limits, format(bound_of_plan.least()));
  }
  return fmt::format(
      "the results take {} in memory{}, with {}; store the results instead of computing them into "
      "memory, or take a host memory of at least {}",
      format(bound_of_plan.results),
      bound_of_plan.reading > bytes{0}
          ? fmt::format(" and {} to read them", format(bound_of_plan.reading))
          : std::string(),
      limits, format(bound_of_plan.least()));
}

/// Returns the operation whose tasks need the most memory, or nullptr if there is no operation.
const planned_operation* find_largest(const bounded_plan::implementation& plan) {
  const auto largest = std::max_element(
      plan.operations.begin(), plan.operations.end(),
      [](const auto& a, const auto& b) { return a.buffers.peak_bytes() < b.buffers.peak_bytes(); });
  return largest == plan.operations.end() ? nullptr : &*largest;
}

/// Throws value_error if two outputs have one destination, or one lies inside another.
void check_destinations(const std::vector<plan_output>& outputs) {
  std::vector<array_destination::named> named;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].destination == nullptr) continue;
    named.emplace_back(outputs[i].destination.get(),
                       fmt::format("result {}, '{}',", i + 1, outputs[i].array->name));
  }
  check_together(named);
}

/// Throws value_error if an operation of the plan breaks a rule that its tasks rely on.
void check_rules(const bounded_plan::implementation& plan) {
  for (const planned_operation& planned : plan.operations) {
    std::vector<std::size_t> inputs;
    for (const planned_operand& input : planned.inputs) inputs.push_back(input.array);
    check_operation(planned.what, plan.arrays, inputs);
  }
}

}  // namespace

bounded_plan::bounded_plan(std::vector<plan_output> outputs, tessera::spec limits,
                           pass_switches passes, const plan_workers& workers) {
  check_costs(limits.costs);
  check_destinations(outputs);
  implementation_ =
      std::make_shared<const implementation>(make_plan(outputs, limits, passes, workers));
  if (passes.bound_memory) check_memory();
  check_rules(*implementation_);
}

std::size_t bounded_plan::num_operations() const { return implementation_->operations.size(); }

index_t bounded_plan::num_tasks() const {
  index_t total = 0;
  for (const planned_operation& planned : implementation_->operations) total += planned.num_tasks;
  return total;
}

bytes task_memory(const bounded_plan::implementation& plan) {
  const planned_operation* largest = find_largest(plan);
  return largest == nullptr ? plan.spec.reserved_memory : task_memory(*largest, plan.spec);
}

bytes bounded_plan::projected_memory() const { return task_memory(*implementation_); }

bytes bounded_plan::resident_memory() const {
  bytes most;
  for (const held_memory& in_use : memory_held(*implementation_)) {
    most = std::max(most, in_use.intermediates + in_use.results);
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

plan_cost bounded_plan::cost() const { return cost(num_workers_of(implementation_->workers)); }

plan_cost bounded_plan::cost(std::size_t num_workers) const {
  return cost_of(*implementation_, num_workers);
}

const spec& bounded_plan::spec() const { return implementation_->spec; }

void bounded_plan::check_memory() const {
  const planned_operation* largest = find_largest(*implementation_);
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
  const memory_bound total = bound();
  if (total.least() > total.limit) {
    throw memory_error(too_much_for_host(total));
  }
}

}  // namespace tessera
