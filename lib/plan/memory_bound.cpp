// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bound of a plan's memory on a host.
///
/// total = reserved + workers * task + intermediates + results + reading
/// with task = the largest arena and the memory of libraries, intermediates = the peak of arrays in
/// memory between operations, reading = the buffers to read results back from storage. Operations
/// may begin ahead of their turn: their arrays are counted as far as the limit has room for them.

#include "tessera/plan/memory_bound.hpp"

#include "core/api/host_memory.hpp"
#include "plan/api/host_bound.hpp"
#include "plan/api/library_memory.hpp"
#include "plan/build.hpp"
#include "plan/lifetimes.hpp"
#include "plan/room_for_task.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <variant>

namespace tessera {

namespace {

/// Returns the memory in which a process reads an output back, or 0 if the output is in memory.
bytes buffers_to_read(const planned_array& array) {
  const auto* placement = std::get_if<stored_placement>(&array.placement);
  if (placement == nullptr || !placement->is_intermediate) return bytes{0};
  const chunk_cost cost = placement->to->read_cost();
  return bytes{cost.decoded + cost.encoded + cost.workspace};
}

}  // namespace

bytes sum_of_parts(const memory_bound& bound) {
  return bound.reserved + bound.task * bound.workers.count + bound.intermediates + bound.results +
         bound.reading;
}

bytes memory_bound::total() const { return std::min(sum_of_parts(*this), limit); }

// Results are read back after the last task has ended.
bytes memory_bound::least() const {
  const bytes rest = results + reading;
  const bytes one_task = workers.count == 0 ? bytes{0} : task + libraries * (workers.count - 1);
  return reserved + intermediates +
         (reading > bytes{0} ? std::max(one_task, rest) : one_task + rest);
}

std::string memory_bound::terms() const {
  std::string text;
  if (total() == limit) text += "the host memory, for ";
  text += fmt::format("{} worker{} x {}", workers.count, workers.count == 1 ? "" : "s",
                      format_short(task));
  const auto add = [&text](bytes part, const char* text_of_part) {
    if (part > bytes{0}) text += fmt::format(", {} {}", format_short(part), text_of_part);
  };
  add(intermediates, "in between");
  add(results, "of results");
  add(reading, "to read them");
  add(reserved, workers.process > bytes{0} ? "of processes" : "reserved");
  return text;
}

bytes memory_of_tasks(const std::vector<const buffer_schedule*>& schedules) {
  std::size_t arena = 0;
  bytes libraries;
  for (const buffer_schedule* schedule : schedules) {
    arena = std::max(arena, schedule->arena_bytes());
    libraries = std::max(libraries, library_memory(*schedule));
  }
  return bytes{arena} + libraries;
}

bytes library_memory(const buffer_schedule& schedule) {
  return bytes{2 * schedule.external_bytes() + schedule.kept_bytes()};
}

bytes reserved_on_host(const spec& limits, const plan_workers& workers) {
  const bytes scheduler = std::max(limits.reserved_memory, workers.process);
  const bytes worker = std::max(limits.reserved_memory, workers.worker_process);
  return scheduler + (workers.are_processes ? worker * workers.count : bytes{0});
}

bytes host_limit(const spec& limits, const plan_workers& workers, bytes task, bytes results,
                 std::optional<bytes> known_installed) {
  if (limits.host_memory) return *limits.host_memory;
  const bytes installed = known_installed ? *known_installed : host_memory();
  if (workers.count == 0) return installed;
  const bytes reserved = std::min(limits.reserved_memory, limits.allowed_memory);
  // The heap may keep memory of libraries beyond the allowed memory of a task.
  const bytes allowed = std::min(std::max(limits.allowed_memory - reserved, task), installed);
  return std::min(installed, reserved_on_host(limits, workers) + allowed * workers.count + results);
}

memory_bound bound_of(const bounded_plan::implementation& plan) {
  return host_bound(plan, plan.workers);
}

namespace {

/// Returns the memory of the host that attempts at `plan` share; nullopt for a complete plan.
std::optional<bytes> installed_memory_of(const bounded_plan::implementation& plan) {
  if (plan.graph == nullptr) return std::nullopt;
  return plan.graph->graph[boost::graph_bundle].installed_memory;
}

/// Returns the bound of operations that run in turn; `arrays` gets the arrays in memory.
memory_bound bound_in_turn(const bounded_plan::implementation& plan, const plan_workers& workers,
                           resident_arrays& arrays) {
  memory_bound bound;
  bound.workers = workers;
  std::vector<const buffer_schedule*> schedules;
  for (const planned_operation& planned : plan.operations) schedules.push_back(&planned.buffers);
  bound.task = memory_of_tasks(schedules);
  for (const buffer_schedule* schedule : schedules) {
    bound.libraries = std::max(bound.libraries, library_memory(*schedule));
  }
  bound.reserved = reserved_on_host(plan.spec, workers);
  // Results that are read back count once for each output, results in memory once for each array.
  for (const std::size_t output : plan.outputs) {
    const bytes buffers = buffers_to_read(plan.arrays[output]);
    if (buffers == bytes{0}) continue;
    bound.results += plan.arrays[output].size() * workers.num_receivers;
    bound.reading = std::max(bound.reading, buffers * workers.num_receivers);
  }
  bytes in_memory;
  bytes present;
  for (const memory_in_use& in_use : find_memory_in_use(plan)) {
    const bytes new_arrays = in_use.new_intermediates + in_use.new_results;
    arrays.with_next = std::max(arrays.with_next, present + new_arrays);
    present = in_use.intermediates + in_use.results;
    arrays.most = std::max(arrays.most, present);
    arrays.total += new_arrays;
    in_memory += in_use.new_results;
  }
  // Intermediates that are freed before results are computed do not add to them.
  bound.intermediates = arrays.most - in_memory;
  bound.results += in_memory;
  bound.limit = host_limit(plan.spec, workers, bound.task, bound.results + bound.reading,
                           installed_memory_of(plan));
  return bound;
}

}  // namespace

memory_bound host_bound(const bounded_plan::implementation& plan, const plan_workers& workers) {
  resident_arrays arrays;
  memory_bound bound = bound_in_turn(plan, workers, arrays);
  // Operations may begin ahead of their turn if there is room.
  const bytes room = std::max(bound.limit, bound.least()) - bound.least();
  bound.intermediates += std::min(room, arrays.ahead(bound.task * workers.count));
  return bound;
}

bytes room_for_task(const bounded_plan::implementation& plan) {
  resident_arrays arrays;
  const memory_bound bound = bound_in_turn(plan, plan.workers, arrays);
  if (bound.workers.count == 0) {
    const bytes reserved = std::min(plan.spec.reserved_memory, plan.spec.allowed_memory);
    return std::max(bound.task, plan.spec.allowed_memory - reserved);
  }
  const bytes needed = sum_of_parts(bound);
  if (needed >= bound.limit) return bound.task;
  return bound.task + bytes{(bound.limit - needed).count() / bound.workers.count};
}

}  // namespace tessera
