// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Percent-encoding (RFC 3986, 2.1).

#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns `text` with each "%XX" as its byte.
[[nodiscard]] std::string percent_decoded(std::string_view text);

/// Returns `text` with each byte of "%&?" and each control character as "%XX".
[[nodiscard]] std::string percent_encoded_option(std::string_view text);

}  // namespace tessera::detail
