// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory of this host.

#include "tessera/core/bytes.hpp"

#include <algorithm>

namespace tessera {

/// Returns the memory that this process may use on its host. It is the installed memory, or the
/// limit of its control groups (versions 1 and 2) if that is less.
[[nodiscard]] bytes host_memory();

/// The memory of intermediate arrays and of results in memory.
struct resident_arrays {
  /// The peak if operations run one after the other.
  bytes most;
  /// The peak if each operation begins while the one before it runs.
  bytes with_next;
  /// All that they ever hold.
  bytes total;

  /// Returns the memory besides `most` for operations that begin before their turn, so that no
  /// worker waits. It is for the outputs of the next operation, or as much as all `tasks` that run
  /// at once.
  [[nodiscard]] bytes ahead(bytes tasks) const {
    const bytes next = std::max(with_next, most) - most;
    return std::min(total - most, std::max(next, tasks));
  }
};

}  // namespace tessera
