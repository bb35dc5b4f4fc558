// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Keys of access that services grant for a time: web identities, containers and instances.

#include "tessera/store/s3.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::s3 {

/// Keys, and the time at which they expire, if they do.
struct timed_keys {
  s3_keys keys;
  std::optional<std::chrono::system_clock::time_point> expiry = {};
};

/// A service that grants keys.
struct key_service {
  enum class kind : std::uint8_t { web_identity, container, instance };

  kind type = kind::instance;
  /// The URL of the service.
  std::string url = {};
  /// Of web identities: the role, its session and the file of the token.
  std::string role = {};
  std::string session = {};
  std::string token_file = {};
  std::string region = {};

  [[nodiscard]] bool operator==(const key_service&) const = default;
};

/// Returns the service of containers that the environment names, or nullopt if it names none.
///
/// Throws: store_error <- `denied`: the URL is neither safe nor one of this machine or container.
[[nodiscard]] std::optional<key_service> container_service();

/// The advice of messages that tell of no keys of access.
inline constexpr std::string_view advice_without_keys =
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or a profile; for a public bucket use the "
    "option \"anonymous\"";

/// Returns the keys that a service grants. They are shared by the process, and asked for again 5
/// minutes before they expire. Other threads wait meanwhile.
///
/// Throws: store_error <- the service refuses, cannot be reached, or answers with no keys. It is
/// `denied` if the metadata service of instances has never granted keys: machines elsewhere have
/// none.
[[nodiscard]] s3_keys granted(const key_service& service);

/// Forgets keys of a service that S3 has refused as expired.
void forget(const key_service& service, const s3_keys& refused);

/// Returns the time of "2026-01-31T12:00:00Z", or nullopt if the text is malformed.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_time(
    const std::string& text);

}  // namespace tessera::s3
