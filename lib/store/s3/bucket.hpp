// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A bucket on a server, its region and its keys of access; and the calls of its operations.

#include "tessera/core/error.hpp"

#include "store/http/read_queue.hpp"
#include "store/http/request.hpp"
#include "store/s3/bucket_location.hpp"
#include "store/s3/key_source.hpp"
#include "store/s3/signature.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::s3 {

/// An operation of S3's protocol. The memory that it refers to is valid until the call has ended.
struct operation {
  http::request_method method = http::request_method::get;
  /// The key in the bucket; "" for the bucket itself.
  std::string full_key = {};
  std::vector<name_value> query = {};
  /// Headers that are signed. Names are in lower case.
  std::vector<name_value> headers = {};
  std::span<const std::byte> body = {};
  /// The following members are as in `http::request`.
  http::wanted_bytes wanted = {};
  std::span<std::byte> into = {};
  std::vector<std::byte>* growing = nullptr;
  std::size_t limit = 0;
  value_version expected = {};
  std::uint64_t max_value_size = byte_range::everything;
};

/// The keys of access and the region that a request is signed with.
struct used_scope {
  /// Not set if the request has no signature.
  std::optional<s3_keys> keys = {};
  std::string region = {};
};

/// A request that is not begun.
struct signed_request {
  std::shared_ptr<http::request> request;
  used_scope scope;
};

/// A failure: the server permits no such operation, although it accepts the keys of access.
class access_denied : public store_error {
 public:
  explicit access_denied(const std::string& message)
      : store_error(message, store_failure::denied) {}
};

/// Threads: all members may be called from several threads at the same time.
class bucket {
 public:
  /// Throws: value_error <- an option is out of its range.
  bucket(bucket_location location, const s3_options& options, std::string region);

  [[nodiscard]] const bucket_location& location() const { return location_; }
  [[nodiscard]] std::string name() const { return location_.name(); }

  /// Returns the signed request of an operation, not begun. Throws: store_error <- there are no
  /// keys of access.
  [[nodiscard]] signed_request new_request(const operation& op);

  /// Learns the time, the region or the expiry of keys from the failure of a request that was
  /// signed with `used`. Returns whether the operation may succeed if it is signed again.
  [[nodiscard]] bool learn_from(const http::request& failure, const used_scope& used);

  /// Throws the failure of a request: "cannot <purpose>: <reason>". It is `access_denied` for
  /// status 403 with the code AccessDenied, or with no body, as HEAD has none.
  [[noreturn]] void throw_failure(const http::request& failure, std::string_view purpose);

 private:
  [[nodiscard]] std::string region() const;
  [[nodiscard]] bool learn_region(const http::answer& answer, std::string region,
                                  const used_scope& used);
  [[nodiscard]] bool learn_time(const http::answer& answer);
  [[nodiscard]] std::string reason_of(const http::request& failure, const std::string& code) const;

  bucket_location location_;
  std::shared_ptr<const http::server_access> access_;
  key_source keys_;
  /// The server's time less that of this machine, in seconds.
  std::atomic<std::int64_t> clock_offset_ = 0;
  mutable std::mutex mutex_;
  std::string region_;
};

/// The call of an operation: a request, which is signed again if the answer tells the reason.
///
/// The destructor gives up a call that has not ended.
class call {
 public:
  /// Begins the call. Throws: store_error <- as `bucket::new_request`.
  call(bucket& target, operation op);

  [[nodiscard]] bool is_complete() const;
  /// Waits for the end, and returns the last request: its success, a missing key or its failure.
  [[nodiscard]] const http::request& wait();
  /// Waits. Throws: store_error <- the failure, or, if `key_may_be_missing` is not set, a missing
  /// key, as "cannot <purpose>: ...". A missing bucket is a failure.
  const http::request& require(std::string_view purpose, bool key_may_be_missing = false);

 private:
  void begin(bool may_have_acted);

  bucket& target_;
  operation op_;
  signed_request next_;
  std::unique_ptr<http::pending_request> pending_;
  int num_signatures_ = 0;
};

}  // namespace tessera::s3
