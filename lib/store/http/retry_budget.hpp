// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The rate of the retries of a process.

#include <algorithm>
#include <chrono>

namespace tessera::http {

/// A bucket of tokens, one for each retry. It is refilled with time, and by successes. Retries
/// beyond it wait, so that a server that fails gets no more requests by its failures.
///
///     tokens(t) = min(capacity, tokens(t0) + rate (t - t0) + share * successes - retries)
class retry_budget {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr double capacity = 500;
  static constexpr double tokens_per_second = 50;
  static constexpr double tokens_per_success = 0.2;

  void note_success() { tokens_ = std::min(capacity, tokens_ + tokens_per_success); }

  /// Takes the token of a retry. Returns the time until the token is there.
  [[nodiscard]] clock::duration take(clock::time_point now) {
    if (last_ != clock::time_point{}) {
      const double seconds = std::chrono::duration<double>(now - last_).count();
      tokens_ = std::min(capacity, tokens_ + tokens_per_second * seconds);
    }
    last_ = now;
    tokens_ -= 1;
    const double missing = std::max(0.0, -tokens_) / tokens_per_second;
    return std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(missing));
  }

 private:
  double tokens_ = capacity;
  clock::time_point last_{};
};

}  // namespace tessera::http
