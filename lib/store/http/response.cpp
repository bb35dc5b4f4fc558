// SPDX-License-Identifier: Apache-2.0
#include "store/http/response.hpp"

#include <algorithm>
#include <charconv>
#include <curl/curl.h>
#include <fmt/format.h>
#include <utility>

namespace tessera::http {

namespace {

constexpr std::size_t max_head = std::size_t{64} << 10;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

char lower_case(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower_case, lower_case);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return value;
}

body_check refused(store_failure kind, std::string reason) {
  return {std::nullopt, kind, std::move(reason)};
}

std::string text_of(const wanted_bytes& asked) {
  switch (asked.kind) {
    case wanted_bytes::shape::whole:
      return "the whole value";
    case wanted_bytes::shape::suffix:
      return fmt::format("the last {} B", asked.count);
    default:
      return fmt::format("{} B from byte {} on", asked.count, asked.first);
  }
}

/// Tells whether a range of status 206 is the one that was asked for.
bool is_asked_range(const content_range& range, const wanted_bytes& asked) {
  const std::uint64_t total = *range.total;
  if (range.last >= total || *range.first > range.last) return false;
  if (asked.kind == wanted_bytes::shape::suffix) {
    return *range.first == total - std::min(asked.count, total) && range.last == total - 1;
  }
  if (asked.kind != wanted_bytes::shape::range || *range.first != asked.first) return false;
  const std::uint64_t count = range.last - *range.first + 1;
  return count == std::min(asked.count, total - *range.first);
}

body_check check_part(const response_head& head, const wanted_bytes& asked) {
  if (!head.range || !head.range->first || !head.range->total) {
    return refused(store_failure::permanent,
                   "status 206 has no Content-Range with the size of the value");
  }
  const content_range& range = *head.range;
  if (!is_asked_range(range, asked)) {
    return refused(store_failure::permanent,
                   fmt::format("Content-Range is bytes {}-{}/{}, but {} were asked for",
                               *range.first, range.last, *range.total, text_of(asked)));
  }
  const std::uint64_t size = range.last - *range.first + 1;
  if (head.length && *head.length != size) {
    return refused(
        store_failure::permanent,
        fmt::format("Content-Length is {}, but Content-Range has {} B", *head.length, size));
  }
  return {body_position{*range.first, size, range.total}};
}

body_check check_whole(const response_head& head) {
  // No Content (RFC 9110, 15.3.5).
  if (head.status == 204) return {body_position{0, 0, 0}};
  if (!head.length && !head.is_chunked) {
    return refused(store_failure::permanent,
                   "the body has neither Content-Length nor chunks, so its end is unknown");
  }
  return {body_position{0, head.length, head.length}};
}

}  // namespace

std::optional<content_range> parse_content_range(std::string_view value) {
  value = trimmed(value);
  const std::size_t blank = value.find(' ');
  const std::size_t slash = value.find('/');
  if (blank == std::string_view::npos || slash == std::string_view::npos || slash < blank ||
      !equals_ignoring_case(value.substr(0, blank), "bytes")) {
    return std::nullopt;
  }
  const std::string_view span = trimmed(value.substr(blank, slash - blank));
  const std::string_view total = value.substr(slash + 1);
  content_range range;
  if (total != "*") {
    range.total = number(total);
    if (!range.total) return std::nullopt;
  }
  if (span == "*") return range;
  const std::size_t dash = span.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  range.first = number(span.substr(0, dash));
  const std::optional<std::uint64_t> last = number(span.substr(dash + 1));
  if (!range.first || !last) return std::nullopt;
  range.last = *last;
  return range;
}

std::optional<std::time_t> parse_date(const std::string& value) {
  const std::time_t time = curl_getdate(value.c_str(), nullptr);
  return time == -1 ? std::nullopt : std::optional(time);
}

bool response_head::add(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    *this = {.keeps_fields = keeps_fields};
    const std::size_t blank = std::min(line.find(' '), line.size());
    status = static_cast<int>(number(trimmed(line.substr(blank)).substr(0, 3)).value_or(0));
  }
  size += line.size();
  if (size > max_head) return false;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (keeps_fields) {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), lower_case);
    fields.emplace_back(std::move(lower), value);
  }
  if (equals_ignoring_case(name, "Content-Length")) {
    length = number(value);
  } else if (equals_ignoring_case(name, "Content-Range")) {
    range = parse_content_range(value);
  } else if (equals_ignoring_case(name, "Content-Encoding")) {
    encoding = equals_ignoring_case(value, "identity") ? "" : value;
  } else if (equals_ignoring_case(name, "ETag")) {
    etag = value;
  } else if (equals_ignoring_case(name, "Transfer-Encoding")) {
    is_chunked = equals_ignoring_case(value, "chunked");
  }
  return true;
}

value_version response_head::version() const {
  return etag.starts_with('"') ? value_version(etag) : value_version();
}

body_check check_body(const response_head& head, const wanted_bytes& asked) {
  if (!head.encoding.empty()) {
    return refused(store_failure::permanent,
                   fmt::format("the body has Content-Encoding \"{:.40}\", which was not asked for; "
                               "let the server give the stored bytes",
                               head.encoding));
  }
  return head.status == 206 ? check_part(head, asked) : check_whole(head);
}

}  // namespace tessera::http
