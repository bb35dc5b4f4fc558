// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The value of an attribute as JSON.

#include "tessera/storage/attributes.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns the attributes of `text`, a JSON object, without the members named in `known`. Messages
/// call the text `document`, also the ones that a faulty attribute throws on its first use.
///
/// Throws: zarr_error <- `text` is no JSON object.
[[nodiscard]] attributes parse_attributes(std::string_view text, std::string_view document,
                                          std::span<const std::string_view> known = {});

/// As `parse_attributes`, of the members named in `names` alone.
[[nodiscard]] attributes select_attributes(std::string_view text, std::string_view document,
                                           std::span<const std::string_view> names);

/// Returns the value of `text`, well-formed JSON in which bare words may stand; nullopt if a string
/// in it is no Unicode text.
[[nodiscard]] std::optional<attribute_value> parse_attribute(std::string_view text);

/// Returns the number of a bare word of Python's JSON, or of the same text in a string.
[[nodiscard]] std::optional<double> non_finite(std::string_view text);

/// Returns a value as JSON; NaN and the infinities become bare words.
[[nodiscard]] std::string format_attribute(const attribute_value& value);

}  // namespace tessera::detail
