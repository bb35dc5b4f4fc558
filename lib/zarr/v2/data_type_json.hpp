// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The member "dtype" of `.zarray` as a JSON value.

#include "tessera/storage/data_type.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns the data type of the JSON `value`; `path` is the member's name in messages.
///
/// Throws: zarr_error <- as `data_type::parse`.
[[nodiscard]] data_type parse_data_type(const nlohmann::json& value, const std::string& path);

/// Returns the code of a number without its byte order: "f8".
[[nodiscard]] std::string_view code_of(dtype type);

}  // namespace tessera::detail
