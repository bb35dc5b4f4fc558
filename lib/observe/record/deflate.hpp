// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Bytes in zlib's format.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// Levels of files: the first for files that grow with a run, the second for files that are written
/// once. The first takes a third of the time of the second, for some percent more bytes.
inline constexpr int fast_level = 3;
inline constexpr int small_level = 6;

[[nodiscard]] std::string deflated(std::string_view bytes, int level = fast_level);

/// Returns the bytes that `packed` stands for; nullopt if it is not whole, has bytes behind its
/// end, or stands for more than `most`.
[[nodiscard]] std::optional<std::string> inflated(std::string_view packed, std::size_t most);

}  // namespace tessera
