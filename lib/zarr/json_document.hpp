// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads JSON that nobody vouches for, as Python writes it.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::detail {

/// JSON text that is known to be well-formed, and its value.
struct json_document {
  /// The text, with the bare words `NaN`, `Infinity`, `-Infinity` in quotes.
  std::string text;
  nlohmann::json value;
};

/// Returns the document that `text` holds; `what` names it in errors.
///
/// Throws: zarr_error <- `text` is not JSON in UTF-8, or is nested more than 64 deep.
[[nodiscard]] json_document parse_json(std::string_view text, std::string_view what);

/// Returns the names and the texts of the values of an object, in the order of the document.
[[nodiscard]] std::vector<std::pair<std::string, std::string_view>> members_in_order(
    const json_document& object);

/// Returns JSON in UTF-8 as JSON in ASCII: zarr-python 2 reads metadata as ASCII.
[[nodiscard]] std::string ascii_json(std::string_view json);

/// Returns a value as text for an error message, shortened.
[[nodiscard]] std::string shown(const nlohmann::json& value);

/// Returns `text` as a JSON string, quotes included; what is not UTF-8 is replaced.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace tessera::detail
