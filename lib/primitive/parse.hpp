// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The factories of the library's primitives from JSON.
///
/// Throws: nlohmann::json::exception <- a field is missing or has a wrong type; value_error <- a
///         value is out of range.

#include "tessera/primitive/primitive.hpp"

#include <string>

namespace tessera::detail {

[[nodiscard]] primitive_handle parse_copy(const std::string& json);
[[nodiscard]] primitive_handle parse_strips(const std::string& json);
[[nodiscard]] primitive_handle parse_scans(const std::string& json);
[[nodiscard]] primitive_handle parse_blocks(const std::string& json);
[[nodiscard]] primitive_handle parse_stages(const std::string& json);

}  // namespace tessera::detail
