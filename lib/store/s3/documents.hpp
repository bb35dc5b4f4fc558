// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The XML documents of S3's protocol. Those of servers are untrusted.
///
/// Document type definitions are not read, so that no entity is expanded. Malformed documents
/// throw store_error.
///
/// Source: Amazon S3 API Reference; AWS STS API Reference.

#include "tessera/store/s3.hpp"
#include "tessera/store/stored_value.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::s3 {

/// The parts of an error that are no secret. Servers repeat parts of the request in the rest.
struct error_document {
  /// Letters and digits: "NoSuchKey"; empty if the body is no error.
  std::string code = {};
  /// The region of the bucket, if the error has it.
  std::string region = {};
};

/// Returns the error in the body of a failure; an empty one if there is none.
[[nodiscard]] error_document parse_error(std::string_view body);

struct listed_value {
  std::string key;
  std::uint64_t size = 0;
  std::string etag = {};
};

/// A page of a list.
struct list_page {
  std::vector<listed_value> values = {};
  /// The common beginnings of further keys, with their slashes.
  std::vector<std::string> folders = {};
  /// The token of the next page; empty for the last page.
  std::string next = {};
};

[[nodiscard]] list_page parse_list(std::span<const std::byte> body);
[[nodiscard]] std::string parse_upload_id(std::span<const std::byte> body);

/// A key that was not removed, and the code of its error.
struct kept_key {
  std::string key;
  std::string code;
};
[[nodiscard]] std::vector<kept_key> parse_erase_result(std::span<const std::byte> body);

/// The keys of access that a web identity got, and the time at which they expire.
struct granted_keys {
  s3_keys keys;
  std::string expiration;
};
[[nodiscard]] granted_keys parse_web_identity(std::span<const std::byte> body);

/// Returns the document that removes keys.
[[nodiscard]] std::string erase_document(std::span<const std::string> full_keys);
/// Returns the document that joins the parts with these ETags, in order.
[[nodiscard]] std::string complete_document(std::span<const std::string> etags);

}  // namespace tessera::s3
