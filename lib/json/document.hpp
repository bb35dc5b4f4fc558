// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads untrusted JSON in the dialect of Python.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns the value of `text`. The bare words `NaN`, `Infinity` and `-Infinity` become strings.
/// Messages call the text `document`.
///
/// Throws: zarr_error <- `text` is not JSON in UTF-8, is nested more than 64 deep, or a name occurs
/// twice in an object.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, std::string_view document);

/// Returns JSON with its bare words in quotes.
[[nodiscard]] std::string normalised_json(std::string_view text);

/// Returns JSON in UTF-8 as JSON in ASCII: zarr-python 2 reads metadata as ASCII.
[[nodiscard]] std::string ascii_json(std::string_view json);

/// Returns a value as text for an error message, shortened.
[[nodiscard]] std::string shown(const nlohmann::json& value);

/// Returns `text` as a JSON string, quotes included; invalid UTF-8 is replaced.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace tessera::detail
