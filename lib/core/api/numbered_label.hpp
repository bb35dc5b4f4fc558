// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The one name of an operation: its number in the plan's order, from 0, and its label.

#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace tessera {

/// Returns the name of an operation in tables, pictures, progress and records: "3 anomaly".
[[nodiscard]] inline std::string numbered_label(std::size_t number, std::string_view label) {
  return fmt::format("{} {}", number, label);
}

/// Returns the name of an operation in sentences: `operation 3 "anomaly"`.
[[nodiscard]] inline std::string operation_title(std::size_t number, std::string_view label) {
  return fmt::format("operation {} \"{}\"", number, label);
}

}  // namespace tessera
