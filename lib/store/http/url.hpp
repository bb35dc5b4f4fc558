// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// URLs of stores, values and origins.

#include <string>
#include <string_view>

namespace tessera::http {

/// The parts of a URL "scheme://user@host:port/path?query".
struct url_parts {
  std::string scheme;
  std::string user = {};
  /// Host and port.
  std::string host;
  /// The path without slashes at its ends.
  std::string path = {};
  std::string query = {};

  /// Returns the URL without user and query, which may be secrets.
  [[nodiscard]] std::string public_text() const;
  /// Returns the URL of a key below the path.
  [[nodiscard]] std::string of_key(std::string_view key) const;
  [[nodiscard]] std::string origin() const { return scheme + "://" + host; }
};

/// Returns the parts of the URL of a store. Characters that no URL has are encoded.
///
/// Throws: value_error <- the scheme is neither "http" nor "https", the host is missing, or there
/// is a fragment. The message has neither user nor query.
[[nodiscard]] url_parts parse_url(std::string_view url);

/// Returns the origin, scheme://host:port, of an absolute URL: in lower case, with the port of the
/// scheme if it has none.
[[nodiscard]] std::string origin_of(std::string_view url);

/// Returns `text` with all bytes but letters, digits, "-._~" and those of `kept` as "%XX".
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view kept = "");

/// Returns `text` with each "%XX" as its byte.
[[nodiscard]] std::string percent_decoded(std::string_view text);

}  // namespace tessera::http
