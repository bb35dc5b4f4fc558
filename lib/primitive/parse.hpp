// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The library's primitives made of JSON: what is missing or of another type throws
/// nlohmann::json::exception, what is out of range value_error.

#include "tessera/primitive/primitive.hpp"

#include <string>

namespace tessera::detail {

[[nodiscard]] primitive_handle parse_copy(const std::string& json);
[[nodiscard]] primitive_handle parse_strips(const std::string& json);
[[nodiscard]] primitive_handle parse_blocks(const std::string& json);
[[nodiscard]] primitive_handle parse_epilogue(const std::string& json);
[[nodiscard]] primitive_handle parse_prologue(const std::string& json);
[[nodiscard]] primitive_handle parse_held(const std::string& json);
[[nodiscard]] primitive_handle parse_cascade(const std::string& json);

}  // namespace tessera::detail
