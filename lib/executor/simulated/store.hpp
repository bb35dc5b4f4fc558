// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store of which only the time is simulated that requests take: latency, bandwidth, and limits
/// that they share.

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

/// A store that serves the requests of each worker one after the other.
///
/// What a worker asks for at once waits for one of the places, then for the latency of each
/// request, and then moves its bytes. All that move bytes do so at the same rate (processor
/// sharing), so it is enough to know how much one that began first of all would have moved by now:
/// each request ends at a fixed value of that.
///
/// Time never goes back: a call's `now` is not before an earlier one's, nor after `next_event()`.
class simulated_store {
 public:
  explicit simulated_store(const simulated_options& options);

  /// Asks for `size` in `count` requests, an average.
  void request(std::size_t worker, bytes size, double count, session_time now);

  /// Takes a worker's requests back, if there are any.
  void withdraw(std::size_t worker, session_time now);

  /// Returns when something happens next.
  [[nodiscard]] std::optional<session_time> next_event() const;

  /// Goes to `next_event()`, and returns the worker whose request has ended then, if one has.
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
  std::deque<waiting_request> waiting_;  ///< for a place
  /// For their bytes, by when those come.
  std::multimap<session_time, waiting_request> starting_;
  /// What `moved_` is when a request ends, and its worker.
  std::set<std::pair<double, std::size_t>> moving_;
  double moved_ = 0;
  double time_ = 0;
};

}  // namespace tessera
