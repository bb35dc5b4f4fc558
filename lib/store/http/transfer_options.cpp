// SPDX-License-Identifier: Apache-2.0
#include "store/http/address.hpp"
#include "store/http/transfer.hpp"
#include "store/http/url.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <sys/socket.h>
#include <utility>

namespace tessera::http {

namespace {

using shape = wanted_bytes::shape;

constexpr long buffer_size = 128L << 10;

std::string range_header(const wanted_bytes& asked) {
  if (asked.kind == shape::suffix) return fmt::format("Range: bytes=-{}", asked.count);
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (asked.count >= most - std::min(asked.first, most)) {
    return fmt::format("Range: bytes={}-", asked.first);
  }
  return fmt::format("Range: bytes={}-{}", asked.first, asked.first + asked.count - 1);
}

/// Returns the default file of trusted certificates.
const char* default_ca_file() { return curl_version_info(CURLVERSION_NOW)->cainfo; }

/// Sets the options of protocols and connections.
void set_connection(CURL* easy, const server_access& access) {
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "tessera");
  curl_easy_setopt(easy, CURLOPT_NETRC, long{CURL_NETRC_IGNORED});
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, buffer_size);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 10'000L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, 20L);
  curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 300L);
  // No CURLOPT_QUICK_EXIT: libcurl 7.88 uses the memory of a lookup that ends while it is given up.
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  if (!access.uses_proxy) curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  const char* const file = access.ca_file.empty() ? default_ca_file() : access.ca_file.c_str();
  curl_easy_setopt(easy, CURLOPT_CAINFO, file);
  // With a directory of certificates libcurl parses the file anew for each connection.
  if (file != nullptr) curl_easy_setopt(easy, CURLOPT_CAPATH, static_cast<char*>(nullptr));
}

}  // namespace

/// The functions that libcurl calls, with a transfer as their last argument.
struct transfer::callbacks {
  static std::size_t take_header(char* data, std::size_t /*unit*/, std::size_t size, void* self) {
    auto& t = *static_cast<transfer*>(self);
    try {
      if (t.head_.add({data, size})) return size;
      static_cast<void>(t.refuse(store_failure::permanent, "the headers have more than 64 KiB"));
    } catch (const std::exception&) {
      t.stop_ = stop::no_memory;
    }
    return 0;
  }

  static std::size_t take_body(char* data, std::size_t /*unit*/, std::size_t size, void* self) {
    auto& t = *static_cast<transfer*>(self);
    try {
      return t.take(reinterpret_cast<const std::byte*>(data), size) ? size : 0;
    } catch (const std::exception&) {
      t.stop_ = stop::no_memory;
      return 0;
    }
  }

  static std::size_t give_body(char* into, std::size_t unit, std::size_t count, void* self) {
    auto& t = *static_cast<transfer*>(self);
    const std::span<const std::byte> rest = t.asked_->body.subspan(t.sent_);
    const std::size_t size = std::min(unit * count, rest.size());
    if (size > 0) std::memcpy(into, rest.data(), size);
    t.sent_ += size;
    t.last_arrival_ = clock::now();
    return size;
  }

  /// libcurl sends a body again if a kept connection turns out to be closed.
  static int seek_body(void* self, curl_off_t position, int origin) {
    auto& t = *static_cast<transfer*>(self);
    const bool is_inside = position >= 0 && std::cmp_less_equal(position, t.asked_->body.size());
    if (origin != SEEK_SET || !is_inside) return CURL_SEEKFUNC_FAIL;
    t.sent_ = static_cast<std::size_t>(position);
    return CURL_SEEKFUNC_OK;
  }

  static bool is_admitted(transfer& t, const std::string& address) {
    if (!t.must_be_public_ || !t.asked_->access->is_private_address(address)) return true;
    return t.refuse(store_failure::permanent,
                    "a redirect leads from a public address to a private one");
  }

  static curl_socket_t open_socket(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
    auto& t = *static_cast<transfer*>(self);
    try {
      if (!is_admitted(t, text_of(address->addr))) return CURL_SOCKET_BAD;
    } catch (const std::exception&) {
      t.stop_ = stop::no_memory;
      return CURL_SOCKET_BAD;
    }
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  }

  /// A connection of an earlier request is not opened again, so its address is checked here.
  static int admit_connection(void* self, char* address, char* /*local*/, int /*port*/,
                              int /*local_port*/) {
    auto& t = *static_cast<transfer*>(self);
    try {
      if (is_admitted(t, address == nullptr ? "" : address)) return CURL_PREREQFUNC_OK;
    } catch (const std::exception&) {
      t.stop_ = stop::no_memory;
    }
    return CURL_PREREQFUNC_ABORT;
  }
};

void transfer::set_headers(CURL* easy) {
  const auto add = [this](const std::string& line) {
    curl_slist* const longer = curl_slist_append(headers_.get(), line.c_str());
    if (longer == nullptr) return;
    static_cast<void>(headers_.release());
    headers_.reset(longer);
  };
  headers_.reset();
  // Stored bytes, not those that a server compresses for a reader.
  add("Accept-Encoding: identity");
  if (attempt_.kind != shape::whole) add(range_header(attempt_));
  const value_version& version = stored_ > 0 ? version_ : asked_->expected;
  if (version.is_known()) add(fmt::format("If-Match: {}", version.text()));
  const std::string& token = asked_->access->token;
  if (origin_of(url_) == origin_) {
    if (!token.empty()) add("Authorization: Bearer " + token);
    for (const std::string& line : asked_->headers) add(line);
  }
  // A body is sent at once.
  if (!asked_->body.empty()) add("Expect:");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
}

void transfer::set_method(CURL* easy) {
  switch (asked_->method) {
    case request_method::get:
      return;
    case request_method::head:
      curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
      return;
    case request_method::erase:
      curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "DELETE");
      return;
    case request_method::put:
      break;
    case request_method::post:
      curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "POST");
      break;
  }
  curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, buffer_size);
  curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(asked_->body.size()));
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, &callbacks::give_body);
  curl_easy_setopt(easy, CURLOPT_READDATA, this);
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, &callbacks::seek_body);
  curl_easy_setopt(easy, CURLOPT_SEEKDATA, this);
}

void transfer::prepare(CURL* easy) {
  begin_of_attempt_ = clock::now();
  if (num_attempts_ == 0) begin_ = progress_ = begin_of_attempt_;
  if (num_redirects_ == 0) ++num_attempts_;
  attempt_ = missing_bytes();
  head_ = {.keeps_fields = asked_->access->keeps_answers};
  stop_ = stop::none;
  has_body_ = was_throttled_ = was_unreachable_ = false;
  discarded_ = 0;
  discarded_text_.clear();
  sent_ = 0;

  curl_easy_reset(easy);
  set_connection(easy, *asked_->access);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &callbacks::take_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &callbacks::take_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &callbacks::open_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &callbacks::admit_connection);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
  set_headers(easy);
  set_method(easy);
}

}  // namespace tessera::http
