// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts the attempts of tasks that failed, and holds them until they are tried again.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace tessera {

/// Counts the attempts of tasks that failed, and holds them until they are tried again.
class retries {
 public:
  explicit retries(const retry_policy& policy) : policy_(policy), draw_(policy.seed) {}

  /// Returns which attempt of the task is the next one, from one.
  [[nodiscard]] int next_attempt(std::size_t operation, index_t task) const;

  /// Counts a failed attempt and tells whether another one is worth while.
  [[nodiscard]] bool count_failure(std::size_t operation, index_t task,
                                   const std::exception_ptr& failure);

  /// Holds a task, one of whose attempts failed, until its pause is over.
  void pause(const task_batch& task, session_time now);

  /// Takes a task whose pause is over.
  [[nodiscard]] std::optional<task_batch> take_due(session_time now);

  /// Returns when the next pause is over.
  [[nodiscard]] std::optional<session_time> next_due() const;

 private:
  struct pausing {
    session_time due{};
    task_batch task;
  };

  retry_policy policy_;
  std::mt19937_64 draw_;
  std::map<std::pair<std::size_t, index_t>, int> failed_attempts_;
  std::vector<pausing> pausing_;
};

}  // namespace tessera
