// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The attempts of one request, on the client's thread.
///
/// An attempt asks the URL or a redirect's target. A body of GET that breaks off is continued by
/// the next attempt from the first missing byte on, with `If-Match`, if the ETag is strong; else it
/// is read anew. So the bytes are always of one version.

#include "store/http/request.hpp"
#include "store/http/response.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::http {

/// Returns the reason for which a redirect from one URL to another is refused, "" if there is none.
[[nodiscard]] std::string_view refusal_of_redirect(const std::string& from, const std::string& to);

class transfer {
 public:
  using clock = std::chrono::steady_clock;
  enum class verdict : std::uint8_t { ended, redirected, again };

  explicit transfer(std::shared_ptr<request> asked);
  transfer(const transfer&) = delete;
  transfer& operator=(const transfer&) = delete;

  [[nodiscard]] request& asked() { return *asked_; }
  /// Returns the origin of the request's URL, whose server has its limits.
  [[nodiscard]] const std::string& origin() const { return origin_; }

  /// Sets the options of `easy` for the next attempt.
  void prepare(CURL* easy);
  /// Takes the end of an attempt. The request has its result if the verdict is `ended`.
  [[nodiscard]] verdict conclude(CURL* easy, CURLcode code);
  /// Returns the time before the next attempt, for a random number in [0, 1), or nullopt if the
  /// time of the request would be over. The request has its failure then.
  [[nodiscard]] std::optional<clock::duration> delay(double random);
  /// Gives the request a failure.
  void fail(store_failure kind, std::string message);

  /// Tells whether the last attempt was refused because requests are too many.
  [[nodiscard]] bool was_throttled() const { return was_throttled_; }
  /// Tells whether the server answered to the last attempt.
  [[nodiscard]] bool was_answered() const { return head_.status != 0; }
  /// Tells whether no connection could be made by the last attempt.
  [[nodiscard]] bool was_unreachable() const { return was_unreachable_; }
  [[nodiscard]] std::size_t num_attempts() const { return num_attempts_; }
  [[nodiscard]] clock::time_point begin_of_attempt() const { return begin_of_attempt_; }
  /// Returns the time at which the attempt has stalled unless more of its body arrives.
  [[nodiscard]] clock::time_point end_of_patience() const {
    return std::max(progress_, last_arrival_) + asked_->access->patience;
  }

 private:
  struct callbacks;
  enum class stop : std::uint8_t { none, satisfied, discarded, refused, again, no_memory };

  [[nodiscard]] bool is_get() const { return asked_->method == request_method::get; }
  [[nodiscard]] bool is_success() const;
  [[nodiscard]] wanted_bytes missing_bytes() const;
  [[nodiscard]] std::size_t wanted_size() const;
  [[nodiscard]] bool has_all_wanted() const;
  void set_headers(CURL* easy);
  void set_method(CURL* easy);
  void keep_answer();
  [[nodiscard]] bool discard(const std::byte* data, std::size_t size);
  [[nodiscard]] bool begin_body();
  [[nodiscard]] bool prepare_memory();
  [[nodiscard]] bool take(const std::byte* data, std::size_t size);
  [[nodiscard]] bool store(const std::byte* data, std::size_t size);
  [[nodiscard]] bool refuse(store_failure kind, std::string message,
                            std::optional<std::uint64_t> value_size = {});
  [[nodiscard]] verdict conclude_status(CURL* easy);
  [[nodiscard]] verdict conclude_body();
  [[nodiscard]] verdict conclude_head();
  [[nodiscard]] verdict conclude_range();
  [[nodiscard]] verdict conclude_failure(CURLcode code);
  [[nodiscard]] verdict redirect(CURL* easy);
  [[nodiscard]] verdict again(std::string message);
  [[nodiscard]] verdict succeed(std::uint64_t value_size);

  std::shared_ptr<request> asked_;
  std::string origin_;
  std::string url_;
  int num_redirects_ = 0;
  bool must_be_public_ = false;

  clock::time_point begin_{};
  clock::time_point begin_of_attempt_{};
  /// The time of the last byte that no attempt before had, or of the request's begin.
  clock::time_point progress_{};
  /// The time of the last byte.
  clock::time_point last_arrival_{};
  std::size_t most_stored_ = 0;
  std::size_t num_attempts_ = 0;
  /// The attempts since the last one that gave bytes.
  unsigned num_vain_attempts_ = 0;
  clock::duration retry_after_{};
  bool was_throttled_ = false;
  bool was_unreachable_ = false;
  std::string last_message_;

  /// The bytes that the request line of the attempt asks for.
  wanted_bytes attempt_;
  bool avoids_ranges_ = false;
  response_head head_;
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers_{nullptr, curl_slist_free_all};
  stop stop_ = stop::none;

  bool has_body_ = false;
  std::size_t discarded_ = 0;
  std::string discarded_text_;
  /// The bytes of the request's body that are sent.
  std::size_t sent_ = 0;
  /// The position in the value of the next byte of the body, and of the body's end.
  std::uint64_t position_ = 0;
  std::optional<std::uint64_t> end_;
  std::optional<std::uint64_t> value_size_;
  /// The version of the stored bytes.
  value_version version_;
  std::uint64_t part_first_ = 0;
  std::size_t stored_ = 0;
};

}  // namespace tessera::http
