// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The value of an attribute as JSON.

#include "tessera/zarr/attributes.hpp"

#include <span>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns the attributes that `text`, a JSON object, holds but those whose names are among
/// `known`; `what` names it in errors, also in those that tell later what is wrong with one of
/// them.
///
/// Throws: zarr_error <- `text` is no JSON object.
[[nodiscard]] attributes parse_attributes(std::string_view text, std::string_view what,
                                          std::span<const std::string_view> known = {});

/// Returns a value as JSON; doubles that JSON does not have become bare words.
[[nodiscard]] std::string format_attribute(const attribute_value& value);

}  // namespace tessera::detail
