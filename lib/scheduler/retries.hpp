// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The attempts of failed tasks, and the pauses before their next attempts.

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

/// Counts the attempts of failed tasks, and holds each task until its pause is over.
///
/// Pauses double with each attempt (exponential backoff). A random half of a pause is subtracted,
/// so that tasks that failed together do not hit a store together again.
class retries {
 public:
  explicit retries(const retry_policy& policy) : policy_(policy), draw_(policy.seed) {}

  /// Returns the number of the next attempt of a task, counted from 1.
  [[nodiscard]] int next_attempt(std::size_t operation, index_t task) const;

  /// Counts a failed attempt and tells whether a further attempt may succeed.
  [[nodiscard]] bool count_failure(std::size_t operation, index_t task,
                                   const std::exception_ptr& failure);

  /// Holds a task until the pause after its failed attempt is over.
  void pause(const task_batch& task, session_time now);

  /// Removes a task with an elapsed pause and returns it, or nullopt if there is none.
  [[nodiscard]] std::optional<task_batch> take_due(session_time now);

  /// Returns the end of the next pause, or nullopt if no task pauses.
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
