// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A simulated store: the times of its requests by latency, bandwidth and shared limits.

#include "tessera/core/bytes.hpp"
#include "tessera/scheduler/executor.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tessera {

struct simulated_options;

/// A simulated store that serves the requests of a worker sequentially.
///
/// A transfer waits for a slot (at most `max_requests` at once), then for the latency of its
/// requests, and then moves its bytes. The n(t) transfers share the bandwidth (processor sharing):
/// each moves at the rate r(t) = min(r_1, R / n(t)), with the limits r_1 for each and R in total.
///
/// Virtual time: V(t), the integral of r, is the number of bytes that a transfer from the beginning
/// would have moved. A transfer of s bytes from time t_0 ends when V(t) = V(t_0) + s. This value is
/// fixed, so a change of n needs no update of the other transfers (fair queueing).
///
/// Invariant: times do not decrease from call to call, and are not after `next_event()`.
class simulated_store {
 public:
  explicit simulated_store(const simulated_options& options);

  /// Requests `size` bytes in `count` requests, an average.
  void request(std::size_t worker, bytes size, double count, session_time now);

  /// Cancels the requests of a worker.
  void withdraw(std::size_t worker, session_time now);

  /// Returns the time of the next event, or nullopt if there is no request.
  [[nodiscard]] std::optional<session_time> next_event() const;

  /// Moves the time to `next_event()`. Returns the worker of the transfer that has ended then, or
  /// nullopt if a transfer has begun.
  std::optional<std::size_t> advance();

 private:
  struct waiting_request {
    std::size_t worker = 0;
    double size = 0;
    session_time latency{};
  };

  [[nodiscard]] double rate() const;
  [[nodiscard]] session_time next_end() const;
  void move_to(double time);
  void serve_waiting(session_time now);

  session_time latency_;
  double request_rate_;  ///< in bytes for each nanosecond, as `total_rate_`
  double total_rate_;
  std::size_t max_requests_;
  std::deque<waiting_request> waiting_;  ///< for a slot
  /// The requests within their latency, by its end.
  std::multimap<session_time, waiting_request> starting_;
  /// The value of `moved_` at the end of each transfer, and the worker of the transfer.
  std::set<std::pair<double, std::size_t>> moving_;
  double moved_ = 0;  ///< the virtual time V, in bytes
  double time_ = 0;
};

}  // namespace tessera
