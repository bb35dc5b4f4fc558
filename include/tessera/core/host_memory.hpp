// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of this host.

#include "tessera/core/bytes.hpp"

#include <algorithm>

namespace tessera {

/// Returns the memory that this process may use on its host: what is installed, or the limit of its
/// control groups (versions 1 and 2) where that is less.
[[nodiscard]] bytes host_memory();

/// What arrays between operations, and results, hold in memory.
struct arrays_held {
  /// At the time when it is most, where operations run one after the other.
  bytes most;
  /// The same where each begins while the one before it runs.
  bytes with_next;
  /// All that they ever hold.
  bytes all;

  /// Returns what they may hold besides `most` where operations begin before their turn, so that no
  /// worker waits: what the next one makes, or as much as all `tasks` that run at once.
  [[nodiscard]] bytes ahead(bytes tasks) const {
    const bytes next = std::max(with_next, most) - most;
    return std::min(all - most, std::max(next, tasks));
  }
};

}  // namespace tessera
