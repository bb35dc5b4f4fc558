// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/memory_bound.hpp"

#include "tessera/core/host_memory.hpp"
#include "tessera/plan/library_memory.hpp"

#include "plan/build.hpp"
#include "plan/lifetimes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <variant>

namespace tessera {

namespace {

/// Returns what one process needs to read an output back; nothing where it is in memory.
bytes buffers_to_read(const planned_array& array) {
  const auto* place = std::get_if<stored_place>(&array.place);
  if (place == nullptr || !place->is_intermediate) return bytes{0};
  const chunk_cost cost = place->to->read_cost();
  return bytes{cost.decoded + cost.encoded + cost.workspace};
}

}  // namespace

bytes sum_of_parts(const memory_bound& bound) {
  return bound.reserved + bound.task * bound.workers.count + bound.intermediates + bound.results +
         bound.reading;
}

bytes memory_bound::total() const { return std::min(sum_of_parts(*this), limit); }

// Results that are read back come when no task is left.
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
  const auto add = [&text](bytes part, const char* what) {
    if (part > bytes{0}) text += fmt::format(", {} {}", format_short(part), what);
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
  for (const buffer_schedule* each : schedules) {
    arena = std::max(arena, each->arena_bytes());
    libraries = std::max(libraries, library_memory(*each));
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

bytes host_limit(const spec& limits, const plan_workers& workers, bytes task, bytes results) {
  if (limits.host_memory) return *limits.host_memory;
  const bytes installed = host_memory();
  if (workers.count == 0) return installed;
  // What heaps keep beside a task may come on top of what it is allowed.
  const bytes allowed = std::max(limits.allowed_memory, limits.reserved_memory + task);
  return std::min(installed, std::min(allowed, installed) * workers.count + results);
}

memory_bound bound_of(const bounded_plan::implementation& plan) {
  const plan_workers& workers = plan.workers;
  memory_bound bound;
  bound.workers = workers;
  std::vector<const buffer_schedule*> schedules;
  for (const planned_operation& planned : plan.operations) schedules.push_back(&planned.buffers);
  bound.task = memory_of_tasks(schedules);
  for (const buffer_schedule* each : schedules) {
    bound.libraries = std::max(bound.libraries, library_memory(*each));
  }
  bound.reserved = reserved_on_host(plan.spec, workers);
  // What is read back is there once for each output, what is in memory once for each array.
  for (const std::size_t output : plan.outputs) {
    const bytes buffers = buffers_to_read(plan.arrays[output]);
    if (buffers == bytes{0}) continue;
    bound.results += plan.arrays[output].size() * workers.num_receivers;
    bound.reading = std::max(bound.reading, buffers * workers.num_receivers);
  }
  arrays_held arrays;
  bytes in_memory;
  bytes before;
  for (const held_memory& held : memory_held(plan)) {
    const bytes made = held.new_intermediates + held.new_results;
    arrays.with_next = std::max(arrays.with_next, before + made);
    before = held.intermediates + held.results;
    arrays.most = std::max(arrays.most, before);
    arrays.all += made;
    in_memory += held.new_results;
  }
  // Intermediates that are gone before results are made take nothing beside these.
  bound.intermediates = arrays.most - in_memory;
  bound.results += in_memory;
  bound.limit = host_limit(plan.spec, workers, bound.task, bound.results + bound.reading);
  // Operations begin before their turn where there is room for it.
  const bytes room = std::max(bound.limit, bound.least()) - bound.least();
  bound.intermediates += std::min(room, arrays.ahead(bound.task * workers.count));
  return bound;
}

}  // namespace tessera
