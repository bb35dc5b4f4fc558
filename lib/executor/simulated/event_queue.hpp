// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The future events of simulated workers, in the order of time.

#include "tessera/scheduler/executor.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace tessera {

/// The end of an activity of a worker. It is void if the worker has ended the batch before.
struct event {
  session_time due{};
  std::uint64_t number = 0;
  std::size_t worker = 0;
  /// The number of batches that the worker had ended at the creation of the event.
  std::uint64_t num_batches = 0;

  [[nodiscard]] bool operator>(const event& second) const {
    return std::pair(due, number) > std::pair(second.due, second.number);
  }
};

/// Events in the order of time. Events at the same time keep the order of their creation.
class event_queue {
 public:
  void push(session_time due, std::size_t worker, std::uint64_t num_batches) {
    events_.push({due, num_created_++, worker, num_batches});
  }

  /// Returns the time of the first event, or nullopt if the queue is empty.
  [[nodiscard]] std::optional<session_time> next() const {
    if (events_.empty()) return std::nullopt;
    return events_.top().due;
  }

  /// Removes the first event and returns it. Requires: the queue is not empty.
  [[nodiscard]] event take() {
    const event first = events_.top();
    events_.pop();
    return first;
  }

 private:
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::uint64_t num_created_ = 0;
};

}  // namespace tessera
