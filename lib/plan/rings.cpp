// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses how many chunks of remote arrays tasks have in flight.
///
/// A request takes t = latency + bytes / bandwidth of one request. V workers that share R bytes a
/// second keep the network busy with R t / (V bytes) requests each. Further requests gain nothing.
/// Nor do more requests than a task has reads, or than the store answers at once.
///
/// Rings come last: they take the memory that is left, are halved until they fit, and push nothing
/// out. A ring lives in all steps, as requests write to it at any time.
/// Invariant: a plan that keeps to its limits does so with rings.

#include "plan/api/rings.hpp"

#include "core/api/remote_source.hpp"
#include "core/api/text.hpp"
#include "plan/api/library_memory.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/room_for_task.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <variant>

namespace tessera {

namespace {

constexpr const char* ring_use = "chunks in flight";

/// The bandwidth of the network of a host in bytes a second, if costs state none.
constexpr double usual_bandwidth = 1e9;

const planned_array& array_of(const bounded_plan::implementation& plan,
                              const planned_operation& planned, const planned_window& window) {
  return plan.arrays[planned.inputs[window.operands.front()].array];
}

/// Returns the last step in which a buffer of a task lives.
std::size_t last_step_of(const buffer_schedule& buffers) {
  std::size_t last = 0;
  for (const scheduled_buffer& buffer : buffers.buffers()) {
    const bool is_kept = buffer.last_step == std::numeric_limits<std::size_t>::max();
    if (!is_kept) last = std::max(last, buffer.last_step);
  }
  return last;
}

/// Returns the best number of requests in flight for a task of a worker of `host`.
std::size_t wanted_places(const request_cost& cost, const costs& figures, index_t reads_of_task,
                          const plan_workers& host) {
  const auto workers = static_cast<double>(std::max<std::size_t>(1, host.count));
  const double workers_of_process = host.are_processes ? 1 : workers;
  const auto size = static_cast<double>(cost.largest);
  const double rate = figures.total_bandwidth
                          ? static_cast<double>(figures.total_bandwidth->count())
                          : usual_bandwidth;
  double time = cost.latency.count();
  if (cost.bandwidth > bytes{0}) time += size / static_cast<double>(cost.bandwidth.count());
  const double full_wire = std::ceil(rate * time / (workers * size));
  const double answered =
      std::max(1.0, static_cast<double>(cost.most_in_flight) / workers_of_process);
  const auto most = static_cast<double>(most_in_ring);
  const double reads = static_cast<double>(reads_of_task);
  return static_cast<std::size_t>(std::min({full_wire, answered, reads, most}));
}

/// Returns the best number of ring places for each window of `planned`.
std::vector<std::size_t> wanted_sizes(const bounded_plan::implementation& plan,
                                      const planned_operation& planned, const costs& figures) {
  std::vector<std::size_t> sizes(planned.windows.size(), 0);
  if (planned.num_tasks == 0) return sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const planned_window& window = planned.windows[i];
    const bool is_gathered = planned.op.operands[window.operands.front()].gather() != nullptr;
    const remote_source* const source = remote_source_of(array_of(plan, planned, window));
    if (is_gathered || source == nullptr) continue;
    const index_t reads = ceil_divide(window.chunk_reads, planned.num_tasks);
    sizes[i] = wanted_places(*source->requests(), figures, reads, plan.workers);
  }
  return sizes;
}

/// The memory that tasks may use, and the memory that they use already.
class task_limit {
 public:
  explicit task_limit(const bounded_plan::implementation& plan)
      : spec_(plan.spec), limit_(room_for_task(plan)) {
    for (const planned_operation& planned : plan.operations) use(planned);
  }

  /// Tells whether tasks of `planned` fit beside the tasks of all operations.
  [[nodiscard]] bool admits(const planned_operation& planned) const {
    const buffer_schedule& buffers = planned.buffers;
    const bytes arena = std::max(arena_, bytes{buffers.arena_bytes()});
    const bytes libraries = std::max(libraries_, library_memory(buffers));
    return fits(planned, spec_) && arena + libraries <= limit_;
  }

  void use(const planned_operation& planned) {
    arena_ = std::max(arena_, bytes{planned.buffers.arena_bytes()});
    libraries_ = std::max(libraries_, library_memory(planned.buffers));
  }

 private:
  const spec& spec_;
  bytes limit_;
  bytes arena_;
  bytes libraries_;
};

/// Gives `planned` the largest rings that `limit` admits.
void add_largest_rings(const bounded_plan::implementation& plan, planned_operation& planned,
                       std::vector<std::size_t> sizes, task_limit& limit) {
  if (std::ranges::all_of(sizes, [](std::size_t size) { return size == 0; })) return;
  const buffer_schedule without = planned.buffers;
  while (true) {
    const auto largest = std::ranges::max_element(sizes);
    if (*largest == 0) return;
    add_rings(plan, planned, sizes);
    if (limit.admits(planned)) return limit.use(planned);
    planned.buffers = without;
    *largest /= 2;
  }
}

}  // namespace

const remote_source* remote_source_of(const planned_array& array) {
  const auto* const stored = std::get_if<stored_source>(&array.placement);
  if (stored == nullptr) return nullptr;
  const auto* const source = dynamic_cast<const remote_source*>(stored->array.get());
  return source != nullptr && source->requests() ? source : nullptr;
}

bool has_rings(const planned_operation& planned) {
  return std::ranges::any_of(planned.buffers.buffers(),
                             [](const scheduled_buffer& buffer) { return buffer.use == ring_use; });
}

planned_ring ring_of(const planned_operation& planned, const planned_window& window,
                     const remote_source& source) {
  const std::vector<scheduled_buffer>& buffers = planned.buffers.buffers();
  const auto ring = std::ranges::find_if(buffers, [&](const scheduled_buffer& buffer) {
    return buffer.use == ring_use && buffer.array.position == window.operands.front();
  });
  if (ring == buffers.end()) return {};
  return {static_cast<std::size_t>(ring - buffers.begin()),
          ring->size / source.requests()->largest};
}

std::string describe_ring(const planned_operation& planned, const planned_window& window,
                          const planned_array& array) {
  const remote_source* const source = remote_source_of(array);
  const planned_ring ring = source == nullptr ? planned_ring{} : ring_of(planned, window, *source);
  if (ring.num_places == 0) return "";
  return fmt::format(" with {} chunk{} in flight in {}", ring.num_places,
                     ring.num_places == 1 ? "" : "s",
                     format_short(bytes{planned.buffers.buffers()[ring.buffer].size}));
}

std::vector<std::size_t> ring_sizes(const bounded_plan::implementation& plan,
                                    const planned_operation& planned) {
  std::vector<std::size_t> sizes;
  for (const planned_window& window : planned.windows) {
    const remote_source* const source = remote_source_of(array_of(plan, planned, window));
    sizes.push_back(source == nullptr ? 0 : ring_of(planned, window, *source).num_places);
  }
  return sizes;
}

void add_rings(const bounded_plan::implementation& plan, planned_operation& planned,
               const std::vector<std::size_t>& sizes) {
  const std::size_t last_step = last_step_of(planned.buffers);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const planned_window& window = planned.windows[i];
    const remote_source* const source = remote_source_of(array_of(plan, planned, window));
    if (sizes[i] == 0 || source == nullptr) continue;
    const request_cost cost = *source->requests();
    planned.buffers.add(ring_use, sizes[i] * cost.largest, 0, last_step,
                        buffer_array::operand(window.operands.front()));
    kept += sizes[i] * cost.kept;
  }
  if (kept > 0) planned.buffers.add_kept("connections", kept);
  planned.buffers.lay_out();
}

void add_rings(bounded_plan::implementation& plan) {
  const costs figures = costs_on(plan.spec, plan.workers);
  task_limit limit(plan);
  for (planned_operation& planned : plan.operations) {
    add_largest_rings(plan, planned, wanted_sizes(plan, planned, figures), limit);
  }
}

}  // namespace tessera
