// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Times of a session as numbers of seconds.

#include "tessera/scheduler/executor.hpp"

#include <chrono>

namespace tessera {

/// Returns `time` in seconds.
[[nodiscard]] inline double seconds_of(session_time time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace tessera
