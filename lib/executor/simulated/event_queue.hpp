// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What will happen to workers, in the order of time.

#include "tessera/scheduler/executor.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace tessera {

/// The moment at which what a worker does is over, unless it has ended that batch by then.
struct event {
  session_time due{};
  std::uint64_t number = 0;
  std::size_t worker = 0;
  /// How many batches the worker had ended when the event was made.
  std::uint64_t num_batches = 0;

  [[nodiscard]] bool operator>(const event& other) const {
    return std::pair(due, number) > std::pair(other.due, other.number);
  }
};

/// Events in the order of time; those at the same time in the order in which they were made.
class event_queue {
 public:
  void push(session_time due, std::size_t worker, std::uint64_t num_batches) {
    events_.push({due, num_made_++, worker, num_batches});
  }

  /// Returns when the first one is due.
  [[nodiscard]] std::optional<session_time> next() const {
    if (events_.empty()) return std::nullopt;
    return events_.top().due;
  }

  /// Takes the first one, which there is.
  [[nodiscard]] event take() {
    const event first = events_.top();
    events_.pop();
    return first;
  }

 private:
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::uint64_t num_made_ = 0;
};

}  // namespace tessera
