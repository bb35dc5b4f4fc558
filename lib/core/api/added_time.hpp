// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Measures a scope.

#include "core/api/stopwatch.hpp"

#include <chrono>

namespace tessera {

/// Adds the time of its life to a sum.
class added_time {
 public:
  explicit added_time(std::chrono::nanoseconds& sum) : sum_(sum) {}
  added_time(const added_time&) = delete;
  added_time& operator=(const added_time&) = delete;
  ~added_time() { sum_ += watch_.elapsed(); }

 private:
  std::chrono::nanoseconds& sum_;
  stopwatch watch_;
};

}  // namespace tessera
