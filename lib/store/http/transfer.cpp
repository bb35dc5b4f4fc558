// SPDX-License-Identifier: Apache-2.0
#include "store/http/transfer.hpp"

#include "store/http/url.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <utility>

namespace tessera::http {

namespace {

using namespace std::chrono_literals;
using shape = wanted_bytes::shape;

constexpr int max_redirects = 3;
/// The bytes of a body that are not wanted, and are read all the same so that the connection stays.
constexpr std::uint64_t max_unwanted = std::uint64_t{64} << 10;

bool is_passing_status(int status) {
  return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 ||
         status == 504;
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool is_passing(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      return true;
    default:
      return false;
  }
}

double seconds(transfer::clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

transfer::transfer(std::shared_ptr<request> asked)
    : asked_(std::move(asked)), origin_(origin_of(asked_->url)), url_(asked_->url) {}

bool transfer::is_success() const {
  if (is_get()) return head_.status == 200 || head_.status == 206;
  return head_.status / 100 == 2;
}

wanted_bytes transfer::missing_bytes() const {
  const wanted_bytes& wanted = asked_->wanted;
  if (avoids_ranges_) return {};
  if (stored_ == 0) return wanted;
  const std::uint64_t first = part_first_ + stored_;
  // All bytes are there, but not the end of the answer: a byte tells that the value is the same.
  if (wanted.kind != shape::whole && stored_ >= wanted.count) return {shape::range, part_first_, 1};
  if (wanted.kind == shape::whole) {
    return {shape::range, first, std::numeric_limits<std::int64_t>::max() - first};
  }
  return {shape::range, first, wanted.count - stored_};
}

bool transfer::refuse(store_failure kind, std::string message,
                      std::optional<std::uint64_t> value_size) {
  stop_ = stop::refused;
  fail(kind, std::move(message));
  if (value_size) asked_->part.value_size = *value_size;
  return false;
}

void transfer::fail(store_failure kind, std::string message) {
  asked_->result = request_result::failure;
  asked_->kind = kind;
  asked_->message = std::move(message);
}

/// Checks the head at the first byte of a body, or at the end of an empty one.
bool transfer::begin_body() {
  has_body_ = true;
  const body_check check = check_body(head_, attempt_);
  if (!check.position) return refuse(check.kind, check.reason);
  const value_version version = head_.version();
  if (asked_->expected.is_known() && version != asked_->expected) {
    return refuse(store_failure::changed, "the value has another version than the expected one");
  }
  if (stored_ > 0 && version != version_) {
    stored_ = 0;
    stop_ = stop::again;
    return false;
  }
  version_ = version;
  position_ = check.position->first;
  value_size_ = check.position->value_size;
  end_ = check.position->size ? std::optional(position_ + *check.position->size) : std::nullopt;
  return prepare_memory();
}

bool transfer::prepare_memory() {
  const wanted_bytes& wanted = asked_->wanted;
  if (wanted.kind == shape::suffix) {
    if (!value_size_) {
      return refuse(store_failure::unsupported,
                    "the server has no ranges, and does not tell the size of the value");
    }
    part_first_ = *value_size_ - std::min(wanted.count, *value_size_);
  } else {
    part_first_ = wanted.kind == shape::range ? wanted.first : 0;
  }
  const std::uint64_t most =
      wanted.kind == shape::whole ? asked_->capacity() : asked_->max_value_size;
  if (value_size_ && *value_size_ > most) {
    return refuse(store_failure::too_large,
                  fmt::format("the value has {} B, at most {} B are expected", *value_size_, most),
                  value_size_);
  }
  if (wanted.kind != shape::whole || !value_size_) return true;
  if (asked_->growing != nullptr) asked_->growing->resize(*value_size_);
  return true;
}

/// Returns the number of bytes that the request wants at most.
std::size_t transfer::wanted_size() const {
  return asked_->wanted.kind == shape::whole
             ? asked_->capacity()
             : std::min<std::uint64_t>(asked_->into.size(), asked_->wanted.count);
}

/// Tells whether the rest of a body is not wanted.
bool transfer::has_all_wanted() const {
  return asked_->wanted.kind != shape::whole && has_body_ && value_size_ &&
         stored_ == wanted_size();
}

bool transfer::store(const std::byte* data, std::size_t size) {
  const std::size_t capacity = wanted_size();
  const std::size_t room = capacity - stored_;
  if (size > room && asked_->wanted.kind == shape::whole) {
    return refuse(store_failure::too_large,
                  fmt::format("the value has more than the {} B that are expected", capacity));
  }
  const std::size_t size_to_store = std::min(size, room);
  std::byte* memory = asked_->into.data();
  if (asked_->growing != nullptr) {
    std::vector<std::byte>& value = *asked_->growing;
    if (value.size() < stored_ + size_to_store) {
      value.resize(std::min(capacity, std::max(stored_ + size_to_store, 2 * value.size())));
    }
    memory = value.data();
  }
  if (size_to_store > 0) std::memcpy(memory + stored_, data, size_to_store);
  stored_ += size_to_store;
  // Bytes behind the wanted ones may have no end: they are no reason to wait on.
  if (room > 0) last_arrival_ = clock::now();
  // Bytes that are read anew are no progress: a server that always cuts a body would be asked
  // forever.
  if (stored_ > most_stored_) {
    most_stored_ = stored_;
    progress_ = last_arrival_;
  }
  if (has_all_wanted() && end_ && *end_ - position_ > max_unwanted) {
    stop_ = stop::satisfied;
    return false;
  }
  return true;
}

/// Takes bytes of a body that is no value. Returns false to end the attempt.
bool transfer::discard(const std::byte* data, std::size_t size) {
  discarded_ += size;
  if (discarded_ <= max_unwanted) {
    if (asked_->access->keeps_answers) {
      discarded_text_.append(reinterpret_cast<const char*>(data), size);
    }
    return true;
  }
  stop_ = stop::discarded;
  return false;
}

/// Takes bytes of a body. Returns false to end the attempt.
bool transfer::take(const std::byte* data, std::size_t size) {
  const bool is_wanted = is_success() && (is_get() || asked_->growing != nullptr);
  if (!is_wanted) return discard(data, size);
  if (!has_body_ && !begin_body()) return false;
  if (end_ && size > *end_ - position_) {
    return refuse(store_failure::permanent, "the body is longer than its head tells");
  }
  const std::uint64_t next = part_first_ + stored_;
  const std::uint64_t skipped =
      next > position_ ? std::min<std::uint64_t>(next - position_, size) : 0;
  position_ += size;
  if (version_.is_known()) num_vain_attempts_ = 0;
  return store(data + skipped, size - skipped);
}

/// Gives the request the answer of the attempt.
void transfer::keep_answer() {
  if (!asked_->access->keeps_answers) return;
  asked_->last_answer.status = head_.status;
  asked_->last_answer.headers = std::move(head_.fields);
  asked_->last_answer.body = std::move(discarded_text_);
}

transfer::verdict transfer::conclude(CURL* easy, CURLcode code) {
  headers_.reset();
  keep_answer();
  switch (stop_) {
    case stop::refused:
      return verdict::ended;
    case stop::again:
      return again("the value changed while it was read");
    case stop::no_memory:
      return again("there is no memory");
    case stop::satisfied:
      return succeed(*value_size_);
    case stop::discarded:
      return conclude_status(easy);
    default:
      if (code == CURLE_OK) return conclude_status(easy);
      return has_all_wanted() ? succeed(*value_size_) : conclude_failure(code);
  }
}

transfer::verdict transfer::conclude_status(CURL* easy) {
  const int status = head_.status;
  if (is_success()) return is_get() || has_body_ ? conclude_body() : conclude_head();
  if (status == 404 || status == 410) {
    asked_->result = request_result::missing;
    return verdict::ended;
  }
  if (status == 416 && attempt_.kind != shape::whole) return conclude_range();
  if (is_redirect(status) && asked_->access->follows_redirects) return redirect(easy);
  if (status == 412 && asked_->expected.is_known()) {
    fail(store_failure::changed, "the value has another version than the expected one");
    return verdict::ended;
  }
  if (status == 412 && stored_ > 0) {
    stored_ = 0;
    return again("the value changed while it was read");
  }
  if (is_passing_status(status)) {
    was_throttled_ = status == 429 || status == 503;
    // Gateways answer with 503 although the server behind them has acted.
    asked_->may_have_acted |= status != 429;
    curl_off_t wait = 0;
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait);
    retry_after_ = std::chrono::seconds(std::clamp<curl_off_t>(wait, 0, 86'400));
    return again(fmt::format("the server answers with status {}", status));
  }
  const auto may_pass = asked_->access->may_pass;
  if (may_pass != nullptr && may_pass(asked_->last_answer)) {
    return again(fmt::format("the server answers with status {}", status));
  }
  const bool is_denied = status == 401 || status == 403 || status == 407;
  asked_->is_forbidden = status == 403;
  fail(is_denied ? store_failure::denied : store_failure::permanent,
       fmt::format("the server answers with status {}{}", status,
                   is_denied ? ", permission denied" : ""));
  return verdict::ended;
}

transfer::verdict transfer::conclude_body() {
  if (!has_body_ && !begin_body()) {
    if (stop_ == stop::again) return again("the value changed while it was read");
    return verdict::ended;
  }
  if (end_ && position_ != *end_) return conclude_failure(CURLE_PARTIAL_FILE);
  return succeed(value_size_.value_or(position_));
}

/// Takes a success without the body of a value.
transfer::verdict transfer::conclude_head() {
  if (asked_->growing != nullptr) asked_->growing->clear();
  asked_->part = {0, 0, head_.length.value_or(0), head_.version()};
  asked_->result = request_result::success;
  return verdict::ended;
}

/// Takes status 416: no byte of the range exists.
transfer::verdict transfer::conclude_range() {
  const std::optional<std::uint64_t> total = head_.range ? head_.range->total : std::nullopt;
  if (!total) {
    avoids_ranges_ = true;
    stored_ = 0;
    return verdict::redirected;
  }
  const bool is_empty = attempt_.kind == shape::suffix ? *total == 0 || attempt_.count == 0
                                                       : attempt_.first >= *total;
  if (!is_empty) {
    fail(store_failure::permanent,
         fmt::format("the server refuses a range of a value of {} B that has it", *total));
    return verdict::ended;
  }
  if (stored_ > 0 && attempt_.first > *total) {
    stored_ = 0;
    return again("the value changed while it was read");
  }
  if (stored_ == 0) version_ = head_.version();
  return succeed(*total);
}

transfer::verdict transfer::succeed(std::uint64_t value_size) {
  const wanted_bytes& wanted = asked_->wanted;
  const std::uint64_t first = wanted.kind == shape::suffix
                                  ? value_size - std::min(wanted.count, value_size)
                                  : std::min(wanted.first, value_size);
  asked_->part = {first, stored_, value_size, version_};
  if (asked_->growing != nullptr) asked_->growing->resize(stored_);
  asked_->result = request_result::success;
  return verdict::ended;
}

transfer::verdict transfer::conclude_failure(CURLcode code) {
  if (!is_passing(code)) {
    fail(store_failure::permanent, curl_easy_strerror(code));
    return verdict::ended;
  }
  was_unreachable_ = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_CONNECT ||
                     code == CURLE_COULDNT_RESOLVE_PROXY;
  asked_->may_have_acted |= !was_unreachable_;
  return again(code == CURLE_PARTIAL_FILE ? "the body broke off" : curl_easy_strerror(code));
}

std::string_view refusal_of_redirect(const std::string& from, const std::string& to) {
  const std::string origin = origin_of(to);
  const bool is_safe = origin.starts_with("https://");
  if (!is_safe && !origin.starts_with("http://")) return "leads to another protocol";
  if (!is_safe && origin_of(from).starts_with("https://")) return "leads from https to http";
  const std::size_t host = to.find("://") + 3;
  const std::string_view authority =
      std::string_view(to).substr(host, to.find_first_of("/?#", host) - host);
  return authority.find('@') == std::string_view::npos ? "" : "names a user";
}

transfer::verdict transfer::redirect(CURL* easy) {
  const auto refused = [&](std::string_view reason) {
    fail(store_failure::permanent,
         fmt::format("the redirect of status {} {}", head_.status, reason));
    return verdict::ended;
  };
  const char* target = nullptr;
  curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &target);
  if (target == nullptr) return refused("has no location");
  if (++num_redirects_ > max_redirects) return refused("is the fourth of one request");
  const std::string next = target;
  if (const std::string_view reason = refusal_of_redirect(url_, next); !reason.empty()) {
    return refused(reason);
  }
  if (num_redirects_ == 1) {
    const char* address = nullptr;
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &address);
    must_be_public_ = address != nullptr && !asked_->access->is_private_address(address);
  }
  url_ = next;
  return verdict::redirected;
}

transfer::verdict transfer::again(std::string message) {
  last_message_ = std::move(message);
  // Bytes of an unknown version are not continued.
  if (!version_.is_known() || !is_get()) stored_ = 0;
  url_ = asked_->url;
  num_redirects_ = 0;
  must_be_public_ = false;
  return verdict::again;
}

std::optional<transfer::clock::duration> transfer::delay(double random) {
  constexpr double longest = 20;
  const double bound = std::min(longest, 0.1 * std::pow(2.0, std::min(num_vain_attempts_, 20U)));
  ++num_vain_attempts_;
  auto wait =
      std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(bound * random));
  wait = std::max(wait, std::exchange(retry_after_, {}));
  const clock::time_point now = clock::now();
  if (now + wait < progress_ + asked_->access->patience) return wait;
  fail(was_throttled_ ? store_failure::throttled : store_failure::passing,
       fmt::format("{}, in {} attempts within {:.1f} s", last_message_, num_attempts_,
                   seconds(now - begin_)));
  return std::nullopt;
}

}  // namespace tessera::http
