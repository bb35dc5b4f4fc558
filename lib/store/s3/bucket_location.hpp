// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The location of a store: a server, a bucket and a folder in it.

#include "tessera/store/s3.hpp"

#include <string>
#include <string_view>

namespace tessera::s3 {

struct bucket_location {
  /// The scheme of the location: "s3", "s3+https", "s3+http" or "gs".
  std::string scheme;
  /// Host and port of the endpoint; empty for Amazon S3: its hosts depend on the region.
  std::string endpoint = {};
  std::string bucket;
  /// Names joined by "/"; empty for the bucket itself.
  std::string folder = {};
  /// Whether the bucket is a part of the host's name.
  bool has_virtual_host = false;

  [[nodiscard]] bool is_amazon() const { return endpoint.empty(); }
  /// Returns the location as text: "s3://bucket/folder".
  [[nodiscard]] std::string name() const { return scheme + "://" + place(); }
  /// Returns the text behind "://".
  [[nodiscard]] std::string place() const;
  /// Returns the key in the bucket of a key or a folder of the store.
  [[nodiscard]] std::string full_key(std::string_view key) const;
  /// Returns "https" or "http".
  [[nodiscard]] std::string_view protocol() const;
  /// Returns host and port of requests.
  [[nodiscard]] std::string host(std::string_view region) const;
  /// Returns the percent-encoded path of a full key; that of the bucket for "".
  [[nodiscard]] std::string path(std::string_view full_key) const;
};

/// Returns the host of a service of Amazon's in a region: "s3.eu-west-1.amazonaws.com".
[[nodiscard]] std::string amazon_host(std::string_view service, std::string_view region);

/// Returns the location of a scheme and a place. For "s3" the endpoint is that of the environment
/// or of `profile_endpoint`, a URL or "".
///
/// Throws: value_error <- bucket or host is missing or malformed. store_error <- the folder is
/// malformed.
[[nodiscard]] bucket_location parse_location(std::string_view scheme, std::string_view place,
                                             const s3_options& options,
                                             const std::string& profile_endpoint = {});

}  // namespace tessera::s3
