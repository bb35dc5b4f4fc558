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

/// Bytes in a number of requests, several of which are in flight at once, on average.
struct simulated_transfer {
  double size = 0;
  double num_requests = 1;
  double in_flight = 1;
};

/// A simulated store that serves the transfers of a worker sequentially.
///
/// A transfer of a worker has k connections, which share its requests and its bytes evenly. It
/// waits for k slots (of `max_requests`), then for the latency of the requests of a connection, and
/// then moves its bytes. The n(t) connections share the bandwidth (processor sharing): each moves
/// at the rate r(t) = min(r_1, R / n(t)), with the limits r_1 for each and R in total.
///
/// Virtual time: V(t), the integral of r, is the number of bytes that a connection from the
/// beginning would have moved. A transfer of s bytes from time t_0 ends when V(t) = V(t_0) + s / k.
/// This value is fixed, so a change of n needs no update of the other transfers (fair queueing).
///
/// Invariant: times do not decrease from call to call, and are not after `next_event()`.
class simulated_store {
 public:
  explicit simulated_store(const simulated_options& options);

  /// Requests `moved` for a worker.
  void request(std::size_t worker, const simulated_transfer& moved, session_time now);

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
    double size = 0;  ///< of a connection
    double num_connections = 1;
    session_time latency{};
  };
  /// A transfer that moves its bytes. The order is the one of ends, then of workers.
  struct moving_request {
    double end = 0;  ///< the value of `moved_` at its end
    std::size_t worker = 0;
    double num_connections = 1;

    [[nodiscard]] bool operator<(const moving_request& second) const {
      return std::pair(end, worker) < std::pair(second.end, second.worker);
    }
  };

  [[nodiscard]] double rate() const;
  [[nodiscard]] session_time next_end() const;
  void move_to(double time);
  void serve_waiting(session_time now);
  void count_connections();

  session_time latency_;
  double request_rate_;  ///< in bytes for each nanosecond, as `total_rate_`
  double total_rate_;
  double max_requests_;
  std::deque<waiting_request> waiting_;  ///< for a slot
  /// The requests within their latency, by its end.
  std::multimap<session_time, waiting_request> starting_;
  std::set<moving_request> moving_;
  /// The connections of the transfers in `moving_`; and of these and `starting_` together.
  double num_moving_ = 0;
  double num_open_ = 0;
  double moved_ = 0;  ///< the virtual time V, in bytes
  double time_ = 0;
};

}  // namespace tessera
