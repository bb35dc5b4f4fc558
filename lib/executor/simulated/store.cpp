// SPDX-License-Identifier: Apache-2.0
#include "executor/simulated/store.hpp"

#include "tessera/executor/simulated.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {

namespace {

/// Returns the bytes for each nanosecond; without a limit, so many that every time rounds to 0.
double rate_of(bytes per_second) {
  if (per_second == bytes{}) return 1e15;
  return static_cast<double>(per_second.count()) / 1e9;
}

}  // namespace

simulated_store::simulated_store(const simulated_options& options)
    : latency_(options.latency),
      request_rate_(rate_of(options.bandwidth)),
      total_rate_(rate_of(options.total_bandwidth)),
      max_requests_(options.max_requests > 0 ? static_cast<double>(options.max_requests)
                                             : std::numeric_limits<double>::infinity()) {}

void simulated_store::request(std::size_t worker, const simulated_transfer& moved,
                              session_time now) {
  constexpr double most = 1e9;
  const double num_connections = std::clamp(moved.in_flight, 1.0, max_requests_);
  const double count = std::min(moved.num_requests / num_connections, most);
  const double wait = static_cast<double>(latency_.count()) * count;
  waiting_.push_back(
      {worker, moved.size / num_connections, num_connections, session_time{std::llround(wait)}});
  serve_waiting(now);
}

void simulated_store::serve_waiting(session_time now) {
  while (!waiting_.empty() && num_open_ + waiting_.front().num_connections <= max_requests_) {
    num_open_ += waiting_.front().num_connections;
    starting_.emplace(now + waiting_.front().latency, waiting_.front());
    waiting_.pop_front();
  }
}

void simulated_store::withdraw(std::size_t worker, session_time now) {
  move_to(static_cast<double>(now.count()));
  const auto is_withdrawn = [worker](const waiting_request& request) {
    return request.worker == worker;
  };
  std::erase_if(waiting_, is_withdrawn);
  std::erase_if(starting_, [&](const auto& entry) { return is_withdrawn(entry.second); });
  std::erase_if(moving_, [worker](const auto& entry) { return entry.worker == worker; });
  count_connections();
  serve_waiting(now);
}

std::optional<session_time> simulated_store::next_event() const {
  if (starting_.empty() && moving_.empty()) return std::nullopt;
  if (moving_.empty()) return starting_.begin()->first;
  if (starting_.empty()) return next_end();
  return std::min(starting_.begin()->first, next_end());
}

std::optional<std::size_t> simulated_store::advance() {
  if (moving_.empty() || (!starting_.empty() && starting_.begin()->first < next_end())) {
    const auto [due, next] = *starting_.begin();
    starting_.erase(starting_.begin());
    move_to(static_cast<double>(due.count()));
    moving_.insert({moved_ + next.size, next.worker, next.num_connections});
    num_moving_ += next.num_connections;
    return std::nullopt;
  }
  const session_time now = next_end();
  const auto [moved, worker, num_connections] = *moving_.begin();
  time_ += std::max(0.0, moved - moved_) / rate();
  moved_ = moved;
  moving_.erase(moving_.begin());
  num_moving_ -= num_connections;
  num_open_ -= num_connections;
  if (moving_.empty()) count_connections();
  serve_waiting(now);
  return worker;
}

/// Counts anew: sums of fractions drift.
void simulated_store::count_connections() {
  num_moving_ = 0;
  for (const moving_request& moving : moving_) num_moving_ += moving.num_connections;
  num_open_ = num_moving_;
  for (const auto& [due, starting] : starting_) num_open_ += starting.num_connections;
}

double simulated_store::rate() const { return std::min(request_rate_, total_rate_ / num_moving_); }

session_time simulated_store::next_end() const {
  const double remaining = std::max(0.0, moving_.begin()->end - moved_);
  return session_time{std::llround(time_ + remaining / rate())};
}

void simulated_store::move_to(double time) {
  if (moving_.empty()) {
    moved_ = 0;
  } else {
    moved_ += rate() * std::max(0.0, time - time_);
  }
  time_ = std::max(time_, time);
}

}  // namespace tessera
