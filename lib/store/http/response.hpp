// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The head of a response, and its check against the bytes that were asked for.

#include "store/http/request.hpp"

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::http {

/// The header `Content-Range`: bytes `first` to `last` of `total`, or `total` alone of status 416.
struct content_range {
  std::optional<std::uint64_t> first = {};
  std::uint64_t last = 0;
  std::optional<std::uint64_t> total = {};

  [[nodiscard]] bool operator==(const content_range&) const = default;
};

/// Returns the range of a header's value, "bytes 0-9/100", or nullopt if it is malformed.
[[nodiscard]] std::optional<content_range> parse_content_range(std::string_view value);

/// Returns the time of a header Date in seconds since 1970, or nullopt if it is malformed.
///
/// Source: RFC 9110, 5.6.7.
[[nodiscard]] std::optional<std::time_t> parse_date(const std::string& value);

/// The headers of a response.
struct response_head {
  int status = 0;
  std::optional<std::uint64_t> length = {};
  std::optional<content_range> range = {};
  std::string encoding = {};
  std::string etag = {};
  bool is_chunked = false;
  std::size_t size = 0;
  /// All headers, if they are kept. Names are in lower case.
  bool keeps_fields = false;
  std::vector<std::pair<std::string, std::string>> fields = {};

  /// Adds a line. A status line begins a new head. Returns false if the head is too large.
  [[nodiscard]] bool add(std::string_view line);
  /// Returns the ETag as a version, unknown for weak ones, which two values may share.
  [[nodiscard]] value_version version() const;
};

/// The position of a body in the value.
struct body_position {
  std::uint64_t first = 0;
  /// The size of the body and of the value; nullopt: known at the end of the body.
  std::optional<std::uint64_t> size = {};
  std::optional<std::uint64_t> value_size = {};
};

/// A body that is accepted, or the reason for its refusal.
struct body_check {
  std::optional<body_position> position = {};
  store_failure kind = store_failure::permanent;
  std::string reason = {};
};

/// Checks the head of status 200 or 206 against the bytes that the request line asked for. `count`
/// bytes may be fewer only if the value ends before.
[[nodiscard]] body_check check_body(const response_head& head, const wanted_bytes& asked);

}  // namespace tessera::http
