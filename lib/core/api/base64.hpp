// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Base64 of RFC 4648: bytes in JSON.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

[[nodiscard]] std::string to_base64(std::span<const std::byte> bytes);

/// Returns the bytes that `text` stands for; nothing if it is no base64 with its padding.
[[nodiscard]] std::optional<std::vector<std::byte>> from_base64(std::string_view text);

}  // namespace tessera::detail
