// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The measured traffic of tasks between memory and storage.

#include "tessera/core/bytes.hpp"

#include <cstdint>

namespace tessera {

/// Bytes between memory and storage, as `costs` count them: chunks as they are in memory, or ranges
/// of them, and the number of requests to a store.
struct traffic {
  bytes read{};
  bytes written{};
  std::uint64_t requests = 0;

  /// Returns the traffic since it was `before`.
  [[nodiscard]] traffic since(const traffic& before) const {
    return {read - before.read, written - before.written, requests - before.requests};
  }
  traffic& operator+=(const traffic& rhs) {
    read += rhs.read;
    written += rhs.written;
    requests += rhs.requests;
    return *this;
  }
  [[nodiscard]] bool operator==(const traffic&) const = default;
};

/// Returns the traffic of this thread since it began. Readers and writers of chunks add to it.
[[nodiscard]] traffic& traffic_of_thread();

}  // namespace tessera
