// SPDX-License-Identifier: Apache-2.0
#include "store/http/url.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>

namespace tessera::http {

namespace {

bool is_unreserved(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// Tells whether `text` begins with "%" and two hexadecimal digits.
bool is_encoded_byte(std::string_view text) {
  const auto is_digit = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  return text.size() >= 3 && text[0] == '%' && is_digit(text[1]) && is_digit(text[2]);
}

/// Returns a part of a URL with the bytes encoded that no URL has. A "%" that encodes no byte is
/// one of them.
std::string with_legal_bytes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_encoded = is_encoded_byte(text.substr(i));
    result += is_encoded ? "%" : percent_encoded(text.substr(i, 1), "!#$&'()*+,/:;=?@[]");
  }
  return result;
}

}  // namespace

std::string percent_encoded(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c) || kept.find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const char* const end = text.data() + i + 3;
      if (std::from_chars(text.data() + i + 1, end, value, 16).ptr == end) {
        result += static_cast<char>(value);
        i += 2;
        continue;
      }
    }
    result += text[i];
  }
  return result;
}

std::string url_parts::public_text() const {
  return path.empty() ? origin() : fmt::format("{}/{}", origin(), path);
}

std::string url_parts::of_key(std::string_view key) const {
  return fmt::format("{}://{}{}{}{}{}/{}{}{}", scheme, user, user.empty() ? "" : "@", host,
                     path.empty() ? "" : "/", path, percent_encoded(key, "/"),
                     query.empty() ? "" : "?", query);
}

url_parts parse_url(std::string_view url) {
  url_parts parts;
  const std::size_t colon = std::min(url.find("://"), url.size());
  parts.scheme = lower_case(url.substr(0, colon));
  std::string_view rest = url.substr(std::min(colon + 3, url.size()));
  if (parts.scheme != "http" && parts.scheme != "https") {
    throw value_error(fmt::format(
        "the scheme of an HTTP store is \"{:.40}\": it must be https or http", parts.scheme));
  }
  const std::size_t mark = std::min(rest.find('?'), rest.size());
  parts.query = with_legal_bytes(rest.substr(std::min(mark + 1, rest.size())));
  rest = rest.substr(0, mark);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  std::string_view path = rest.substr(slash);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    parts.user = with_legal_bytes(authority.substr(0, at));
    authority.remove_prefix(at + 1);
  }
  parts.host = lower_case(authority);
  while (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  parts.path = with_legal_bytes(path);
  if (parts.host.empty() || parts.host.starts_with(':')) {
    throw value_error(fmt::format("the URL \"{:.200}\" has no host", parts.public_text()));
  }
  if (path.find('#') != std::string_view::npos || parts.query.find('#') != std::string::npos) {
    throw value_error(
        fmt::format("the URL \"{:.200}\" has a fragment, which servers do not see; "
                    "write \"#\" as \"%23\"",
                    parts.public_text().substr(0, parts.public_text().find('#'))));
  }
  return parts;
}

std::string origin_of(std::string_view url) {
  const std::size_t colon = std::min(url.find("://"), url.size());
  const std::string scheme = lower_case(url.substr(0, colon));
  std::string_view host = url.substr(std::min(colon + 3, url.size()));
  host = host.substr(0, host.find_first_of("/?#"));
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
    host.remove_prefix(at + 1);
  }
  const std::size_t port = host.rfind(':');
  // The colons in the brackets of "[::1]" are of the address.
  const bool has_port =
      port != std::string_view::npos && host.find(']', port) == std::string_view::npos;
  if (has_port && port + 1 < host.size()) {
    return fmt::format("{}://{}", scheme, lower_case(host));
  }
  return fmt::format("{}://{}:{}", scheme, lower_case(has_port ? host.substr(0, port) : host),
                     scheme == "https" ? 443 : 80);
}

}  // namespace tessera::http
