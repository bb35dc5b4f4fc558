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

/// Sums up the costs of a plan's operations, which are added in an order in which they could run.
class plan_cost_sum {
 public:
  plan_cost_sum(const costs& figures, std::size_t num_workers)
      : figures_(figures), num_workers_(num_workers) {}

  /// Adds an operation that begins when those of the numbers `after` have ended; numbers count
  /// operations as they were added.
  void add(const planned_operation& planned, const std::vector<std::size_t>& after);

  [[nodiscard]] plan_cost total() const;

 private:
  const costs& figures_;
  std::size_t num_workers_;
  plan_cost sum_;
  /// When each operation has ended.
  std::vector<costs::seconds> ends_;
};

}  // namespace tessera
