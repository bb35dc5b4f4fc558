// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What tasks really move between memory and storage.

#include "tessera/core/bytes.hpp"

#include <cstdint>

namespace tessera {

/// What has moved between memory and storage, as `costs` reckon with it: chunks as they are in
/// memory, or ranges of them, and how often a store was asked for one or given one.
struct traffic {
  bytes read{};
  bytes written{};
  std::uint64_t requests = 0;

  /// Returns what has moved since it was `before`.
  [[nodiscard]] traffic since(const traffic& before) const {
    return {read - before.read, written - before.written, requests - before.requests};
  }
  traffic& operator+=(const traffic& more) {
    read += more.read;
    written += more.written;
    requests += more.requests;
    return *this;
  }
  [[nodiscard]] bool operator==(const traffic&) const = default;
};

/// Returns what this thread has moved since it began. Who reads or writes chunks adds to it.
[[nodiscard]] traffic& traffic_of_thread();

}  // namespace tessera
