// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Addresses of hosts.

#include <string>

struct sockaddr;

namespace tessera::http {

/// Returns the text of an address, "127.0.0.1" or "::1", or "" if it is no address of the internet.
[[nodiscard]] std::string text_of(const sockaddr& address);

/// Tells whether an address is of loopback, of a link or of a private network, or of no host, so
/// that servers of the internet must not lead there. A malformed text is private.
[[nodiscard]] bool is_private(const std::string& address);

}  // namespace tessera::http
