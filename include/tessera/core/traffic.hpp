// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The measured traffic of tasks between memory and storage.

#include "tessera/core/bytes.hpp"

#include <chrono>
#include <cstdint>

namespace tessera {

/// Bytes between memory and storage, as `costs` count them: chunks as they are in memory, or ranges
/// of them, and the number of requests to a store.
struct traffic {
  bytes read{};
  bytes written{};
  std::uint64_t requests = 0;
  /// The bytes of these chunks as they are in storage: encoded.
  bytes encoded_read{};
  bytes encoded_written{};
  /// The time of the requests, and of decoding and encoding.
  std::chrono::nanoseconds storage_time{};
  std::chrono::nanoseconds codec_time{};

  /// Returns the traffic since it was `before`.
  [[nodiscard]] traffic since(const traffic& before) const {
    return {read - before.read,
            written - before.written,
            requests - before.requests,
            encoded_read - before.encoded_read,
            encoded_written - before.encoded_written,
            storage_time - before.storage_time,
            codec_time - before.codec_time};
  }
  traffic& operator+=(const traffic& rhs) {
    read += rhs.read;
    written += rhs.written;
    requests += rhs.requests;
    encoded_read += rhs.encoded_read;
    encoded_written += rhs.encoded_written;
    storage_time += rhs.storage_time;
    codec_time += rhs.codec_time;
    return *this;
  }
  [[nodiscard]] bool operator==(const traffic&) const = default;
};

/// Returns the traffic of this thread since it began. Readers and writers of chunks add to it.
[[nodiscard]] traffic& traffic_of_thread();

}  // namespace tessera
