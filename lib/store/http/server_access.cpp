// SPDX-License-Identifier: Apache-2.0
#include "store/http/server_access.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <fmt/format.h>
#include <netinet/in.h>
#include <string_view>
#include <sys/socket.h>

namespace tessera::http {

namespace {

/// Returns the token of a variable.
std::string read_token(const url_parts& url, const std::string& variable) {
  const char* const token = std::getenv(variable.c_str());
  if (token == nullptr || *token == '\0') {
    throw store_error(fmt::format("cannot open {}: the environment variable \"{:.80}\" for its "
                                  "token is not set",
                                  url.public_text(), variable),
                      store_failure::denied);
  }
  const std::string text = token;
  const bool is_visible = std::ranges::all_of(text, [](char c) { return '!' <= c && c <= '~'; });
  if (!is_visible) {
    throw value_error(fmt::format(
        "cannot open {}: the token in the environment variable \"{:.80}\" must have visible ASCII "
        "characters alone",
        url.public_text(), variable));
  }
  return text;
}

/// Tells whether requests to a host stay on this machine.
bool is_this_machine(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && !host.ends_with(']');
  host = host.substr(0, has_port ? colon : host.size());
  if (host == "localhost" || host == "[::1]") return true;
  in_addr address{};
  return inet_pton(AF_INET, std::string(host).c_str(), &address) == 1 &&
         ntohl(address.s_addr) >> 24 == IN_LOOPBACKNET;
}

}  // namespace

std::shared_ptr<const server_access> make_access(const url_parts& url,
                                                 const http_options& options) {
  if (options.patience <= std::chrono::milliseconds(0) ||
      options.patience > std::chrono::hours(24)) {
    throw value_error(
        fmt::format("cannot open {}: the patience of {} ms must be positive and at "
                    "most a day",
                    url.public_text(), options.patience.count()));
  }
  server_access access{.ca_file = options.ca_file, .patience = options.patience};
  if (!options.token_variable.empty()) {
    if (!url.user.empty()) {
      throw value_error(
          fmt::format("cannot open {}: the URL has a user, and there is a token as "
                      "well; give one of them",
                      url.public_text()));
    }
    if (url.scheme != "https" && !is_this_machine(url.host)) {
      throw value_error(
          fmt::format("cannot open {}: its token would be sent without encryption; use https",
                      url.public_text()));
    }
    access.token = read_token(url, options.token_variable);
  }
  if (const char* const bundle = std::getenv("AWS_CA_BUNDLE");
      access.ca_file.empty() && bundle != nullptr) {
    access.ca_file = bundle;
  }
  return std::make_shared<const server_access>(std::move(access));
}

}  // namespace tessera::http
