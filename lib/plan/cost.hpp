// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The cost model: from planned operations to work and wall time.

#include "tessera/plan/plan_cost.hpp"

#include "plan/api/planned.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// Returns the cost of all tasks of `planned` on `num_workers`.
[[nodiscard]] plan_cost cost_of(const planned_operation& planned, const costs& figures,
                                std::size_t num_workers);

/// Returns the work of `planned`: the time of all its tasks one after the other.
[[nodiscard]] costs::seconds work_of(const planned_operation& planned, const costs& figures);

/// Returns the cost of two operations, of which the second waits for the first.
[[nodiscard]] plan_cost cost_of_both(const planned_operation& first,
                                     const planned_operation& second, const costs& figures,
                                     std::size_t num_workers);

/// Tells whether a task of an operation of `cost` takes longer than `spec.task_time` on average.
[[nodiscard]] bool has_long_tasks(const plan_cost& cost, const spec& limits);

/// Returns a time as text: "0.987 s", "78,704 s".
[[nodiscard]] std::string format_time(costs::seconds time);

/// A dependency of an operation: its first task begins after `count` tasks of another have ended.
struct awaited_tasks {
  std::size_t operation = 0;
  index_t count = 0;
};

/// The sum of the costs of a plan's operations, which are added in topological order.
///
/// An operation begins as soon as its first task may, and ends at least one task after its
/// predecessors have ended.
class plan_cost_sum {
 public:
  plan_cost_sum(const costs& figures, std::size_t num_workers)
      : figures_(figures), num_workers_(num_workers) {}

  /// Adds an operation with its dependencies, numbered in the order in which operations were added.
  void add(const planned_operation& planned, const std::vector<awaited_tasks>& after);
  /// Adds an operation that begins when the operations `after` have ended.
  void add_behind(const planned_operation& planned, const std::vector<std::size_t>& after);

  [[nodiscard]] plan_cost total() const;

 private:
  const costs& figures_;
  std::size_t num_workers_;
  plan_cost sum_;
  /// The begin and the end of an operation, and the time of one of its tasks.
  struct span {
    costs::seconds begin{};
    costs::seconds end{};
    costs::seconds task{};
    index_t num_tasks = 0;
  };
  std::vector<span> spans_;
};

}  // namespace tessera
