// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The times of accesses that have a shortest period.

#include <chrono>

namespace tessera::job_arrays {

/// Tells when the next access is due. The first one is due at once.
class look_timer {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit look_timer(std::chrono::milliseconds period) : period_(period) {}

  /// Tells whether an access is due at `now`. The next one is due a period later then.
  [[nodiscard]] bool is_due(time_point now) {
    if (now < next_) return false;
    next_ = now + period_;
    return true;
  }

 private:
  std::chrono::milliseconds period_;
  time_point next_{};
};

}  // namespace tessera::job_arrays
