// SPDX-License-Identifier: Apache-2.0
#include "store/s3/bucket.hpp"

#include "tessera/core/error.hpp"

#include "store/http/client.hpp"
#include "store/http/response.hpp"
#include "store/http/url.hpp"
#include "store/s3/documents.hpp"
#include "store/s3/hashes.hpp"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <utility>

namespace tessera::s3 {

namespace {

using http::request_method;
using http::request_result;

constexpr int max_signatures = 4;

std::string_view name_of(request_method method) {
  switch (method) {
    case request_method::head:
      return "HEAD";
    case request_method::put:
      return "PUT";
    case request_method::post:
      return "POST";
    case request_method::erase:
      return "DELETE";
    default:
      return "GET";
  }
}

/// Tells whether a failure passes, although its status does not tell so.
bool may_pass(const http::answer& failure) {
  if (failure.status != 400 && failure.status != 409) return false;
  const std::string code = parse_error(failure.body).code;
  return code == "RequestTimeout" || code == "ConditionalRequestConflict" ||
         code == "OperationAborted";
}

std::shared_ptr<const http::server_access> make_access(const s3_options& options) {
  if (options.patience <= std::chrono::milliseconds(0) ||
      options.patience > std::chrono::hours(24)) {
    throw value_error(
        fmt::format("the patience of {} ms of a store in S3 must be positive and at most a day",
                    options.patience.count()));
  }
  return std::make_shared<const http::server_access>(http::server_access{
      .ca_file = options.ca_file.empty() ? environment("AWS_CA_BUNDLE") : options.ca_file,
      .patience = options.patience,
      .follows_redirects = false,
      .keeps_answers = true,
      .may_pass = &may_pass});
}

/// Returns the kind of a failure by its code; `otherwise` for unknown codes.
store_failure kind_of(const std::string& code, store_failure otherwise) {
  if (code == "NoSuchBucket") return store_failure::no_store;
  if (code == "SlowDown") return store_failure::throttled;
  if (code == "PreconditionFailed") return store_failure::changed;
  if (code == "NotImplemented" || code == "MethodNotAllowed") return store_failure::unsupported;
  if (code == "ExpiredToken") return store_failure::denied;
  return otherwise;
}

/// Tells whether the server refuses the operation, and not the keys of access or the signature.
bool is_access_denied(const http::request& failure, const std::string& code) {
  if (failure.last_answer.status != 403) return false;
  return code == "AccessDenied" ||
         (failure.method == request_method::head && failure.last_answer.body.empty());
}

/// Tells whether a text may be the name of a region.
bool is_region(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '-';
  });
}

/// Returns the hash of a body for its signature. TLS protects a body as well, and the hash of a
/// large one takes as long as its encryption.
///
/// Source: Amazon S3 API Reference, "Signature Calculations for the Authorization Header:
/// Transferring Payload in a Single Chunk".
std::string hash_of_body(const bucket_location& location, std::span<const std::byte> body) {
  constexpr std::size_t largest_hashed = std::size_t{64} << 10;
  const bool is_protected = location.protocol() == "https";
  return is_protected && body.size() > largest_hashed ? "UNSIGNED-PAYLOAD" : sha256_hex(body);
}

}  // namespace

bucket::bucket(bucket_location location, const s3_options& options, std::string region)
    : location_(std::move(location)),
      access_(make_access(options)),
      keys_(options, region),
      region_(std::move(region)) {
  if (location_.is_amazon() && !is_region(region_)) {
    throw value_error(fmt::format(
        "the region \"{:.40}\" of a store in S3 must have letters, digits and \"-\" alone",
        region_));
  }
}

std::string bucket::region() const {
  const std::lock_guard lock(mutex_);
  return region_;
}

signed_request bucket::new_request(const operation& op) {
  used_scope scope{.keys = keys_.current(), .region = region()};
  signed_parts parts{.method = name_of(op.method),
                     .path = location_.path(op.full_key),
                     .query = op.query,
                     .headers = op.headers,
                     .body_hash = hash_of_body(location_, op.body)};
  const std::string host = location_.host(scope.region);
  auto next = std::make_shared<http::request>();
  if (const std::optional<s3_keys>& keys = scope.keys) {
    const std::string time =
        basic_time(std::chrono::system_clock::now() + std::chrono::seconds(clock_offset_.load()));
    parts.headers.emplace_back("host", host);
    parts.headers.emplace_back("x-amz-content-sha256", parts.body_hash);
    parts.headers.emplace_back("x-amz-date", time);
    if (!keys->session_token.empty()) {
      parts.headers.emplace_back("x-amz-security-token", keys->session_token);
    }
    next->headers.push_back(
        "Authorization: " +
        authorization(parts, {.keys = *keys, .region = scope.region, .time = time}));
  }
  for (const auto& [name, value] : parts.headers) {
    if (name != "host") next->headers.push_back(fmt::format("{}: {}", name, value));
  }
  const std::string query = canonical_query(op.query);
  next->url = fmt::format("{}://{}{}{}{}", location_.protocol(), host, parts.path,
                          query.empty() ? "" : "?", query);
  next->access = access_;
  next->method = op.method;
  next->body = op.body;
  next->wanted = op.wanted;
  next->into = op.into;
  next->growing = op.growing;
  next->limit = op.limit;
  next->expected = op.expected;
  next->max_value_size = op.max_value_size;
  return {std::move(next), std::move(scope)};
}

bool bucket::learn_from(const http::request& failure, const used_scope& used) {
  if (failure.result == request_result::success) return false;
  const http::answer& answer = failure.last_answer;
  const error_document error = parse_error(answer.body);
  if (error.code == "RequestTimeTooSkewed") return learn_time(answer);
  if (error.code == "ExpiredToken") return used.keys && keys_.forget_expired(*used.keys);
  const bool is_elsewhere = answer.status == 301 || answer.status == 307 || answer.status == 400;
  return is_elsewhere && learn_region(answer, error.region, used);
}

/// Regions are untrusted, and become a part of the host that receives the keys' signatures.
bool bucket::learn_region(const http::answer& answer, std::string region, const used_scope& used) {
  if (!location_.is_amazon()) return false;
  const std::string_view told = answer.header("x-amz-bucket-region");
  if (!told.empty()) region = told;
  if (!is_region(region) || region == used.region) return false;
  const std::lock_guard lock(mutex_);
  region_ = std::move(region);
  return true;
}

bool bucket::learn_time(const http::answer& answer) {
  const std::optional<std::time_t> server = http::parse_date(std::string(answer.header("date")));
  if (!server) return false;
  clock_offset_ = *server - std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return true;
}

std::string bucket::reason_of(const http::request& failure, const std::string& code) const {
  if (code == "NoSuchBucket") return fmt::format("there is no bucket \"{}\"", location_.bucket);
  if (failure.result == request_result::missing) return "it is missing";
  std::string reason = failure.message;
  if (!code.empty()) reason += fmt::format(" ({})", code);
  if (failure.kind != store_failure::denied) return reason;
  const std::string source = keys_.description();
  return source == "none" ? reason + "; the request was anonymous"
                          : fmt::format("{}; the keys of access are those of {}", reason, source);
}

void bucket::throw_failure(const http::request& failure, std::string_view purpose) {
  const std::string code = parse_error(failure.last_answer.body).code;
  const std::string message = fmt::format("cannot {}: {}", purpose, reason_of(failure, code));
  if (is_access_denied(failure, code)) throw access_denied(message);
  const bool has_size = failure.kind == store_failure::too_large && failure.part.value_size > 0;
  throw store_error(message, kind_of(code, failure.kind),
                    has_size ? std::optional(failure.part.value_size) : std::nullopt);
}

call::call(bucket& target, operation op) : target_(target), op_(std::move(op)) { begin(false); }

/// The request of before stays if there is no next one.
void call::begin(bool may_have_acted) {
  signed_request next = target_.new_request(op_);
  next.request->may_have_acted = may_have_acted;
  pending_ = std::make_unique<http::pending_request>(next.request);
  next_ = std::move(next);
  ++num_signatures_;
}

bool call::is_complete() const { return http::has_ended(*next_.request); }

const http::request& call::wait() {
  while (true) {
    const http::request& ended = pending_->wait();
    if (num_signatures_ >= max_signatures || !target_.learn_from(ended, next_.scope)) {
      return ended;
    }
    begin(ended.may_have_acted);
  }
}

const http::request& call::require(std::string_view purpose, bool key_may_be_missing) {
  const http::request& ended = wait();
  if (ended.result == request_result::success) return ended;
  const bool is_missing = ended.result == request_result::missing &&
                          parse_error(ended.last_answer.body).code != "NoSuchBucket";
  if (!is_missing || !key_may_be_missing) target_.throw_failure(ended, purpose);
  return ended;
}

}  // namespace tessera::s3
