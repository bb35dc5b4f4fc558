// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses how many chunks of remote arrays tasks have in flight, to be read and to be written.
///
/// A request takes t = latency + bytes / bandwidth of one request. V workers that share R bytes a
/// second keep the network busy with R t / (V bytes) requests each. Further requests gain nothing.
/// Nor do more requests than a task has, or than the store answers at once. The only request of a
/// block has nothing to overlap with. The index of a shard is read before its chunks are in flight.
///
/// Rings come last: they take the memory that is left, are halved until they fit, and push nothing
/// out. A ring lives in all steps, as requests write to it at any time.
/// Invariant: a plan that keeps to its limits does so with rings.

#include "plan/api/rings.hpp"

#include "core/api/array_kinds.hpp"
#include "core/api/location_names.hpp"
#include "core/api/remote_array.hpp"
#include "core/api/text.hpp"
#include "plan/api/library_memory.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/room_for_task.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <variant>

namespace tessera {

namespace {

/// Returns the time of a request for the most bytes.
std::chrono::duration<double> time_of_request(const request_cost& cost) {
  std::chrono::duration<double> time = cost.latency;
  if (cost.bandwidth > bytes{0}) {
    time += std::chrono::duration<double>(static_cast<double>(cost.largest) /
                                          static_cast<double>(cost.bandwidth.count()));
  }
  return time;
}

/// A window or an output of an operation, and its requests to a store that is far away.
struct ring_user {
  planned_ring* ring;
  std::optional<request_cost> cost;
  /// Of all tasks.
  index_t num_requests;
  buffer_array array;
};

/// Returns the user of each size of `ring_sizes`. The costs of near arrays are nullopt.
std::vector<ring_user> ring_users(const bounded_plan::implementation& plan,
                                  planned_operation& planned) {
  std::vector<ring_user> users;
  for (planned_window& window : planned.windows) {
    const std::size_t operand = window.operands.front();
    const planned_array& array = plan.arrays[planned.inputs[operand].array];
    users.push_back({&window.ring, requests_of(planned, window, array), window.chunk_reads,
                     buffer_array::operand(operand)});
  }
  for (std::size_t i = 0; i < planned.outputs.size(); ++i) {
    planned_result& result = planned.outputs[i];
    const std::optional<request_cost> cost = requests_of(plan.arrays[result.array]);
    users.push_back({&result.ring, cost, result.chunk_writes, buffer_array::output(i)});
    if (cost && !cost->has_writes) users.back().cost.reset();
  }
  return users;
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

/// Returns the best number of requests in flight for a block of a task of a worker of `host`.
std::size_t wanted_places(const request_cost& cost, const costs& figures, index_t requests_of_block,
                          const plan_workers& host) {
  const std::size_t workers = std::max<std::size_t>(1, host.count);
  const auto workers_of_process = static_cast<double>(host.are_processes ? 1 : workers);
  const double full_wire = requests_of_full_wire(cost, bandwidth_of_host(figures), workers);
  const double answered =
      std::max(1.0, static_cast<double>(cost.most_in_flight) / workers_of_process);
  return static_cast<std::size_t>(
      std::min({full_wire, answered, static_cast<double>(requests_of_block),
                static_cast<double>(tuning.most_in_ring)}));
}

/// Returns the best number of ring places for each window and each output of `planned`.
std::vector<std::size_t> wanted_sizes(const bounded_plan::implementation& plan,
                                      planned_operation& planned, const costs& figures) {
  std::vector<std::size_t> sizes;
  index_t requests_of_block = 0;
  const index_t num_blocks = planned.op.schedule.blocks().size();
  for (const ring_user& user : ring_users(plan, planned)) {
    const index_t requests = num_blocks == 0 ? 0 : ceil_divide(user.num_requests, num_blocks);
    sizes.push_back(user.cost ? wanted_places(*user.cost, figures, requests, plan.workers) : 0);
    if (user.cost) requests_of_block += requests;
  }
  if (requests_of_block == 1) std::ranges::fill(sizes, 0);
  return sizes;
}

/// The requests of all tasks, and the time that they take, in requests one behind the other.
/// Requests of one block are in flight together.
class overlapped_requests {
 public:
  explicit overlapped_requests(const loop_schedule& schedule)
      : num_blocks_(std::max<index_t>(1, schedule.blocks().size())) {}

  /// Adds `count` requests, `num_alone` of which are for few bytes, and are not in the ring.
  void add(index_t count, const planned_ring& ring, index_t num_alone = 0) {
    const double alone = ring.share_of_latency * static_cast<double>(num_alone);
    const auto in_ring = static_cast<double>(count - num_alone);
    const double of_block = in_ring / static_cast<double>(num_blocks_);
    num_requests_ += in_ring + alone;
    num_waits_ +=
        in_ring / std::max(1.0, std::min(static_cast<double>(ring.num_places), of_block)) + alone;
  }
  [[nodiscard]] double in_flight() const {
    return num_waits_ > 0 ? num_requests_ / num_waits_ : 1.0;
  }

 private:
  index_t num_blocks_;
  double num_requests_ = 0;
  double num_waits_ = 0;
};

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
  const planned_operation without = planned;
  while (true) {
    const auto largest = std::ranges::max_element(sizes);
    if (*largest == 0) return;
    add_rings(plan, planned, sizes);
    if (limit.admits(planned)) return limit.use(planned);
    planned = without;
    *largest /= 2;
  }
}

}  // namespace

std::optional<request_cost> requests_of(const planned_array& array) {
  const remote_array* remote = nullptr;
  if (const auto* const source = std::get_if<stored_source>(&array.placement)) {
    remote = dynamic_cast<const remote_array*>(source->array.get());
  } else if (const auto* const stored = std::get_if<stored_placement>(&array.placement)) {
    remote = dynamic_cast<const remote_array*>(stored->to.get());
  }
  return remote == nullptr ? std::nullopt : remote->requests();
}

std::optional<request_cost> requests_of_intermediate(const planned_array& array,
                                                     const spec& limits) {
  if (!is_location(limits.work_dir)) return std::nullopt;
  const auto to = make_intermediate(0, array.type, array.shape, array.chunks, limits);
  const auto* const remote = dynamic_cast<const remote_array*>(to.get());
  return remote == nullptr ? std::nullopt : remote->requests();
}

std::optional<request_cost> requests_of(const planned_operation& planned,
                                        const planned_window& window, const planned_array& array) {
  const std::size_t operand = window.operands.front();
  std::optional<request_cost> cost = requests_of(array);
  const bool is_by_chunk = planned.inputs[operand].access == operand_access::whole_chunk ||
                           planned.op.operands[operand].gather() != nullptr;
  if (cost && !cost->has_boxes && !is_by_chunk) return std::nullopt;
  return cost;
}

double requests_of_full_wire(const request_cost& cost, double bandwidth, std::size_t num_workers) {
  const auto size = static_cast<double>(cost.largest);
  return std::ceil(bandwidth * time_of_request(cost).count() /
                   (static_cast<double>(num_workers) * size));
}

double bandwidth_of_host(const costs& figures) {
  return figures.total_bandwidth ? static_cast<double>(figures.total_bandwidth->count())
                                 : tuning.usual_bandwidth;
}

bool has_rings(const planned_operation& planned) {
  const auto has_ring = [](const auto& user) { return user.ring.num_places > 0; };
  return std::ranges::any_of(planned.windows, has_ring) ||
         std::ranges::any_of(planned.outputs, has_ring);
}

double reads_in_flight(const planned_operation& planned) {
  overlapped_requests requests(planned.op.schedule);
  for (const planned_window& window : planned.windows) {
    requests.add(window.chunk_reads, window.ring, window.index_reads);
  }
  return requests.in_flight();
}

double writes_in_flight(const planned_operation& planned) {
  overlapped_requests requests(planned.op.schedule);
  for (const planned_result& result : planned.outputs) {
    requests.add(result.chunk_writes, result.ring);
  }
  return requests.in_flight();
}

std::string describe_ring(const planned_operation& planned, const planned_ring& ring) {
  if (ring.num_places == 0) return "";
  return fmt::format(" with {} chunk{} in flight in {}", ring.num_places,
                     ring.num_places == 1 ? "" : "s",
                     format_short(bytes{planned.buffers.buffers()[ring.buffer].size}));
}

std::vector<std::size_t> ring_sizes(const planned_operation& planned) {
  std::vector<std::size_t> sizes;
  for (const planned_window& window : planned.windows) sizes.push_back(window.ring.num_places);
  for (const planned_result& result : planned.outputs) sizes.push_back(result.ring.num_places);
  return sizes;
}

void add_rings(const bounded_plan::implementation& plan, planned_operation& planned,
               const std::vector<std::size_t>& sizes) {
  const std::size_t last_step = last_step_of(planned.buffers);
  const std::vector<ring_user> users = ring_users(plan, planned);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto& [ring, cost, num_requests, array] = users[i];
    if (sizes[i] == 0 || !cost) continue;
    ring->buffer =
        planned.buffers.add("chunks in flight", sizes[i] * cost->largest, 0, last_step, array);
    ring->num_places = sizes[i];
    ring->share_of_latency = cost->latency / time_of_request(*cost);
    kept += sizes[i] * cost->kept;
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
