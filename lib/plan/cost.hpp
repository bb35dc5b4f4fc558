// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// From planned operations to what they cost.

#include "tessera/plan/plan_cost.hpp"
#include "tessera/plan/planned.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// Returns what all tasks of `planned` cost on that many workers.
[[nodiscard]] plan_cost cost_of(const planned_operation& planned, const costs& figures,
                                std::size_t num_workers);

/// Returns a time for people: "0.987 s", "78,704 s".
[[nodiscard]] std::string format_time(costs::seconds time);

/// What an operation waits for: as its first task may begin, so many tasks of another have ended.
struct awaited_tasks {
  std::size_t operation = 0;
  index_t count = 0;
};

/// Sums up the costs of a plan's operations, which are added in an order in which they could run.
///
/// An operation begins once its first task may, and ends no sooner than a task's time behind all
/// that it reads from.
class plan_cost_sum {
 public:
  plan_cost_sum(const costs& figures, std::size_t num_workers)
      : figures_(figures), num_workers_(num_workers) {}

  /// Adds an operation that waits for others; they are counted as they were added.
  void add(const planned_operation& planned, const std::vector<awaited_tasks>& after);
  /// Adds one that begins when those of the numbers `after` have ended.
  void add_behind(const planned_operation& planned, const std::vector<std::size_t>& after);

  [[nodiscard]] plan_cost total() const;

 private:
  const costs& figures_;
  std::size_t num_workers_;
  plan_cost sum_;
  /// When each operation begins and has ended, and how long a task of it takes.
  struct span {
    costs::seconds begin{};
    costs::seconds end{};
    costs::seconds task{};
    index_t num_tasks = 0;
  };
  std::vector<span> spans_;
};

}  // namespace tessera
