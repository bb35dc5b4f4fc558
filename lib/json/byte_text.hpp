// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Texts of any bytes as strings of JSON: paths and names need not be UTF-8.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tessera::fields {

/// Returns a string of JSON from which `byte_text` gives back `bytes`; UTF-8 stays as it is.
[[nodiscard]] nlohmann::json of_byte_text(std::string_view bytes);

/// Throws: nlohmann::json::exception <- `value` is no string.
[[nodiscard]] std::string byte_text(const nlohmann::json& value);

}  // namespace tessera::fields
