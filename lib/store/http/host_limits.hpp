// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The number of requests that a server gets at once.

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace tessera::http {

/// A window for the requests in flight: half as large when the server refuses requests because they
/// are too many, and one larger for each window of successes (additive increase, multiplicative
/// decrease; Chiu and Jain 1989).
class host_limits {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr std::size_t max_window = 64;

  [[nodiscard]] std::size_t window() const { return window_; }

  void note_success() {
    if (++num_successes_ < window_) return;
    num_successes_ = 0;
    window_ = std::min(window_ + 1, max_window);
  }
  /// Requests that began before the last refusal was noted do not count again.
  void note_refusal(time_point begin_of_request, time_point now) {
    if (begin_of_request < refused_) return;
    refused_ = now;
    num_successes_ = 0;
    window_ = std::max<std::size_t>(window_ / 2, 1);
  }

 private:
  std::size_t window_ = max_window;
  std::size_t num_successes_ = 0;
  time_point refused_{};
};

}  // namespace tessera::http
