// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A request: given by a caller, carried out by the client's thread.

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
#include <string_view>
#include <utility>
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

/// Returns the bytes of a value that a range has and a buffer of `room` bytes can hold, at least
/// one byte: the size of the value comes with it.
[[nodiscard]] wanted_bytes wanted_part(const byte_range& range, std::size_t room);

enum class request_method : std::uint8_t { get, head, put, post, erase };

/// The last answer to a request. Names of headers are in lower case.
struct answer {
  /// 0: there was none.
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// The front of the body, if the answer is no success.
  std::string body = {};

  /// Returns the value of a header, "" if it is missing.
  [[nodiscard]] std::string_view header(std::string_view name) const;
};

/// The parts of a request that all requests of a store have in common.
struct server_access {
  std::string token = {};
  std::string ca_file = {};
  std::chrono::milliseconds patience{120'000};
  /// Whether requests go through the proxy that the environment names.
  bool uses_proxy = true;
  /// Whether redirects are followed. Otherwise they are failures.
  bool follows_redirects = true;
  /// Whether requests keep the head of the last answer, and the body of a failure.
  bool keeps_answers = false;
  /// Tells whether a failure that is not passing by its status may be tried again, if not nullptr.
  bool (*may_pass)(const answer& failure) = nullptr;
  /// Tells whether redirects of public servers must not lead to an address. Tests replace it.
  bool (*is_private_address)(const std::string& address) = &is_private;
};

enum class request_result : std::uint8_t { success, missing, failure };

/// A request. The caller fills the first members, the client's thread the rest, until `has_ended`.
struct request {
  std::string url;
  std::shared_ptr<const server_access> access;
  request_method method = request_method::get;
  /// Lines "Name: value" beside the client's own ones. No other origin receives them.
  std::vector<std::string> headers = {};
  /// The bytes that are sent: of the caller, valid until the request has ended.
  std::span<const std::byte> body = {};
  /// The bytes that are wanted of the value, for GET.
  wanted_bytes wanted = {};
  /// The memory of the bytes, or, if it is not nullptr, a vector that grows up to `limit`.
  std::span<std::byte> into = {};
  std::vector<std::byte>* growing = nullptr;
  std::size_t limit = 0;
  /// The version that the value must have, if it is known.
  value_version expected = {};
  /// The size of the value from which on it is refused, before a byte is stored.
  std::uint64_t max_value_size = byte_range::everything;

  request_result result = request_result::failure;
  value_part part = {};
  store_failure kind = store_failure::permanent;
  /// The cause of a failure, without URL and key.
  std::string message = {};
  /// Whether the server refused with status 403.
  bool is_forbidden = false;
  http::answer last_answer = {};
  /// Whether the server may have carried out an attempt that failed.
  bool may_have_acted = false;

  std::atomic<bool> has_ended = false;
  /// The client that carries out the request: a child process has another one.
  unsigned generation = 0;

  [[nodiscard]] std::size_t capacity() const { return growing != nullptr ? limit : into.size(); }
};

}  // namespace tessera::http
