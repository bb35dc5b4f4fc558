// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Numbers with their units, for messages.

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace tessera {

/// Returns "1 chunk", "2 chunks".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view unit) {
  return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s");
}

}  // namespace tessera
