// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What simulated attempts of tasks draw: how long they take, and how they end.

#include "tessera/executor/simulated.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace tessera {

enum class attempt_end { good, failed, lost };

struct simulated_attempt {
  session_time time{};
  attempt_end end = attempt_end::good;
};

/// Draws attempts of tasks.
///
/// A draw is made of the seed, the task and how often it was started before: neither the time nor
/// the worker changes it.
class simulated_tasks {
 public:
  explicit simulated_tasks(const simulated_options& options) : options_(options) {}

  /// Returns how the next attempt of a task goes.
  [[nodiscard]] simulated_attempt start(const workload_operation& operation, std::size_t number,
                                        index_t task);

  /// Forgets a task that has ended well.
  void end(std::size_t operation, index_t task);

  /// Returns how long a worker takes to start, which has ended `num_batches` batches.
  [[nodiscard]] session_time start_up(std::size_t worker, std::uint64_t num_batches) const;

 private:
  const simulated_options& options_;
  /// Of tasks that have not ended well.
  std::unordered_map<std::uint64_t, std::uint64_t> num_starts_;
};

}  // namespace tessera
