// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The signature of a request, AWS Signature Version 4.
///
/// The signature proves the knowledge of a secret key without sending it. It covers a canonical
/// form of the request:
///
///     canonical  = method \n path \n query \n headers \n names of headers \n hash of the body
///     to_sign    = "AWS4-HMAC-SHA256" \n time \n scope \n sha256(canonical)
///     scope      = day / region / service / "aws4_request"
///     key        = hmac(hmac(hmac(hmac("AWS4" secret, day), region), service), "aws4_request")
///     signature  = hex(hmac(key, to_sign))
///
/// Source: Amazon S3 API Reference, "Signature Calculations for the Authorization Header".

#include "tessera/store/s3.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::s3 {

using name_value = std::pair<std::string, std::string>;

/// The parts of a request that its signature covers.
struct signed_parts {
  std::string_view method;
  /// The path, percent-encoded, with its slash.
  std::string path;
  /// The parameters of the query, not encoded.
  std::vector<name_value> query = {};
  /// The headers, `host` included. Names are in lower case.
  std::vector<name_value> headers = {};
  /// The SHA-256 hash of the body in hexadecimal digits, or "UNSIGNED-PAYLOAD".
  std::string body_hash = {};
};

/// The keys, the place and the time of a signature.
struct signature_scope {
  const s3_keys& keys;
  std::string_view region;
  std::string_view service = "s3";
  /// "20130524T000000Z".
  std::string time;
};

/// Returns a time in UTC as "20130524T000000Z" (ISO 8601, basic format).
[[nodiscard]] std::string basic_time(std::chrono::system_clock::time_point time);

/// Returns the query "a=1&b=2" of parameters: sorted by name, names and values percent-encoded.
[[nodiscard]] std::string canonical_query(std::vector<name_value> parameters);

/// Returns the value of the header Authorization. Signs all headers of `parts`.
[[nodiscard]] std::string authorization(const signed_parts& parts, const signature_scope& scope);

}  // namespace tessera::s3
