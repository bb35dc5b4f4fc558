// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Read-only stores on HTTP servers: the component `tessera::http`.
///
/// A program that links the component opens "https://host/folder" and "http://host:port/folder" by
/// `open`, `open_store` and recipes. Keys are appended to the path, and read by GET requests with
/// ranges. There are no lists: the members of a group come from its consolidated metadata.
///
/// All requests of a process share one thread and its connections, which begin with the first
/// request. A child process after `fork` has connections of its own. Reads in flight at the end of
/// the program fail.
///
/// Proxies are those of the environment: `https_proxy`, `http_proxy`, `no_proxy`.

#include "tessera/store/key_value_store.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace tessera {

/// Options of a store on an HTTP server.
struct http_options {
  /// The name of an environment variable with a token, which requests send as
  /// "Authorization: Bearer <token>". Recipes have the name, never the token. No other origin
  /// receives the token. The URL is of https, or its host is this machine (RFC 6750, 5.3).
  std::string token_variable = {};
  /// The file of trusted certificates in PEM format; empty: the file that `AWS_CA_BUNDLE` names,
  /// else the system's.
  std::string ca_file = {};
  /// Whether a chunk is missing if the server answers with status 403, as servers without lists do.
  /// Metadata are never missing by status 403.
  bool denied_is_missing = false;
  /// The time without a new byte after which a request fails, with all its attempts. A body that
  /// flows is waited for, however long it takes.
  std::chrono::milliseconds patience{120'000};

  [[nodiscard]] bool operator==(const http_options&) const = default;
};

/// Returns the store below `url`, "https://..." or "http://...". Touches nothing.
///
/// Keys are encoded and appended to the path of the URL, in front of its query. A store of a URL
/// with a user or a query has no recipe, as these may be secrets: other processes cannot open it.
///
/// Throws: value_error <- the URL has another scheme, no host or a fragment, an option is out of
/// its range, or a token would be sent without encryption. store_error <- `denied` if the variable
/// of the token is not set.
[[nodiscard]] std::shared_ptr<key_value_store> open_http_store(const std::string& url,
                                                               const http_options& options = {});

}  // namespace tessera
