// SPDX-License-Identifier: Apache-2.0
#include "store/s3/signature.hpp"

#include "store/http/url.hpp"
#include "store/s3/hashes.hpp"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

namespace tessera::s3 {

namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";

/// Returns the names of sorted headers, joined by ";".
std::string names_of(const std::vector<name_value>& headers) {
  std::string names;
  for (const auto& [name, value] : headers) {
    if (!names.empty()) names += ';';
    names += name;
  }
  return names;
}

std::string canonical_request(const signed_parts& parts, const std::vector<name_value>& headers) {
  std::string text =
      fmt::format("{}\n{}\n{}\n", parts.method, parts.path, canonical_query(parts.query));
  for (const auto& [name, value] : headers) text += fmt::format("{}:{}\n", name, value);
  return text + fmt::format("\n{}\n{}", names_of(headers), parts.body_hash);
}

}  // namespace

std::string basic_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &parts)};
}

std::string canonical_query(std::vector<name_value> parameters) {
  for (auto& [name, value] : parameters) {
    name = http::percent_encoded(name);
    value = http::percent_encoded(value);
  }
  std::ranges::sort(parameters);
  std::string query;
  for (const auto& [name, value] : parameters) {
    if (!query.empty()) query += '&';
    query += fmt::format("{}={}", name, value);
  }
  return query;
}

std::string authorization(const signed_parts& parts, const signature_scope& scope) {
  std::vector<name_value> headers = parts.headers;
  std::ranges::sort(headers);
  const std::string day = scope.time.substr(0, 8);
  const std::string credential_scope =
      fmt::format("{}/{}/{}/aws4_request", day, scope.region, scope.service);
  const std::string to_sign = fmt::format("{}\n{}\n{}\n{}", algorithm, scope.time, credential_scope,
                                          sha256_hex(canonical_request(parts, headers)));
  std::string key = hmac_sha256("AWS4" + scope.keys.secret_access_key, day);
  key = hmac_sha256(key, scope.region);
  key = hmac_sha256(key, scope.service);
  key = hmac_sha256(key, "aws4_request");
  return fmt::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", algorithm,
                     scope.keys.access_key_id, credential_scope, names_of(headers),
                     hex(hmac_sha256(key, to_sign)));
}

}  // namespace tessera::s3
