// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A GET request: given by a caller, carried out by the client's thread.

#include "tessera/core/error.hpp"
#include "tessera/store/stored_value.hpp"

#include "store/http/address.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera::http {

/// The bytes of a value that a request asks for.
struct wanted_bytes {
  enum class shape : std::uint8_t {
    whole,   ///< the value, without a range
    range,   ///< `count` bytes from byte `first` on
    suffix,  ///< the last `count` bytes
  };

  shape kind = shape::whole;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// The parts of a request that all requests of a store have in common.
struct server_access {
  std::string token = {};
  std::string ca_file = {};
  std::chrono::milliseconds patience{120'000};
  /// Tells whether redirects of public servers must not lead to an address. Tests replace it.
  bool (*is_private_address)(const std::string& address) = &is_private;
};

enum class request_result : std::uint8_t { success, missing, failure };

/// A request. The caller fills the first members, the client's thread the rest, until `has_ended`.
struct request {
  std::string url;
  std::shared_ptr<const server_access> access;
  wanted_bytes wanted;
  /// The memory of the bytes, or, if it is not nullptr, a vector that grows up to `limit`.
  std::span<std::byte> into = {};
  std::vector<std::byte>* growing = nullptr;
  std::size_t limit = 0;
  /// The version that the value must have, if it is known.
  value_version expected = {};

  request_result result = request_result::failure;
  value_part part = {};
  store_failure kind = store_failure::permanent;
  /// The cause of a failure, without URL and key.
  std::string message = {};
  /// Whether the server refused with status 403.
  bool is_forbidden = false;

  std::atomic<bool> has_ended = false;
  /// The client that carries out the request: a child process has another one.
  unsigned generation = 0;

  [[nodiscard]] std::size_t capacity() const { return growing != nullptr ? limit : into.size(); }
};

}  // namespace tessera::http
