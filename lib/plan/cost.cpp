// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost model.
///
/// work = bytes and requests read and written / their rates, on one worker
///        + memory moved / memory bandwidth + element steps * time of a step + tasks * overhead
/// wall = max( work / workers,                            all workers busy
///             max over operations of their end,          the critical path
///             task * ceil(tasks that are as long / workers) )
/// merit = wall * sqrt(work), the lower the better
/// The root makes work count less than wall: twice the work is worth a wall time below 0.71.
/// Of requests that a task has in flight at once, in a ring, it waits for one alone.

#include "plan/cost.hpp"

#include "core/api/text.hpp"
#include "plan/api/rings.hpp"
#include "plan/saturating.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <ostream>

namespace tessera {

namespace {

double as_double(bytes size) { return static_cast<double>(size.count()); }

/// Returns `count` requests of tasks, `in_flight` at once by their rings, as a number of requests
/// by the figures.
double by_figures(index_t count, double in_flight, const costs& figures) {
  const auto usual = static_cast<double>(figures.requests_in_flight);
  return static_cast<double>(count) * usual / std::max(in_flight, usual);
}

}  // namespace

std::string format_time(costs::seconds time) {
  return time.count() < 100 ? fmt::format("{:.3g} s", time.count())
                            : with_commas(std::llround(time.count())) + " s";
}

double plan_cost::merit() const { return wall.count() * std::sqrt(work.count()); }

plan_cost cost_of(const planned_operation& planned, const costs& figures, std::size_t num_workers) {
  plan_cost cost{.num_operations = 1,
                 .num_tasks = planned.num_tasks,
                 .bytes_read = planned.bytes_read,
                 .bytes_written = planned.bytes_written,
                 .num_requests = saturating_add(planned.chunk_reads, planned.chunk_writes),
                 .memory_moved = planned.memory_moved,
                 .task = bytes{planned.buffers.peak_bytes()},
                 .num_workers = num_workers};
  cost.element_steps = planned.op.primitive->element_steps(planned.op.schedule);
  const auto num_tasks = static_cast<double>(planned.num_tasks);
  cost.work =
      figures.to_read(as_double(cost.bytes_read),
                      by_figures(planned.chunk_reads, reads_in_flight(planned), figures)) +
      figures.to_write(as_double(cost.bytes_written),
                       by_figures(planned.chunk_writes, writes_in_flight(planned), figures)) +
      costs::seconds{as_double(cost.memory_moved) / as_double(figures.memory_bandwidth)} +
      figures.element_step * cost.element_steps + figures.task * num_tasks;
  if (planned.num_tasks == 0) return cost;
  const double num_rounds = std::ceil(num_tasks / static_cast<double>(num_workers));
  cost.wall = cost.work * (num_rounds / num_tasks);
  if (figures.total_bandwidth) {
    const double moved = as_double(cost.bytes_read) + as_double(cost.bytes_written);
    cost.wall = std::max(cost.wall, costs::seconds{moved / as_double(*figures.total_bandwidth)});
  }
  return cost;
}

bool has_long_tasks(const plan_cost& cost, const spec& limits) {
  return cost.work > limits.task_time * static_cast<double>(cost.num_tasks);
}

costs::seconds work_of(const planned_operation& planned, const costs& figures) {
  return cost_of(planned, figures, 1).work;
}

plan_cost cost_of_both(const planned_operation& first, const planned_operation& second,
                       const costs& figures, std::size_t num_workers) {
  plan_cost_sum sum(figures, num_workers);
  sum.add_behind(first, {});
  sum.add_behind(second, {0});
  return sum.total();
}

void plan_cost_sum::add_behind(const planned_operation& planned,
                               const std::vector<std::size_t>& after) {
  std::vector<awaited_tasks> awaited;
  for (const std::size_t number : after) awaited.push_back({number, spans_[number].num_tasks});
  add(planned, awaited);
}

void plan_cost_sum::add(const planned_operation& planned, const std::vector<awaited_tasks>& after) {
  const plan_cost cost = cost_of(planned, figures_, num_workers_);
  sum_.num_operations += 1;
  sum_.num_tasks += cost.num_tasks;
  sum_.bytes_read += cost.bytes_read;
  sum_.bytes_written += cost.bytes_written;
  sum_.num_requests = saturating_add(sum_.num_requests, cost.num_requests);
  sum_.memory_moved += cost.memory_moved;
  sum_.element_steps += cost.element_steps;
  sum_.task = std::max(sum_.task, cost.task);
  sum_.work += cost.work;
  span next{.num_tasks = planned.num_tasks};
  if (planned.num_tasks > 0) next.task = cost.work / static_cast<double>(planned.num_tasks);
  for (const awaited_tasks& dependency : after) {
    const span& awaited = spans_[dependency.operation];
    const bool awaits_all = dependency.count >= awaited.num_tasks;
    const auto rounds =
        std::ceil(static_cast<double>(dependency.count) / static_cast<double>(num_workers_));
    next.begin =
        std::max(next.begin, awaits_all ? awaited.end : awaited.begin + rounds * awaited.task);
    next.end = std::max(next.end, awaited.end + next.task);
  }
  next.end = std::max(next.end, next.begin + cost.wall);
  spans_.push_back(next);
}

// Operations that run side by side share the workers. Of all tasks at least as long as a given one,
// some worker runs ceil(tasks / workers).
plan_cost plan_cost_sum::total() const {
  plan_cost total = sum_;
  total.num_workers = num_workers_;
  const auto num_workers = static_cast<double>(num_workers_);
  total.wall = total.work / num_workers;
  std::vector<span> longest_first = spans_;
  std::ranges::sort(longest_first, std::ranges::greater(), &span::task);
  double num_tasks = 0;
  for (const span& operation : longest_first) {
    num_tasks += static_cast<double>(operation.num_tasks);
    total.wall = std::max(total.wall, operation.task * std::ceil(num_tasks / num_workers));
  }
  for (const span& operation : spans_) total.wall = std::max(total.wall, operation.end);
  return total;
}

std::ostream& operator<<(std::ostream& out, const plan_cost& cost) {
  const auto counted = [](index_t count, const char* unit) {
    return fmt::format("{} {}{}", with_commas(count), unit, count == 1 ? "" : "s");
  };
  return out << fmt::format("{}, {} read, {} written, {}, {} a task; {} of work, {} on {}",
                            counted(cost.num_tasks, "task"), format_short(cost.bytes_read),
                            format_short(cost.bytes_written), counted(cost.num_requests, "request"),
                            format_short(cost.task), format_time(cost.work), format_time(cost.wall),
                            counted(static_cast<index_t>(cost.num_workers), "worker"));
}

}  // namespace tessera
