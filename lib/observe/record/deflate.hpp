// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Bytes in zlib's format.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

[[nodiscard]] std::string deflated(std::string_view bytes);

/// Returns the bytes that `packed` stands for; nullopt if it is not whole, has bytes behind its
/// end, or stands for more than `most`.
[[nodiscard]] std::optional<std::string> inflated(std::string_view packed, std::size_t most);

}  // namespace tessera
